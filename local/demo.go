package main

import (
	"context"
	"os"

	"portside/local/demo"
	"portside/local/stack"
)

// demoCommand publishes example data on the stack that runs on the data folder. The address only
// guards against the wrong stack.
func demoCommand(ctx context.Context, args []string) error {
	var o stack.Options
	set := newFlagSet("demo", &o)
	addr := set.String("addr", "", "`address` that the stack must serve; empty: any")
	if err := parseFlags(set, args); err != nil {
		return err
	}
	return demo.Run(ctx, demo.Options{Repo: o.RepoDir, Data: o.Data(), Addr: *addr, Out: os.Stdout})
}
