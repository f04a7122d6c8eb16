// Package operator is the frame of the commands for operators: how they parse their flags, report their errors and end.
package operator

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"portside/cmd/portside/backup"
	"portside/cmd/portside/cli"
	"portside/shared/core/audit"
	"portside/shared/dynamo/layout"
)

// Exit codes.
const (
	ExitDone     = 0
	ExitFailed   = 1
	ExitUsage    = 2
	ExitUnusable = 3 // the data has a layout that this release does not know, or an incomplete restore

	ExitInterrupted = 130 // stopped by Ctrl-C, as shells report it
)

// Process is the environment of a command. Tests replace it.
type Process struct {
	Program   string   // the path that the operator used, for hints that can be copied
	Args      []string // without the program name
	Lookup    func(name string) (string, bool)
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer
	Now       func() time.Time
	ConfigDir func() (string, error) // the folder of the user's settings
}

// Report writes a line for the operator to stderr, apart from the results. It ignores errors,
// because it could report them only to stderr.
func (p Process) Report(format string, args ...any) {
	_, _ = fmt.Fprintf(p.Stderr, format+"\n", args...)
}

// Command is a subcommand for operators. Those for every day are in the package cli.
type Command struct {
	Name      string
	Arguments string // shown after the name in the usage line
	Summary   string // one line
	Help      string // the text of -h above the flags
	Prepare   func(flags *flag.FlagSet) Action
}

// Action runs a command with its parsed flags. The arguments do not include flags.
type Action func(ctx context.Context, p Process, arguments []string) error

// UsageError means that the command line is invalid.
type UsageError = cli.UsageError

// Run parses the flags, runs the command, reports an error in one line, and returns the exit code.
func (c Command) Run(ctx context.Context, p Process, args []string) int {
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	act := c.Prepare(flags)
	arguments, err := parse(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		c.usage(p.Stdout, flags)
		return ExitDone
	}
	if err == nil {
		err = act(asOperator(ctx, p), p, arguments)
	}
	if err == nil {
		return ExitDone
	}
	if invalid, isUsage := errors.AsType[UsageError](err); isUsage {
		p.Report("portside %s: %s; see `%s %s -h`", c.Name, invalid, p.Program, c.Name)
		return ExitUsage
	}
	p.Report("portside %s: %s", c.Name, SingleLine(err))
	if IsInterrupted(ctx, err) {
		return ExitInterrupted
	}
	if errors.Is(err, layout.ErrUnknown) || errors.Is(err, backup.ErrIncomplete) {
		return ExitUnusable
	}
	return ExitFailed
}

// asOperator returns a context whose changes the audit log shows as those of the operator with this account on this
// computer.
func asOperator(ctx context.Context, p Process) context.Context {
	account, _ := p.Lookup("USER")
	return audit.WithActor(ctx, audit.Actor{Kind: audit.Operator, Name: account})
}

func (c Command) usage(w io.Writer, flags *flag.FlagSet) {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s\n", strings.Join(strings.Fields("portside "+c.Name+" [flags] "+c.Arguments), " "), c.Help)
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
