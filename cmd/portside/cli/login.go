package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"portside/client"
)

// LoginCommand returns the command login.
func (a *App) LoginCommand() *cobra.Command {
	var keyFile, local string
	c := &cobra.Command{
		Use: "login ADDRESS", Short: "store the address of a deployment and your API key",
		Long: `Checks an API key with one call and stores it with the address of the deployment, for all
other commands. It asks for the key without showing it. If stdin is not a terminal, it
reads the key from there.

Log in to several deployments with --profile NAME, and name the profile in each command.
The environment variables PORTSIDE_URL and PORTSIDE_KEY take precedence over the stored
profile, but not over --profile. The key is in a file that only you can read.`,
		Example: `  portside login https://portal.example.com
  portside login https://portal.example.com --profile staging --key-file key.txt
  portside login --local .local/data      # the running local stack, as its first admin`,
		RunE: func(c *cobra.Command, args []string) error {
			p, err := a.loginTarget(c.Context(), args, keyFile, local)
			if err != nil {
				return err
			}
			return a.login(c.Context(), p)
		},
	}
	c.Flags().StringVar(&keyFile, "key-file", "", "read the key from this `FILE`")
	c.Flags().StringVar(&local, "local", "", "log in to the running local stack with this `DATA` folder, as its first admin")
	return a.Calling(c)
}

// loginTarget returns the address and the key to store.
func (a *App) loginTarget(ctx context.Context, args []string, keyFile, local string) (profile, error) {
	if local != "" {
		if len(args) > 0 || keyFile != "" {
			return profile{}, UsageError("--local takes neither an address nor --key-file")
		}
		address, key, err := a.Local(local)
		return profile{address, key}, err
	}
	if err := Exactly("the address of the deployment")(nil, args); err != nil {
		return profile{}, err
	}
	if _, err := a.profilePath(); err != nil { // before it asks for the key
		return profile{}, err
	}
	address, err := normalAddress(args[0])
	if err != nil {
		return profile{}, err
	}
	key, err := a.readKey(ctx, keyFile)
	return profile{address, key}, err
}

// readKey reads an API key from a file, from the terminal without showing it, or from stdin.
func (a *App) readKey(ctx context.Context, file string) (string, error) {
	var text []byte
	var typed string
	var err error
	switch {
	case file != "":
		text, err = os.ReadFile(file)
	case isTerminal(a.Stdin):
		typed, err = a.askSecret(ctx, "API key: ")
		text = []byte(typed)
	default:
		text, err = io.ReadAll(io.LimitReader(a.Stdin, 1<<10))
	}
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(text))
	if key == "" {
		return "", UsageError("no key was given")
	}
	if !strings.HasPrefix(key, "psk_") || strings.ContainsAny(key, " \t\r\n") {
		return "", UsageError("this is not an API key: a key is one line that begins with psk_")
	}
	return key, nil
}

func (a *App) login(ctx context.Context, p profile) error {
	c, err := a.clientOf(p)
	if err != nil {
		return err
	}
	if err := checkKey(ctx, c); err != nil {
		return err
	}
	before, err := a.readProfile()
	if err == nil && before.Address != p.Address {
		a.Report("This replaces the login to %s. Use --profile for a second deployment.", before.Address)
	}
	path, err := a.writeProfile(p)
	if err != nil {
		return fmt.Errorf("store the profile: %w", err)
	}
	a.Report("Logged in to %s. The key is in %s.", p.Address, path)
	return nil
}

// checkKey makes a call that every role may make. A refusal of the permission also shows that the key works.
func checkKey(ctx context.Context, c *client.Client) error {
	_, err := c.ListUsers(ctx, &client.ListUsersParams{Limit: new(int64(1))})
	refused, isRefused := errors.AsType[*client.Error](err)
	if isRefused && refused.Status == http.StatusForbidden && refused.Code == client.ProblemCodeFORBIDDEN {
		return nil
	}
	return err
}

// LogoutCommand returns the command logout.
func (a *App) LogoutCommand() *cobra.Command {
	return a.Calling(&cobra.Command{
		Use: "logout", Short: "delete the stored address and key",
		Long: "Deletes the profile. The key itself continues to work until you delete it in the portal, or with `portside revoke`.",
		Args: Exactly(),
		RunE: func(*cobra.Command, []string) error {
			path, err := a.profilePath()
			if err != nil {
				return err
			}
			err = os.Remove(path)
			if errors.Is(err, fs.ErrNotExist) {
				a.Report("You were not logged in.")
				return nil
			}
			if err == nil {
				a.Report("Logged out. The key still works until it is deleted.")
			}
			return err
		},
	})
}
