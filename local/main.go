// Command local runs Portside on this machine, without Docker or an AWS account.
//
// Like AWS, it knows the functions only from template.yaml and the binaries that the Makefile
// builds. The Makefile calls it. Its subcommands are
//
//	run     start everything and serve until Ctrl-C
//	invoke  invoke a function with one event, on the running stack or on a temporary one
//	arm64   let each function, built for AWS, answer an event in an emulator
//	rotate  rotate the token in a secret of the running stack
//	demo    publish an example chart and images on the running stack
//	fetch   download the DynamoDB engine
//	setup   download and build everything that run needs, and exit
//	check   check the parameters of a deployment against the template
//	secrets serve only Secrets Manager, for tests
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"portside/local/process"
)

// Exit codes.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	commands := map[string]func(context.Context, []string) error{
		"run":     runCommand,
		"invoke":  invokeCommand,
		"arm64":   arm64Command,
		"rotate":  rotateCommand,
		"demo":    demoCommand,
		"fetch":   fetchCommand,
		"setup":   setupCommand,
		"check":   checkCommand,
		"secrets": secretsCommand,
	}
	if len(args) == 0 || commands[args[0]] == nil {
		fmt.Fprintln(os.Stderr, "usage: local run | invoke | arm64 | rotate | demo | fetch | setup | check | secrets; "+
			"-h lists the flags; most users call `make run`")
		return exitUsage
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go handleSignals(cancel)
	err := commands[args[0]](ctx, args[1:])
	switch {
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, errUsage):
		return exitUsage
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return exitFailure
	}
	return 0
}

// handleSignals shuts the command down gracefully on the first Ctrl-C and exits on the second.
func handleSignals(cancel context.CancelFunc) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	<-signals
	cancel()
	<-signals
	process.KillAll()
	os.Exit(exitInterrupted)
}
