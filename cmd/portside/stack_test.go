package main

import (
	"testing"

	"portside/cmd/portside/portsidetest"
)

// newStack returns a stack that runs all commands.
func newStack(t *testing.T) *portsidetest.Stack {
	t.Helper()
	o := portsidetest.New(t)
	o.Main = run
	return o
}

// newAnalytics returns a stack with all tables that runs all commands.
func newAnalytics(t *testing.T) *portsidetest.Analytics {
	t.Helper()
	a := portsidetest.NewAnalytics(t)
	a.Main = run
	return a
}
