package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"portside/cmd/portside/backup"
	"portside/cmd/portside/cli"
	"portside/shared/core/audit"
	"portside/shared/dynamo/layout"
)

// Exit codes.
const (
	exitDone     = 0
	exitFailed   = 1
	exitUsage    = 2
	exitUnusable = 3 // the data has a layout that this release does not know, or an incomplete restore

	exitInterrupted = 130 // stopped by Ctrl-C, as shells report it
)

// process is the environment of a command. Tests replace it.
type process struct {
	program   string   // the path that the operator used, for hints that can be copied
	args      []string // without the program name
	lookup    func(name string) (string, bool)
	stdin     io.Reader
	stdout    io.Writer
	stderr    io.Writer
	now       func() time.Time
	configDir func() (string, error) // the folder of the user's settings
}

// report writes a line for the operator to stderr, apart from the results. It ignores errors,
// because there is no other place to report them.
func (p process) report(format string, args ...any) {
	_, _ = fmt.Fprintf(p.stderr, format+"\n", args...)
}

// command is a subcommand for operators. Those for every day are in the package cli.
type command struct {
	name      string
	arguments string // shown after the name in the usage line
	summary   string // one line
	help      string // the text of -h above the flags
	prepare   func(flags *flag.FlagSet) action
}

// action runs a command with its parsed flags. The arguments do not include flags.
type action func(ctx context.Context, p process, arguments []string) error

// usageError means that the command line is invalid.
type usageError = cli.UsageError

func operatorCommands() []command {
	return []command{
		bootstrapCommand(), importCommand(), rebuildCommand(), reconcileCommand(), recountPullsCommand(),
		replayCommand(), reindexCommand(), rateLimitCommand(), manageTokenCommand(), signInLinkCommand(),
		backupCommand(), restoreCommand(), checkLayoutCommand(), verifyAuditCommand(), smokeTestCommand(),
		demoCommand(), versionCommand(),
	}
}

func (c command) run(ctx context.Context, p process, args []string) int {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	act := c.prepare(flags)
	arguments, err := parse(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		c.usage(p.stdout, flags)
		return exitDone
	}
	if err == nil {
		err = act(asOperator(ctx, p), p, arguments)
	}
	if err == nil {
		return exitDone
	}
	if invalid, isUsage := errors.AsType[usageError](err); isUsage {
		p.report("portside %s: %s; see `%s %s -h`", c.name, invalid, p.program, c.name)
		return exitUsage
	}
	p.report("portside %s: %s", c.name, singleLine(err))
	if isInterrupted(ctx, err) {
		return exitInterrupted
	}
	if errors.Is(err, layout.ErrUnknown) || errors.Is(err, backup.ErrIncomplete) {
		return exitUnusable
	}
	return exitFailed
}

// asOperator returns a context whose changes the audit log shows as those of the operator with this account on this computer.
func asOperator(ctx context.Context, p process) context.Context {
	account, _ := p.lookup("USER")
	return audit.WithActor(ctx, audit.Actor{Kind: audit.Operator, Name: account})
}

// isInterrupted reports whether a command failed because it was stopped.
func isInterrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled)
}

// parse accepts flags before, between and after the arguments. Everything after -- is an argument.
func parse(flags *flag.FlagSet, args []string) (arguments []string, err error) {
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, usageError(err.Error())
		}
		left := flags.Args()
		if parsed := len(args) - len(left); len(left) == 0 || parsed > 0 && args[parsed-1] == "--" {
			return append(arguments, left...), nil
		}
		arguments, args = append(arguments, left[0]), left[1:]
	}
	return arguments, nil
}

// wholeNumber returns a function that reads the value of a flag.
func wholeNumber(n *int) func(text string) error {
	return func(text string) (err error) {
		if *n, err = strconv.Atoi(text); err != nil {
			return errors.New("must be a whole number")
		}
		return nil
	}
}

func (c command) usage(w io.Writer, flags *flag.FlagSet) {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s\n", strings.Join(strings.Fields("portside "+c.name+" [flags] "+c.arguments), " "), c.help)
	hasFlags := false
	flags.VisitAll(func(f *flag.Flag) {
		if !hasFlags {
			b.WriteString("\nFlags:\n")
			hasFlags = true
		}
		placeholder, text := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "  %-28s %s\n", strings.TrimSpace("--"+f.Name+" "+placeholder), text)
	})
	_, _ = io.WriteString(w, b.String())
}

// singleLine returns the text of an error without line breaks.
func singleLine(err error) string { return strings.Join(strings.Fields(explain(err)), " ") }

// rejectArguments returns an error if a command that takes only flags has arguments.
func rejectArguments(arguments []string) error {
	if len(arguments) > 0 {
		return usageError(fmt.Sprintf("unexpected argument %q", arguments[0]))
	}
	return nil
}
