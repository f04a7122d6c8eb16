package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"portside/cmd/portside/access"
	"portside/cmd/portside/cli"
	"portside/cmd/portside/cli/resources"
	"portside/cmd/portside/demo"
	"portside/cmd/portside/importusers"
	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/cmd/portside/recovery"
	"portside/cmd/portside/repair"
	"portside/cmd/portside/replay"
	"portside/cmd/portside/smoketest"
	"portside/cmd/portside/verifyaudit"
)

// The groups of commands in the help.
const (
	everyDay  = "everyDay"
	operators = "operators"
)

// aliases are other first arguments, and their meanings.
var aliases = map[string]string{"-help": "--help", "--version": "version", "-version": "version"}

// exitError is the exit code of a command that has reported its error itself.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// run runs the command that the arguments name, reports an error in one line, and returns the exit code.
func run(ctx context.Context, p operator.Process) int {
	args := append([]string{}, p.Args...) // not nil, which would be the arguments of this process
	if len(args) > 0 {
		if usual, isAlias := aliases[args[0]]; isAlias {
			args[0] = usual
		}
	}
	root := newRoot(p) //nolint:contextcheck // ExecuteContextC passes the context to the commands
	root.SetArgs(args)
	failed, err := root.ExecuteContextC(ctx)
	code, hasReported := errors.AsType[exitError](err)
	switch {
	case err == nil:
		return operator.ExitDone
	case hasReported:
		return int(code)
	}
	if invalid, isUsage := errors.AsType[operator.UsageError](err); isUsage {
		p.Report("%s: %s", failed.CommandPath(), usageLine(p, failed, invalid))
		return operator.ExitUsage
	}
	p.Report("%s: %s", failed.CommandPath(), strings.Join(strings.Fields(cli.Explain(failed, err)), " "))
	switch {
	case operator.IsInterrupted(ctx, err):
		return operator.ExitInterrupted
	case cli.IsRefusedInput(err):
		return operator.ExitUsage
	}
	return operator.ExitFailed
}

// usageLine adds to a usage error where the help is.
func usageLine(p operator.Process, failed *cobra.Command, invalid operator.UsageError) string {
	path := strings.TrimPrefix(failed.CommandPath(), "portside")
	if path == "" {
		return fmt.Sprintf("%s; `%s help` lists the commands", invalid, p.Program)
	}
	return fmt.Sprintf("%s; see `%s%s -h`", invalid, p.Program, path)
}

func newRoot(p operator.Process) *cobra.Command {
	root := &cobra.Command{
		Use: "portside", Short: "the command line of Portside", SilenceErrors: true, SilenceUsage: true,
		Long: `portside is the command line of Portside.

The commands for every day call the API of any deployment with your API key: begin with
"portside login ADDRESS". The commands for operators work directly on the tables.`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.UnknownCommand(c, args[0])
			}
			return c.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return operator.UsageError(err.Error()) })
	root.AddGroup(&cobra.Group{ID: everyDay, Title: "Every day:"}, &cobra.Group{ID: operators, Title: "Operators:"})
	root.SetHelpCommandGroupID(everyDay)
	root.SetCompletionCommandGroupID(everyDay)
	showSettings(root, p)
	for _, c := range resources.Commands(everyDayProcess(p)) {
		c.GroupID = everyDay
		root.AddCommand(c)
	}
	for _, c := range operatorCommands() {
		root.AddCommand(wrapped(c, p))
	}
	root.SetHelpCommand(helpCommand(root))
	return root
}

// showSettings adds the settings of the operators' commands to the end of the list of all commands.
func showSettings(root *cobra.Command, p operator.Process) {
	standard := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		standard(c, args)
		if c == root {
			_, _ = fmt.Fprint(p.Stdout, "\nSettings of the commands for operators:\n"+installation.SettingsHelp)
		}
	})
}

// helpCommand is the command help. Unlike the one of cobra, it fails for an unknown command.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "show the help of a command", GroupID: everyDay,
		RunE: func(_ *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return cli.UnknownCommand(root, args[len(args)-1])
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

// wrapped returns the command as one of cobra. It parses its flags itself, so flags, help texts and exit codes are its
// own.
func wrapped(c operator.Command, p operator.Process) *cobra.Command {
	w := &cobra.Command{
		Use: strings.TrimSpace(c.Name + " [flags] " + c.Arguments), Short: c.Summary, GroupID: operators, DisableFlagParsing: true,
		RunE: func(w *cobra.Command, args []string) error {
			if code := c.Run(w.Context(), p, args); code != operator.ExitDone {
				return exitError(code)
			}
			return nil
		},
		ValidArgsFunction: completion(c),
	}
	if c.Name == "version" {
		w.GroupID = everyDay
	}
	w.SetHelpFunc(func(w *cobra.Command, _ []string) { c.Run(w.Context(), p, []string{"-h"}) })
	return w
}

// completion completes the names of flags, which cobra does not know. Everything else can be a file.
func completion(c operator.Command) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if !strings.HasPrefix(begun, "-") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
		c.Prepare(flags)
		var names []cobra.Completion
		flags.VisitAll(func(f *flag.Flag) {
			_, text := flag.UnquoteUsage(f)
			names = append(names, cobra.CompletionWithDesc("--"+f.Name, text))
		})
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// everyDayProcess returns the environment of the commands for every day.
func everyDayProcess(p operator.Process) cli.Process {
	return cli.Process{
		Lookup: p.Lookup, Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr, Now: p.Now, ConfigDir: p.ConfigDir,
		Local: localAdmin, GitHub: "https://api.github.com", Version: revision(context.Background()),
	}
}

// localAdmin returns the address of the local stack and the key of its first admin.
func localAdmin(data string) (address, key string, err error) {
	stack, err := installation.FindLocalStack(data, "")
	if err != nil {
		return "", "", err
	}
	text, err := os.ReadFile(filepath.Join(data, "admin-key"))
	return stack.API, strings.TrimSpace(string(text)), err
}

func operatorCommands() []operator.Command {
	return slices.Concat(
		access.Commands(), importusers.Commands(), repair.Commands(), replay.Commands(), recovery.Commands(), verifyaudit.Commands(),
		smoketest.Commands(), demo.Commands(), []operator.Command{versionCommand()},
	)
}
