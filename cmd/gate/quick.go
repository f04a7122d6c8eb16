package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// targets are the targets of the Makefile that check files other than Go's, by the beginning of their paths.
var targets = map[string]string{
	"functions/portal/types/": "portal-types",
	"functions/portal/web/":   "portal-types",
	"template.yaml":           "lint-template",
	"openapi.yaml":            "lint-openapi",
	".ci/deploy":              "check-deploy",
}

// quick checks what differs from a commit: the format and the lint of the packages, and the tests of them and of those
// that import them. It leaves the tests of importers with a line in the budget to .ci/run.
func quick(args []string) error {
	set, root := newFlags("quick")
	base := set.String("base", "HEAD", "`commit` to compare the files with")
	linter := set.String("linter", "golangci-lint", "golangci-lint `program`")
	if err := set.Parse(args); err != nil {
		return err
	}
	files, err := changedFiles(*root, *base)
	if err != nil {
		return err
	}
	p, err := openProject(*root)
	if err != nil {
		return err
	}
	allowed, err := readBudget(*root)
	if err != nil {
		return err
	}
	isExpensive := func(dir string) bool { return allowed[dir] > 0 }
	steps, touched, left := p.quickSteps(files, *linter, isExpensive)
	if len(steps) == 0 {
		_, err := fmt.Fprintf(os.Stdout, "no checked file differs from %s; BASE=… compares with another commit\n", *base)
		return err
	}
	if _, err := fmt.Fprintf(os.Stdout, "differs from %s: %s\n", *base, strings.Join(touched, " ")); err != nil {
		return err
	}
	if len(left) > 0 {
		const message = "not tested here, because their tests take long (make test runs them): %s\n"
		if _, err := fmt.Fprintf(os.Stdout, message, strings.Join(left, " ")); err != nil {
			return err
		}
	}
	return runSteps(*root, steps)
}

// step is a command in a folder of the project.
type step struct {
	dir     string
	command []string
}

// String implements fmt.Stringer.
func (s step) String() string {
	return s.dir + ": " + strings.Join(append([]string{filepath.Base(s.command[0])}, s.command[1:]...), " ")
}

// quickSteps returns two lists of steps, which can run at the same time, the folders of the packages with the files,
// and those of the importers that it leaves out.
func (p *project) quickSteps(files []string, linter string, isExpensive func(dir string) bool) (steps [][]step, touched, left []string) {
	found := map[string]bool{}
	var goFiles, removed []string
	for _, file := range files {
		if dir := p.packageOf(file); dir != "" {
			found[dir] = true
		}
		if dir := path.Dir(file); filepath.Ext(file) == ".go" && p.packages[dir] == nil {
			removed = append(removed, dir)
		}
		if _, err := fs.Stat(p.tree, file); err == nil && filepath.Ext(file) == ".go" &&
			!strings.Contains(file, "testdata/") {
			goFiles = append(goFiles, file)
		}
	}
	touched = slices.Sorted(maps.Keys(found))
	var static []step
	if len(goFiles) > 0 {
		static = append(static, step{".", append([]string{"gofmt", "-d"}, goFiles...)})
	}
	linted := p.byModule(touched)
	for _, module := range slices.Sorted(maps.Keys(linted)) {
		static = append(static, step{module, append([]string{linter, "run"}, linted[module]...)})
	}
	tests, left := p.testSteps(touched, removed, isExpensive)
	needed := map[string]bool{}
	for start, target := range targets {
		needed[target] = needed[target] || slices.ContainsFunc(files, func(file string) bool { return strings.HasPrefix(file, start) })
	}
	for _, target := range slices.Sorted(maps.Keys(needed)) {
		if needed[target] {
			static = append(static, step{".", []string{"make", "--no-print-directory", target}})
		}
	}
	for _, list := range [][]step{static, tests} {
		if len(list) > 0 {
			steps = append(steps, list)
		}
	}
	return steps, touched, left
}

// testSteps returns the steps that test packages and their importers, and the importers that it leaves out, because
// their tests are expensive. It adds those of the rules, which hold in all packages.
func (p *project) testSteps(touched, removed []string, isExpensive func(dir string) bool) (steps []step, left []string) {
	var chosen []string
	for _, dir := range p.importers(slices.Concat(touched, removed)) {
		if isExpensive(dir) && !slices.Contains(touched, dir) {
			left = append(left, dir)
		} else {
			chosen = append(chosen, dir)
		}
	}
	if len(chosen) > 0 && p.packages[rules] != nil && !slices.Contains(chosen, rules) {
		chosen = append(chosen, rules)
	}
	tested := p.byModule(chosen)
	for _, module := range slices.Sorted(maps.Keys(tested)) {
		command := []string{"go", "test"}
		if module == "local" || module == "harness" { // they read files outside their modules, which the cache does not watch
			command = append(command, "-count=1")
		}
		steps = append(steps, step{module, append(command, tested[module]...)})
	}
	return steps, left
}

// changedFiles returns the files that differ from a commit, also new ones.
func changedFiles(root, base string) ([]string, error) {
	verify := exec.Command("git", "rev-parse", "--verify", "--quiet", "--end-of-options", base+"^{commit}")
	verify.Dir = root
	if _, err := verify.Output(); err != nil {
		return nil, fmt.Errorf("git finds no commit %q; set BASE to one, such as main or HEAD~1", base)
	}
	var all []string
	for _, args := range [][]string{
		{"diff", "--name-only", "--no-renames", "-z", base}, {"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		command := exec.Command("git", args...)
		command.Dir = root
		output, err := command.Output()
		if exit, isExit := errors.AsType[*exec.ExitError](err); isExit {
			return nil, fmt.Errorf("git %s: %s", strings.Join(args, " "), bytes.TrimSpace(exit.Stderr))
		}
		if err != nil {
			return nil, err
		}
		for name := range strings.SplitSeq(strings.TrimRight(string(output), "\x00"), "\x00") {
			if name != "" {
				all = append(all, name)
			}
		}
	}
	return all, nil
}

// runSteps runs the lists of steps at the same time, and prints the output of each step when it ends.
func runSteps(root string, lists [][]step) error {
	var running sync.WaitGroup
	var printing sync.Mutex
	failed := make([]error, len(lists))
	for i, list := range lists {
		running.Go(func() {
			for _, each := range list {
				start := time.Now()
				output, err := each.run(root)
				printing.Lock()
				_, _ = fmt.Fprintf(os.Stdout, "%s after %.1f s", each, time.Since(start).Seconds())
				printOutcome(os.Stdout, output, err)
				printing.Unlock()
				if err != nil {
					failed[i] = errFailed
				}
			}
		})
	}
	running.Wait()
	return errors.Join(failed...)
}

func (s step) run(root string) (output []byte, err error) {
	command := exec.Command(s.command[0], s.command[1:]...)
	command.Dir = filepath.Join(root, s.dir)
	output, err = command.CombinedOutput()
	if s.command[0] == "gofmt" && len(output) > 0 { // gofmt -d succeeds
		err = errFailed
	}
	return output, err
}

func printOutcome(w io.Writer, output []byte, err error) {
	if err == nil {
		_, _ = fmt.Fprintln(w, ": ok")
		return
	}
	if len(output) == 0 { // the program did not start
		output = fmt.Appendln(nil, err)
	}
	_, _ = fmt.Fprintf(w, ": FAILED\n%s", output)
}
