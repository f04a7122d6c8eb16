package main

import (
	"context"
	"flag"
	"fmt"

	"portside/cmd/portside/backup"
	"portside/shared/dynamo/layout"
)

func checkLayoutCommand() command {
	return command{
		name: "check-layout", summary: "fail if this release must not use the data",
		help: `Checks that all tables exist, and compares the layout of the data with the one that this
command was built for. Run it before you deploy the same release, also with --table-suffix
before you switch to other tables. The exit code is 3 if the layouts differ, or if a restore
into the tables is not complete. Every other command that uses the tables checks the layout
first.`,
		prepare: func(flags *flag.FlagSet) action {
			on := newTarget(flags)
			return func(ctx context.Context, p process, arguments []string) error {
				if err := rejectArguments(arguments); err != nil {
					return err
				}
				opened, err := on.open(ctx, p)
				if err != nil {
					return err
				}
				if err := checkTables(ctx, p, on, opened); err != nil {
					return interrupted(ctx, err)
				}
				_, err = fmt.Fprintf(p.stdout, "this release can use the data (layout %d)\n", layout.Version)
				return err
			}
		},
	}
}

// checkTables fails if one of the tables that belong together is missing or not completely restored.
func checkTables(ctx context.Context, p process, on *target, opened *tables) error {
	all, err := on.allTables(p, opened)
	if err != nil {
		return err
	}
	for _, table := range all {
		if err := backup.CheckComplete(ctx, table.Client, table.Table); err != nil {
			return fmt.Errorf("the table %s: %w", table.Table, err)
		}
	}
	return nil
}
