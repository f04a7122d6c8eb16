package recovery

import (
	"context"
	"flag"
	"fmt"

	"portside/cmd/portside/backup"
	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/dynamo/layout"
)

func checkLayoutCommand() operator.Command {
	return operator.Command{
		Name: "check-layout", Summary: "fail if this release must not use the data",
		Help: `Checks that all tables exist, and compares the layout of the data with the one that this
command was built for. Run it before you deploy the same release, also with --table-suffix
before you switch to other tables. The exit code is 3 if the layouts differ, or if a restore
into the tables is not complete. Every other command that uses the tables checks the layout
first.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			on := installation.NewTarget(flags)
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				opened, err := on.Open(ctx, p)
				if err != nil {
					return err
				}
				if err := checkTables(ctx, p, on, opened); err != nil {
					return operator.Interrupted(ctx, err)
				}
				_, err = fmt.Fprintf(p.Stdout, "this release can use the data (layout %d)\n", layout.Version)
				return err
			}
		},
	}
}

// checkTables fails if one of the tables that belong together is missing or not completely restored.
func checkTables(ctx context.Context, p operator.Process, on *installation.Target, opened *installation.Tables) error {
	all, err := on.AllTables(p, opened)
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
