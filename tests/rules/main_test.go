// Package rules_test checks what the compiler does not: which package may import which, that names agree between template.yaml, functions/
// and events/, which writes have conditions, what the template grants, and which tests prove what the documents claim.
//
// Most checks are functions of a file system, so that a test can break each rule in a small tree. They parse the sources instead of
// running `go list`: the test cache tracks only the files that the test itself opens, so with a child process a cached "ok" would hide a
// new import.
package rules_test

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests in the root of the project, from which their paths begin.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
