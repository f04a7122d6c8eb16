// Command local runs Portside on this machine, without Docker and without an AWS account.
//
// It knows the functions only by template.yaml and by the binaries that the Makefile builds, as AWS
// does. make calls it; its subcommands are
//
//	run     start everything and serve until Ctrl-C
//	invoke  run one event of one function, on the stack that runs or on one made for it
//	rotate  renew the token in a secret of the stack that runs
//	demo    publish an example chart and images on the stack that runs
//	fetch   download the DynamoDB engine
//	setup   fetch and build all that run would, and end
//	secrets serve Secrets Manager alone, for tests
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Exit codes as shells know them.
const (
	failed      = 1
	misused     = 2
	interrupted = 130
)

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	commands := map[string]func(context.Context, []string) error{
		"run":     runCommand,
		"invoke":  invokeCommand,
		"rotate":  rotateCommand,
		"demo":    demoCommand,
		"fetch":   fetchCommand,
		"setup":   setupCommand,
		"secrets": secretsCommand,
	}
	if len(args) == 0 || commands[args[0]] == nil {
		fmt.Fprintln(os.Stderr, "usage: local run | invoke | rotate | demo | fetch | setup | secrets; -h shows flags; `make run` is usual")
		return misused
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go obey(cancel)
	err := commands[args[0]](ctx, args[1:])
	switch {
	case errors.Is(err, context.Canceled):
		return interrupted
	case errors.Is(err, errUsage):
		return misused
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return failed
	}
	return 0
}

// obey ends the command at the first Ctrl-C in good order, and at the second at once: the kernel
// then ends the children.
func obey(end context.CancelFunc) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	<-signals
	end()
	<-signals
	os.Exit(interrupted)
}
