package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestRevision(t *testing.T) {
	checkout := func(modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "1f3a9c07be24ad06bb1c6c6a2f2b5c1a8e7d9f03"}, {Key: "vcs.modified", Value: modified},
		}}
	}
	module := func(version string) *debug.BuildInfo { return &debug.BuildInfo{Main: debug.Module{Version: version}} }
	cases := map[string]struct {
		build *debug.BuildInfo
		want  string
	}{
		"a checkout":                {checkout("false"), "1f3a9c07be24"},
		"a checkout with changes":   {checkout("true"), "1f3a9c07be24, with changes"},
		"a module without a tag":    {module("v0.0.0-20261104101112-1f3a9c07be24"), "1f3a9c07be24"},
		"a module after a tag":      {module("v1.2.1-0.20261104101112-1f3a9c07be24"), "1f3a9c07be24"},
		"a module with changes":     {module("v1.2.1-0.20261104101112-1f3a9c07be24+dirty"), "1f3a9c07be24, with changes"},
		"a module with a tag":       {module("v1.2.0"), "v1.2.0"},
		"sources without a history": {module("(devel)"), "unknown"},
		"no build information":      {nil, "unknown"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := revisionOf(c.build); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestRevisionOfGoRun creates a checkout, because the sources of the test may have no history.
func TestRevisionOfGoRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	commands := [][]string{
		{"init", "-q"}, {"add", "."},
		{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "-m", "main: it exists"},
	}
	if err := os.WriteFile(file, []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range commands {
		if output, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, output)
		}
	}
	const built = "/tmp/go-build17/b001/exe/portside"
	clean := checkoutRevision(t.Context(), built, dir)
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(clean) {
		t.Errorf("the revision is %q", clean)
	}
	if err := os.WriteFile(file, []byte("package other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := checkoutRevision(t.Context(), built, dir); got != clean+", with changes" {
		t.Errorf("with changes, the revision is %q", got)
	}
	if got := checkoutRevision(t.Context(), "/usr/local/bin/portside", dir); got != unknownRevision {
		t.Errorf("an installed command, which can be older, has the revision %q", got)
	}
	got := checkoutRevision(t.Context(), built, t.TempDir())
	if got != unknownRevision || !strings.Contains(describe(got), "without the git history") {
		t.Errorf("sources without a history have the revision %q", got)
	}
}
