package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// raceFile lists what `.ci/run` runs under the race detector: a package on each line, and if only some of its tests
// start goroutines, their names. It is generated, so that a review shows what changes. It leaves out t.Parallel and the
// handlers of httptest servers, which only the nightly run covers.
const raceFile = ".ci/race"

// raceList returns the lines of raceFile.
func (p *project) raceList() string {
	var list strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(p.packages)) {
		if runs, some := p.packages[dir].raceTests(); runs {
			fmt.Fprintln(&list, strings.Join(append([]string{dir}, some...), " "))
		}
	}
	return list.String()
}

// race prints the packages of a module that have tests, or writes the list.
func race(args []string) error {
	set, root := newFlags("race")
	write := set.Bool("write", false, "write "+raceFile)
	module := set.String("module", "", "print the packages of the module in this `folder`, as arguments of go test")
	kind := set.String("kind", "all",
		"with -module, print packages with tests under the race detector: race; with others: plain; all")
	only := set.String("only", "", "with -module, print only packages in or below this `folder`")
	except := set.String("except", "", "with -module, leave out the packages in or below this `folder`")
	if err := set.Parse(args); err != nil {
		return err
	}
	if !*write && *module == "" {
		return errors.New("race: pass -write or -module")
	}
	p, err := openProject(*root)
	if err != nil {
		return err
	}
	if *write {
		return os.WriteFile(filepath.Join(*root, raceFile), []byte(p.raceList()), 0o644)
	}
	// gate measure selects tests by this file, so it must match the code.
	if written, err := os.ReadFile(filepath.Join(*root, raceFile)); *kind != "all" &&
		(err != nil || string(written) != p.raceList()) {
		return fmt.Errorf("%s is out of date: run make generate", raceFile)
	}
	var chosen []string
	for dir, each := range p.packages {
		isChosen := each.hasTests && each.module == *module && isBelow(dir, *only) &&
			(*except == "" || !isBelow(dir, *except))
		runs, some := each.raceTests()
		isKind := *kind == "all" || *kind == "race" && runs || *kind == "plain" && (!runs || len(some) > 0)
		if isChosen && isKind {
			chosen = append(chosen, each.pattern())
		}
	}
	slices.Sort(chosen)
	_, err = fmt.Fprintln(os.Stdout, strings.Join(chosen, " "))
	return err
}

// selectTests returns an argument for the test binary of a package in which only some tests run under the race
// detector: with kind race it runs these, and with kind plain all others. For other packages and kinds it returns none.
func selectTests(root, dir, kind string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(root, raceFile))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != dir {
			continue
		}
		names := "^(" + strings.Join(fields[1:], "|") + ")$"
		switch kind {
		case "race":
			return []string{"-test.run=" + names}, nil
		case "plain":
			return []string{"-test.skip=" + names}, nil
		}
	}
	return nil, nil
}

// isBelow reports whether a folder is another folder or below it. All folders are below an empty one.
func isBelow(dir, other string) bool {
	return other == "" || dir == other || strings.HasPrefix(dir, other+"/")
}
