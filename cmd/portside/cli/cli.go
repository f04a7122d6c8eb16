// Package cli is the frame of the commands of portside for every day: profiles, the login, errors and output. The
// package resources has the other commands. They call the API of any deployment with an API key, so each can do only
// what the role of the key's user allows.
//
// Results go to stdout as a table, or with --json or --csv for programs. Everything else goes to stderr. No command
// prints the API key.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"portside/client"
)

// Process is the environment of the commands. Tests replace it.
type Process struct {
	Lookup    func(name string) (string, bool)
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer
	Now       func() time.Time
	ConfigDir func() (string, error)                             // the folder of the user's settings
	Local     func(data string) (address, key string, err error) // the running local stack
	GitHub    string                                             // address of the API of GitHub
	Version   string
}

// UsageError means that the command line or a setting is invalid.
type UsageError string

func (e UsageError) Error() string { return string(e) }

// UsageErrorf returns a usage error with a formatted text.
func UsageErrorf(format string, args ...any) error { return UsageError(fmt.Sprintf(format, args...)) }

// App is what all commands have in common.
type App struct {
	Process
	profile string // the flag --profile
	Format  format
}

// NewApp returns what commands have in common in an environment.
func NewApp(p Process) *App { return &App{Process: p} }

// Report writes a line to stderr. It ignores errors, because it could report them only to stderr.
func (a *App) Report(format string, args ...any) {
	_, _ = fmt.Fprintf(a.Stderr, format+"\n", args...)
}

// Connect returns a client of the deployment that the flags, the environment or the profile name.
func (a *App) Connect() (*client.Client, error) {
	c, err := a.ConnectCaller()
	return c.Client, err
}

// Caller is a client and the key with which it makes the calls.
type Caller struct {
	*client.Client
	key string
}

// ConnectCaller is Connect for commands that must know whose key makes the calls.
func (a *App) ConnectCaller() (Caller, error) {
	target, err := a.target()
	if err != nil {
		return Caller{}, err
	}
	api, err := a.clientOf(target)
	return Caller{api, target.Key}, err
}

func (a *App) clientOf(t profile) (*client.Client, error) {
	return client.New(t.Address, t.Key, client.WithUserAgent("portside/"+a.Version), client.WithWaitNotice(a.reportWait))
}

// Calling makes a command that calls the API: it takes --profile.
func (a *App) Calling(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&a.profile, "profile", "", "use the deployment and the key of this `NAME`, see portside login")
	_ = c.RegisterFlagCompletionFunc("profile", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return a.profileNames(), cobra.ShellCompDirectiveNoFileComp
	})
	if c.ValidArgsFunction == nil {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	return c
}

// Printing makes a command that calls the API and prints a result: it also takes --json and --csv.
func (a *App) Printing(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&a.Format.JSON, "json", false, "print the result as JSON")
	c.Flags().BoolVar(&a.Format.CSV, "csv", false, "print the result as CSV")
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if a.Format.JSON && a.Format.CSV {
			return UsageError("--json and --csv exclude each other")
		}
		return run(c, args)
	}
	return a.Calling(c)
}

// Group is a command that only has commands.
func Group(name, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short, Args: cobra.ArbitraryArgs, RunE: func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return UnknownCommand(c, args[0])
		}
		return c.Help()
	}}
	c.AddCommand(commands...)
	return c
}

// UnknownCommand returns the error for a command that c does not have.
func UnknownCommand(c *cobra.Command, name string) error {
	c.SuggestionsMinimumDistance = 2
	if similar := c.SuggestionsFor(name); len(similar) > 0 {
		return UsageErrorf("unknown command %q; did you mean %s?", name, similar[0])
	}
	return UsageErrorf("unknown command %q", name)
}

// Exactly requires as many arguments as there are names.
func Exactly(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return UsageErrorf("%s is missing", names[len(args)])
		}
		if len(args) > len(names) {
			return UsageErrorf("unexpected argument %q", args[len(names)])
		}
		return nil
	}
}

// Complete lets the shell complete the values of a flag.
func Complete(c *cobra.Command, flag string, values ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// Optional returns a pointer to a text that is not empty, in the type of a parameter.
func Optional[T ~string](text string) *T {
	if text == "" {
		return nil
	}
	return new(T(text))
}

// IfChanged returns a pointer to the text of a flag if the flag was set, even to an empty text.
func IfChanged[T ~string](c *cobra.Command, flag, text string) *T {
	if !c.Flags().Changed(flag) {
		return nil
	}
	return new(T(text))
}

// Is reports whether the caller is a user. FORBIDDEN means another user, because users may list their own keys.
func (c Caller) Is(ctx context.Context, userID string) (bool, error) {
	keys, err := c.ListAPIKeys(ctx, userID)
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Code == client.ProblemCodeFORBIDDEN {
		return false, nil
	}
	return c.HasKeyIn(keys), err
}

// HasKeyIn reports whether the caller's key is one of the keys.
func (c Caller) HasKeyIn(keys []client.APIKey) bool {
	return slices.ContainsFunc(keys, func(k client.APIKey) bool { return k.ID == publicID(c.key) })
}

// publicID returns the part of a key between its first two underscores.
func publicID(key string) string {
	_, rest, _ := strings.Cut(key, "_")
	id, _, _ := strings.Cut(rest, "_")
	return id
}
