// Command portside is the operator's command. It creates the first admin, imports users, repairs
// derived data, sets rate limits, and stores tokens in secrets that are rotated automatically. It
// works directly on the tables with the operator's AWS permissions, so it does not need an API key.
//
// Every subcommand can be stopped at any time and run again. It then completes the work and repeats
// nothing; only demo-data does not continue. Results go to stdout, everything else to stderr. Exit
// codes: 0 success, 1 failure or partial failure, 2 invalid usage, 3 unusable data (another layout,
// or an incomplete restore).
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
	context.AfterFunc(ctx, stop) // the first signal cancels ctx, the second one kills the process
	os.Exit(run(ctx, process{
		program: os.Args[0], args: os.Args[1:], lookup: os.LookupEnv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		now: time.Now,
	}))
}
