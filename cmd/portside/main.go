// Command portside is the command line of Portside. Its commands for every day (the package cli) call the API of any
// deployment with an API key. Those for operators create the first admin, import users, repair derived data, set rate
// limits, and store tokens in secrets that are rotated automatically. They work directly on the tables with the
// operator's AWS permissions, so they need no API key.
//
// Each group of them has a package (access, importusers, repair, …), which depends on the packages operator and
// installation, but not on other groups.
//
// Every command for operators can be stopped at any time and run again. It then completes the work and repeats nothing;
// only demo-data does not continue. Results go to stdout, everything else to stderr. Exit codes: 0 success, 1 failure
// or partial failure, 2 invalid usage, 3 unusable data (another layout, or an incomplete restore), 130 stopped by
// Ctrl-C.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"portside/cmd/portside/operator"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the first signal cancels ctx, the second one kills the process
	os.Exit(run(ctx, operator.Process{
		Program: os.Args[0], Args: os.Args[1:], Lookup: os.LookupEnv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Now: time.Now, ConfigDir: os.UserConfigDir,
	}))
}
