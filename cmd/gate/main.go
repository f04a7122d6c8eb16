// Command gate selects, measures and repeats tests for the Makefile, .ci/tests and .ci/run. Its subcommands are
//
//	quick      check the packages that differ from a commit: format, lint, and the tests of them and of the packages that import them
//	race       write the list of the tests that run under the race detector, or print the packages of a module
//	measure    run a test binary for `go test -exec`, record the CPU time of its process tree, and kill processes that it leaves behind
//	retry      run the failed tests of a log again, to find those that fail by chance
//	budget     compare the recorded CPU times with .ci/budget.tsv
//
// It reads the tree itself, instead of running `go list`, because that takes seconds for each module.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
)

// errFailed ends the command after it has printed the problem.
var errFailed = errors.New("failed")

func main() {
	commands := map[string]func([]string) error{"quick": quick, "race": race, "measure": measure, "retry": retry, "budget": budget}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: gate quick | race | measure | retry | budget; -h lists the flags; the Makefile and .ci/run call it")
		os.Exit(2)
	}
	err := commands[os.Args[1]](os.Args[2:])
	if exit, isExit := errors.AsType[exitCode](err); isExit {
		os.Exit(int(exit))
	}
	if err != nil {
		if !errors.Is(err, errFailed) {
			fmt.Fprintln(os.Stderr, "gate:", strings.TrimSpace(err.Error()))
		}
		os.Exit(1)
	}
}

// exitCode is the exit code of another program, which the command exits with, too.
type exitCode int

// Error implements error.
func (c exitCode) Error() string { return fmt.Sprint("exit code ", int(c)) }

// newFlags returns the flags of a subcommand, and its flag for the root folder of the project.
func newFlags(name string) (set *flag.FlagSet, root *string) {
	set = flag.NewFlagSet("gate "+name, flag.ExitOnError)
	return set, set.String("root", ".", "`folder` of the project")
}
