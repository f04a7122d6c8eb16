package resources

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

func (a *app) revokeCommand() *cobra.Command {
	var all, made, yes bool
	c := &cobra.Command{
		Use: "revoke --all USER", Short: "end all credentials of a user: keys, tokens, passwords, sessions and passkeys",
		Args: cli.Exactly(userArgument),
		Long: `Ends all sessions and passkeys of a user, and revokes all API keys, tokens and passwords. The
user stays active and can sign in again with a mailed link: to prevent that, use
"portside users suspend".

To revoke one token, use "portside tokens revoke".`,
		RunE: func(c *cobra.Command, args []string) error {
			if !all {
				return cli.UsageError("pass --all; to revoke one token, use `portside tokens revoke`")
			}
			return a.revokeAll(c.Context(), args[0], made, yes)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "end all credentials (required)")
	c.Flags().BoolVar(&made, "made", false, "also end what was created with the keys, for other users, too: if the keys have leaked")
	addYes(c, &yes)
	return a.Calling(c)
}

// revokeAll ends all credentials of a user; with made, also the credentials that were created with the user's keys.
func (a *app) revokeAll(ctx context.Context, name string, made, yes bool) error {
	api, err := a.ConnectCaller()
	if err != nil {
		return err
	}
	user, err := findUser(ctx, api.Client, name)
	if err != nil {
		return err
	}
	var keys []client.APIKey
	if made {
		if keys, err = keysOfAnother(ctx, api, user.ID); err != nil {
			return err
		}
	}
	if !yes {
		if err := a.confirmEnd(ctx, api, user.ID, "End all credentials of "+nameOf(user)+"?"); err != nil {
			return err
		}
	}
	if err := api.EndUserCredentials(ctx, user.ID); err != nil {
		return err
	}
	a.Report("Ended all credentials of %s.", nameOf(user))
	return endMade(ctx, api, user.ID, keys)
}

// keysOfAnother returns the keys of a user. It refuses the caller's own keys: after their end, this command could not
// end the credentials that were created with them.
func keysOfAnother(ctx context.Context, api cli.Caller, userID string) ([]client.APIKey, error) {
	keys, err := api.ListAPIKeys(ctx, userID)
	if err == nil && api.HasKeyIn(keys) {
		err = cli.UsageError("--made needs the key of another admin: this command cannot end its own key and what was created with it")
	}
	return keys, err
}

// endMade ends the credentials that were created with the keys of a user. The keys have ended. The key of this command
// can be one of these credentials, so an error names the keys whose credentials may still work.
func endMade(ctx context.Context, api cli.Caller, userID string, keys []client.APIKey) error {
	for i, key := range keys {
		err := unlessGone(api.DeleteAPIKey(ctx, userID, key.ID, &client.DeleteAPIKeyParams{Made: new(true)}))
		if err == nil {
			continue
		}
		var left []string
		for _, k := range keys[i:] {
			left = append(left, k.ID)
		}
		return fmt.Errorf("what was created with these keys may still work, end it with the key of another admin: %s: %w",
			strings.Join(left, ", "), err)
	}
	return nil
}

// unlessGone drops the error for a credential that has ended meanwhile.
func unlessGone(err error) error {
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusNotFound && refused.Code != "" {
		return nil
	}
	return err
}
