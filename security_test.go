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
	defined := testsIn(t, ".")
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(readText(t, "docs", "security.md"), -1)
	if len(named) == 0 {
		t.Fatal("docs/security.md names no test")
	}
	for _, match := range named {
		if !defined[match[1]] {
			t.Errorf("docs/security.md names %s, which does not exist", match[1])
		}
	}
}

// TestSecurityDocumentNamesStoredMedia compares docs/security.md with the prefixes of the media bucket in the template, and with the quota
// of posted files.
func TestSecurityDocumentNamesStoredMedia(t *testing.T) {
	document := readText(t, "docs", "security.md")
	prefixes := regexp.MustCompile(`\$\{MediaBucket\.Arn\}/(\w+/)\*`).FindAllStringSubmatch(readText(t, "template.yaml"), -1)
	if len(prefixes) == 0 {
		t.Fatal("template.yaml has no prefix of the media bucket")
	}
	for _, match := range prefixes {
		if !strings.Contains(document, "\n| `"+match[1]+"` | ") {
			t.Errorf("docs/security.md does not say what the media bucket has in %s", match[1])
		}
	}
	quota := regexp.MustCompile(`maxStored = (\d)_(\d{3})\n`).FindStringSubmatch(readText(t, "shared", "media", "medias3", "forms.go"))
	if quota == nil {
		t.Fatal("forms.go has no maxStored")
	}
	for _, name := range []string{"security.md", "media.md"} {
		if !regexp.MustCompile(`\s` + quota[1] + "," + quota[2] + `\s+(posted )?files`).MatchString(readText(t, "docs", name)) {
			t.Errorf("docs/%s does not name the quota of %s,%s files", name, quota[1], quota[2])
		}
	}
}

func readText(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
