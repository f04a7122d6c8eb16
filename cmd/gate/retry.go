package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// retry runs the failed tests of a log of go test again, and says which of them fail by chance. It always fails: a test
// that passes the second time has failed, too.
func retry(args []string) error {
	set, root := newFlags("retry")
	log := set.String("log", "", "`file` with the output of go test")
	if err := set.Parse(args); err != nil {
		return err
	}
	file, err := os.Open(*log)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	failed, err := readFailures(file)
	if err != nil {
		return err
	}
	p, err := openProject(*root)
	if err != nil {
		return err
	}
	for _, each := range failed {
		if dir := p.packages[each.dir]; dir != nil {
			each.again(*root, dir)
		}
	}
	return errFailed
}

// failure is a package with failed tests. Without tests, the package did not build, or its binary ended in another way.
type failure struct {
	dir    string
	tests  []string // of the top level
	isRace bool     // the race detector reported something
}

// failureLine matches the lines of a failed test of the top level, and of its package. A package can also fail outside
// its tests, for example because it leaves processes.
var failureLine = regexp.MustCompile(`^(?:--- FAIL: (\w+) \(|FAIL\tportside(?:/(\S+))?)`)

// readFailures reads the failed packages. go test prints the tests of a package, and then the package.
func readFailures(log io.Reader) ([]failure, error) {
	var all []failure
	var now failure
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 64<<20) // tests print responses on one line
	for lines.Scan() {
		line := lines.Text()
		now.isRace = now.isRace || strings.HasPrefix(line, "WARNING: DATA RACE")
		found := failureLine.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "ok  \t"):
			now = failure{}
		case found == nil:
		case found[1] != "":
			now.tests = append(now.tests, found[1])
		default:
			now.dir = found[2]
			if now.dir == "" {
				now.dir = "."
			}
			all, now = append(all, now), failure{}
		}
	}
	return all, lines.Err()
}

// again runs the failed tests once more, and prints what that says about them.
func (f failure) again(root string, p *goPackage) {
	if len(f.tests) == 0 {
		_, _ = fmt.Fprintf(os.Stdout, "not repeated: %s failed outside its tests\n", f.dir)
		return
	}
	args := []string{"test", "-count=1", "-timeout=40m"}
	environment := os.Environ()
	if f.isRace {
		args, environment = append(args, "-race"), append(environment, "CGO_ENABLED=1")
	}
	args = append(args, "-run", "^("+strings.Join(slices.Compact(f.tests), "|")+")$")
	command := exec.Command("go", append(args, p.pattern())...)
	command.Dir, command.Env = filepath.Join(root, p.module), environment
	output, err := command.CombinedOutput()
	what := strings.Join(f.tests, ", ") + " of " + f.dir
	if err == nil {
		_, _ = fmt.Fprintf(os.Stdout,
			"PASSED THE SECOND TIME: %s. It fails by chance, which is a defect of the test or of the code. SEED=%s\n",
			what, os.Getenv("SEED"))
		return
	}
	_, _ = fmt.Fprintf(os.Stdout, "failed again: %s. SEED=%s\n%s", what, os.Getenv("SEED"), tail(output, 4000))
}

func tail(text []byte, length int) []byte { return text[max(0, len(text)-length):] }
