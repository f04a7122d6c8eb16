// Command portside is the operator's command: it makes the first admin, imports users, repairs what is derived from
// them, sets rate limits, and puts tokens into secrets that are renewed by themselves. It works on the tables directly,
// with the operator's own AWS permissions, and so asks for no API key.
//
// Every subcommand may be stopped at any moment and run again: it finishes what is missing and repeats nothing. Results
// go to stdout, everything else to stderr. Exit codes: 0 done, 1 not or not wholly done, 2 not understood.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the first signal asks, the second one ends the process at once
	os.Exit(run(ctx, process{
		program: os.Args[0], args: os.Args[1:], lookup: os.LookupEnv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		now: time.Now,
	}))
}
