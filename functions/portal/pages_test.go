package main

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPagesImportNoOtherPages: modules that several pages need belong in components/ or core/.
func TestPagesImportNoOtherPages(t *testing.T) {
	foreign := regexp.MustCompile(`from "\.\./\w[^"]*"`)
	for name, module := range modules(t) {
		if found := foreign.FindString(module); found != "" && strings.HasPrefix(name, "pages/") {
			t.Errorf("%s imports %s of another page", name, found)
		}
	}
}

func TestLinesOfModulesAreShort(t *testing.T) {
	const limit = 150
	for name, module := range modules(t) {
		for line := range strings.Lines(module) {
			if utf8.RuneCountInString(line) > limit+1 {
				t.Errorf("%s has a line of more than %d characters: %s", name, limit, line)
			}
		}
	}
}

// modules returns all modules except the libraries and core/strings.js.
func modules(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(os.DirFS("web"), ".", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".js") && !strings.HasPrefix(name, "vendor/") && name != "core/strings.js" {
			found[name] = readModule(t, name)
		}
		return err
	})
	if err != nil || len(found) < 50 {
		t.Fatalf("found %d modules: %v", len(found), err)
	}
	return found
}

func readModule(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile("web/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
