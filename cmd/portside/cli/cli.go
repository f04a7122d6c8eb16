// Package cli has the commands of portside for every day. They call the API of any deployment with an API key, so each can do only what
// the role of the key's user allows.
//
// Results go to stdout as a table, or with --json or --csv for programs. Everything else goes to stderr. No command prints the API key.
package cli

import (
	"fmt"
	"io"
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

func usageErrorf(format string, args ...any) error { return UsageError(fmt.Sprintf(format, args...)) }

// app is what all commands have in common.
type app struct {
	Process
	profile string // the flag --profile
	format  format
}

// Commands returns the commands.
func Commands(p Process) []*cobra.Command {
	a := &app{Process: p}
	return []*cobra.Command{
		a.loginCommand(), a.logoutCommand(), a.usersCommand(), a.customersCommand(), a.entitlementsCommand(), a.trustPoliciesCommand(),
		a.projectsCommand(), a.tokensCommand(), a.requestsCommand(), a.pullsCommand(), a.auditCommand(), a.dashboardCommand(),
		a.extractCommand(), a.revokeCommand(),
	}
}

// report writes a line to stderr. It ignores errors, because there is no other place to report them.
func (a *app) report(format string, args ...any) {
	_, _ = fmt.Fprintf(a.Stderr, format+"\n", args...)
}

// connect returns a client of the deployment that the flags, the environment or the profile name.
func (a *app) connect() (*client.Client, error) {
	c, err := a.connectAs()
	return c.Client, err
}

// caller is a client and the key with which it makes the calls.
type caller struct {
	*client.Client
	key string
}

// connectAs is connect for commands that must know whose key makes the calls.
func (a *app) connectAs() (caller, error) {
	target, err := a.target()
	if err != nil {
		return caller{}, err
	}
	api, err := a.clientOf(target)
	return caller{api, target.Key}, err
}

func (a *app) clientOf(t profile) (*client.Client, error) {
	return client.New(t.Address, t.Key, client.WithUserAgent("portside/"+a.Version), client.WithWaitNotice(a.reportWait))
}

// calling makes a command that calls the API: it takes --profile.
func (a *app) calling(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&a.profile, "profile", "", "use the deployment and the key of this `NAME`, see portside login")
	_ = c.RegisterFlagCompletionFunc("profile", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return a.profileNames(), cobra.ShellCompDirectiveNoFileComp
	})
	if c.ValidArgsFunction == nil {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	return c
}

// printing makes a command that calls the API and prints a result: it also takes --json and --csv.
func (a *app) printing(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&a.format.json, "json", false, "print the result as JSON")
	c.Flags().BoolVar(&a.format.csv, "csv", false, "print the result as CSV")
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if a.format.json && a.format.csv {
			return UsageError("--json and --csv exclude each other")
		}
		return run(c, args)
	}
	return a.calling(c)
}

// group is a command that only has commands.
func group(name, short string, commands ...*cobra.Command) *cobra.Command {
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
		return usageErrorf("unknown command %q; did you mean %s?", name, similar[0])
	}
	return usageErrorf("unknown command %q", name)
}

// exactly requires as many arguments as there are names.
func exactly(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return usageErrorf("%s is missing", names[len(args)])
		}
		if len(args) > len(names) {
			return usageErrorf("unexpected argument %q", args[len(names)])
		}
		return nil
	}
}

// complete lets the shell complete the values of a flag.
func complete(c *cobra.Command, flag string, values ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// optional returns a pointer to a text that is not empty, in the type of a parameter.
func optional[T ~string](text string) *T {
	if text == "" {
		return nil
	}
	return new(T(text))
}

// ifChanged returns a pointer to the text of a flag if the flag was set, even to an empty text.
func ifChanged[T ~string](c *cobra.Command, flag, text string) *T {
	if !c.Flags().Changed(flag) {
		return nil
	}
	return new(T(text))
}
