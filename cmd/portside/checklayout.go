package main

import (
	"context"
	"flag"
	"fmt"

	"portside/shared/dynamo/layout"
)

func checkLayoutCommand() command {
	return command{
		name: "check-layout", summary: "fail if this release must not use the data",
		help: `Compares the layout of the data with the one that this command was built for. Run it
before you deploy the same release. The exit code is 3 if the layouts differ, or if a restore
into the tables is not complete. Every other command that uses the tables makes the same
check first.`,
		prepare: func(flags *flag.FlagSet) action {
			on := newTarget(flags)
			return func(ctx context.Context, p process, arguments []string) error {
				if err := rejectArguments(arguments); err != nil {
					return err
				}
				if _, err := on.open(ctx, p); err != nil {
					return err
				}
				_, err := fmt.Fprintf(p.stdout, "this release can use the data (layout %d)\n", layout.Version)
				return err
			}
		},
	}
}
