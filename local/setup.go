package main

import (
	"context"
	"os"

	"portside/local/stack"
)

func fetchCommand(ctx context.Context, args []string) error {
	o := stack.Options{Log: os.Stdout}
	if err := parse(flags("fetch", &o), args); err != nil {
		return err
	}
	_, err := o.Fetch(ctx, o.Log)
	return err
}

// setupCommand leaves nothing to fetch or to build to the next run: where there is no network then,
// or where the time counts.
func setupCommand(ctx context.Context, args []string) error {
	o := stack.Options{Log: os.Stdout}
	if err := parse(flags("setup", &o), args); err != nil {
		return err
	}
	return stack.Setup(ctx, o)
}
