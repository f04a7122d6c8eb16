package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// process is what a command gets from the world, and what a test replaces.
type process struct {
	program string   // as the operator called it, for hints that can be copied
	args    []string // without the program's name
	lookup  func(name string) (string, bool)
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	now     func() time.Time
}

// say writes a line for the operator, apart from results. What cannot be shown has nowhere else to go.
func (p process) say(format string, args ...any) {
	_, _ = fmt.Fprintf(p.stderr, format+"\n", args...)
}

// command is one subcommand.
type command struct {
	name      string
	arguments string // as shown behind the name
	summary   string // one line
	help      string // what -h says beyond the flags
	prepare   func(flags *flag.FlagSet) action
}

// action runs a command once its flags are parsed; arguments are those that are no flags.
type action func(ctx context.Context, p process, arguments []string) error

// usageError says that a command line was not understood.
type usageError string

func (e usageError) Error() string { return string(e) }

func commands() []command {
	return []command{
		bootstrapCommand(), importCommand(), rebuildCommand(), reconcileCommand(), reindexCommand(), rateLimitCommand(),
		manageTokenCommand(), demoCommand(), versionCommand(),
	}
}

// run runs the command that the arguments name, tells an error in one line, and returns the exit code.
func run(ctx context.Context, p process) int {
	name, rest := "help", p.args
	if len(p.args) > 0 {
		name, rest = p.args[0], p.args[1:]
	}
	switch name {
	case "help", "-h", "-help", "--help":
		return help(ctx, p, rest)
	}
	for _, c := range commands() {
		if c.name == name {
			return c.run(ctx, p, rest)
		}
	}
	p.say("portside: there is no command %q; `%s help` lists them", name, p.program)
	return exitUsage
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
		err = act(ctx, p, arguments)
	}
	if err == nil {
		return exitDone
	}
	if asked, isUsage := errors.AsType[usageError](err); isUsage {
		p.say("portside %s: %s; `%s %s -h` explains", c.name, asked, p.program, c.name)
		return exitUsage
	}
	p.say("portside %s: %s", c.name, oneLine(err))
	return exitFailed
}

// parse takes flags before, between and after the arguments, and everything after -- as arguments.
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

// help shows the list of commands, or one command's usage.
func help(ctx context.Context, p process, names []string) int {
	for _, c := range commands() {
		if len(names) > 0 && c.name == names[0] {
			return c.run(ctx, p, []string{"-h"})
		}
	}
	var b strings.Builder
	b.WriteString("portside is the operator's command of Portside.\n\nUsage: portside <command> [flags]\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-16s %s\n", c.name, c.summary)
	}
	b.WriteString("\n`portside <command> -h` explains a command. " + settingsHelp)
	_, _ = io.WriteString(p.stdout, b.String())
	return exitDone
}

func (c command) usage(w io.Writer, flags *flag.FlagSet) {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s\n", strings.Join(strings.Fields("portside "+c.name+" [flags] "+c.arguments), " "), c.help)
	flagged := false
	flags.VisitAll(func(f *flag.Flag) {
		if !flagged {
			b.WriteString("\nFlags:\n")
			flagged = true
		}
		placeholder, text := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "  %-28s %s\n", strings.TrimSpace("--"+f.Name+" "+placeholder), text)
	})
	_, _ = io.WriteString(w, b.String())
}

// oneLine is an error's text without line breaks.
func oneLine(err error) string { return strings.Join(strings.Fields(explain(err)), " ") }

// noArguments refuses arguments where a command takes flags only.
func noArguments(arguments []string) error {
	if len(arguments) > 0 {
		return usageError(fmt.Sprintf("%q is not expected here", arguments[0]))
	}
	return nil
}
