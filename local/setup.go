package main

import (
	"context"
	"os"

	"portside/local/stack"
)

func fetchCommand(ctx context.Context, args []string) error {
	o := stack.Options{Log: os.Stdout}
	if err := parseFlags(newFlagSet("fetch", &o), args); err != nil {
		return err
	}
	_, err := o.Fetch(ctx, o.Log)
	return err
}

// setupCommand prepares a run without network access or without time for builds.
func setupCommand(ctx context.Context, args []string) error {
	o := stack.Options{Log: os.Stdout}
	if err := parseFlags(newFlagSet("setup", &o), args); err != nil {
		return err
	}
	return stack.Setup(ctx, o)
}
