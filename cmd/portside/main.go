// Command portside is the command line of Portside. Its commands for every day (the package cli) call the API of any deployment
// with an API key. Those for operators create the first admin, import users, repair derived data, set rate limits, and store tokens in
// secrets that are rotated automatically. They work directly on the tables with the operator's AWS permissions, so they need no API key.
//
// Every command for operators can be stopped at any time and run again. It then completes the work and repeats nothing; only
// demo-data does not continue. Results go to stdout, everything else to stderr. Exit codes: 0 success, 1 failure or partial failure,
// 2 invalid usage, 3 unusable data (another layout, or an incomplete restore), 130 stopped by Ctrl-C.
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
		now: time.Now, configDir: os.UserConfigDir,
	}))
}
