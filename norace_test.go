package portside_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestListedTestsExist checks .ci/norace, the list of tests that run without the race detector.
func TestListedTestsExist(t *testing.T) {
	list, err := os.ReadFile(".ci/norace")
	if err != nil {
		t.Fatal(err)
	}
	tests := testSources(t)
	for line := range strings.Lines(string(list)) {
		name, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !slices.Contains([]string{"browser", "processes", "sequential"}, reason) {
			t.Errorf("%s has no reason", name)
		}
		if !strings.Contains(tests, "\nfunc "+name+"(t *testing.T)") {
			t.Errorf("there is no test %s", name)
		}
	}
}

// TestRaceRunsTheTestOfDocuments checks the name in the Makefile, because `go test -run` passes if no test has the name.
func TestRaceRunsTheTestOfDocuments(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(makefile), "\nDOCUMENTS_RACE := ")
	name, _, _ := strings.Cut(rest, "\n")
	source, err := os.ReadFile("documents/concurrency_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if name == "" || !strings.Contains(string(source), "\nfunc "+name+"(t *testing.T)") {
		t.Errorf("documents/concurrency_test.go has no test %q", name)
	}
}

// testSources returns the sources of all tests.
func testSources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		all.Write(source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
