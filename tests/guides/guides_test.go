// Package guides_test follows the guides in docs/guides. In a copy of the project, it applies each diff and runs each
// block of the kind sh. So a change of the code that makes a guide wrong fails.
package guides_test

import (
	"cmp"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// copied returns the files and folders that the guides change and that their commands read.
func copied() []string {
	return []string{
		"client", "cmd", "docs", "documents", "events", "functions", "go.mod", "go.sum", "local/e2e/api", "openapi.yaml", "settings", "shared",
		"template.yaml", "testclient", "tests/rules",
	}
}

func TestGuides(t *testing.T) {
	names, err := filepath.Glob(root + "/docs/guides/*.md")
	if err != nil || len(names) < 2 {
		t.Fatalf("found the guides %v: %v", names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if steps := blocks(string(text)); len(steps) > 0 {
			t.Run(filepath.Base(name), func(t *testing.T) { follow(t, steps) })
		}
	}
}

// block is a part of a guide that is not prose.
type block struct{ kind, text string }

// blocks returns the blocks of the kinds diff and sh, in their order.
func blocks(guide string) []block {
	var found []block
	var open *block
	for line := range strings.Lines(guide) {
		kind, isFence := strings.CutPrefix(strings.TrimRight(line, "\n"), "```")
		switch {
		case isFence && open == nil:
			open = &block{kind: kind}
		case isFence:
			if open.kind == "diff" || open.kind == "sh" {
				found = append(found, *open)
			}
			open = nil
		case open != nil:
			open.text += line
		}
	}
	return found
}

// follow follows the steps of a guide until one fails.
func follow(t *testing.T, steps []block) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range copied() {
		copyTo(t, filepath.Join(dir, name), filepath.Join(root, name))
	}
	for _, step := range steps {
		if step.kind == "sh" {
			if output, err := run(t, dir, exec.CommandContext(t.Context(), "bash", "-ec", step.text)); err != nil {
				t.Fatalf("%v\n%s%s", err, step.text, output)
			}
			continue
		}
		apply := exec.CommandContext(t.Context(), "git", "apply", "--reject", "--whitespace=nowarn", "-")
		apply.Stdin = strings.NewReader(step.text)
		if output, err := run(t, dir, apply); err != nil {
			t.Fatalf("the code has changed where the guide has these hunks; change its diff, too: %v\n%s", err, cmp.Or(rejected(t, dir), output))
		}
	}
}

func copyTo(t *testing.T, to, from string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else {
		text, readErr := os.ReadFile(from)
		if err = readErr; err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a command in a copy of the project. It uses the build cache of this test, so it compiles only the packages
// that a guide changes and their importers. git must not find a repository around the copy.
func run(t *testing.T, dir string, cmd *exec.Cmd) (string, error) {
	t.Helper()
	engine, err := filepath.Abs(root + "/.local/bin/dynoxide")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "DYNOXIDE="+engine, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GOPROXY=off", "GOWORK=off",
		"GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -vet=off"))
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// rejected returns the hunks that git could not apply.
func rejected(t *testing.T, dir string) string {
	t.Helper()
	var hunks strings.Builder
	err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".rej" {
			return err
		}
		text, err := os.ReadFile(name)
		hunks.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hunks.String()
}
