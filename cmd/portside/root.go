package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"portside/cmd/portside/cli"
)

// The groups of commands in the help.
const (
	everyDay  = "everyDay"
	operators = "operators"
)

// aliases are other first arguments, and what they mean.
var aliases = map[string]string{"-help": "--help", "--version": "version", "-version": "version"}

// exitError is the exit code of a command that has reported its error itself.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// run runs the command that the arguments name, reports an error in one line, and returns the exit code.
func run(ctx context.Context, p process) int {
	args := append([]string{}, p.args...) // not nil, which would be the arguments of this process
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
		return exitDone
	case hasReported:
		return int(code)
	}
	if invalid, isUsage := errors.AsType[usageError](err); isUsage {
		p.report("%s: %s", failed.CommandPath(), p.usageLine(failed, invalid))
		return exitUsage
	}
	p.report("%s: %s", failed.CommandPath(), strings.Join(strings.Fields(cli.Explain(failed, err)), " "))
	switch {
	case isInterrupted(ctx, err):
		return exitInterrupted
	case cli.IsRefusedInput(err):
		return exitUsage
	}
	return exitFailed
}

// usageLine adds to a usage error where the help is.
func (p process) usageLine(failed *cobra.Command, invalid usageError) string {
	path := strings.TrimPrefix(failed.CommandPath(), "portside")
	if path == "" {
		return fmt.Sprintf("%s; `%s help` lists the commands", invalid, p.program)
	}
	return fmt.Sprintf("%s; see `%s%s -h`", invalid, p.program, path)
}

func newRoot(p process) *cobra.Command {
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
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError(err.Error()) })
	root.AddGroup(&cobra.Group{ID: everyDay, Title: "Every day:"}, &cobra.Group{ID: operators, Title: "Operators:"})
	root.SetHelpCommandGroupID(everyDay)
	root.SetCompletionCommandGroupID(everyDay)
	showSettings(root, p)
	for _, c := range cli.Commands(p.everyDay()) {
		c.GroupID = everyDay
		root.AddCommand(c)
	}
	for _, c := range operatorCommands() {
		root.AddCommand(c.wrapped(p))
	}
	root.SetHelpCommand(helpCommand(root))
	return root
}

// showSettings adds the settings of the operators' commands to the end of the list of all commands.
func showSettings(root *cobra.Command, p process) {
	standard := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		standard(c, args)
		if c == root {
			_, _ = fmt.Fprint(p.stdout, "\nSettings of the commands for operators:\n"+settingsHelp)
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

// wrapped returns the command as one of cobra. It parses its flags itself, so flags, help texts and exit codes are its own.
func (c command) wrapped(p process) *cobra.Command {
	w := &cobra.Command{
		Use: strings.TrimSpace(c.name + " [flags] " + c.arguments), Short: c.summary, GroupID: operators, DisableFlagParsing: true,
		RunE: func(w *cobra.Command, args []string) error {
			if code := c.run(w.Context(), p, args); code != exitDone {
				return exitError(code)
			}
			return nil
		},
		ValidArgsFunction: c.completeFlags,
	}
	if c.name == "version" {
		w.GroupID = everyDay
	}
	w.SetHelpFunc(func(w *cobra.Command, _ []string) { c.run(w.Context(), p, []string{"-h"}) })
	return w
}

// completeFlags completes the names of flags, which cobra does not know. Everything else can be a file.
func (c command) completeFlags(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if !strings.HasPrefix(begun, "-") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	c.prepare(flags)
	var names []cobra.Completion
	flags.VisitAll(func(f *flag.Flag) {
		_, text := flag.UnquoteUsage(f)
		names = append(names, cobra.CompletionWithDesc("--"+f.Name, text))
	})
	return names, cobra.ShellCompDirectiveNoFileComp
}

// everyDay returns the environment of the commands for every day.
func (p process) everyDay() cli.Process {
	return cli.Process{
		Lookup: p.lookup, Stdin: p.stdin, Stdout: p.stdout, Stderr: p.stderr, Now: p.now, ConfigDir: p.configDir,
		Local: localAdmin, GitHub: "https://api.github.com", Version: revision(context.Background()),
	}
}

// localAdmin returns the address of the local stack and the key of its first admin.
func localAdmin(data string) (address, key string, err error) {
	stack, err := findLocalStack(data, "")
	if err != nil {
		return "", "", err
	}
	text, err := os.ReadFile(filepath.Join(data, "admin-key"))
	return stack.API, strings.TrimSpace(string(text)), err
}
