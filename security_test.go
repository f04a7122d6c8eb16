package portside_test

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityDocumentNamesTests looks for each test that docs/security.md names.
func TestSecurityDocumentNamesTests(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	defined := testsIn(t, ".")
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) == 0 {
		t.Fatal("docs/security.md names no test")
	}
	for _, match := range named {
		if !defined[match[1]] {
			t.Errorf("docs/security.md names %s, which does not exist", match[1])
		}
	}
}

// testsIn returns the names of all tests in a folder, alone and behind the path of their package, which is portside at the root.
func testsIn(t *testing.T, root string) map[string]bool {
	t.Helper()
	definition := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, match := range definition.FindAllStringSubmatch(string(text), -1) {
			found[match[1]] = true
			found[cmp.Or(strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "."), "portside")+"."+match[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
