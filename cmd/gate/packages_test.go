package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// tree returns a project with two modules: "." with the packages a, which b imports, and b, which only c's test
// imports; and local.
func tree() fs.FS {
	files := map[string]string{
		"go.mod": "module portside\n", "local/go.mod": "module portside/local\n",
		"a/a.go": "package a\nimport \"portside/gone\"", "a/a_test.go": "package a", "a/testdata/x.go": "not Go",
		"b/b.go": "package b\nimport \"portside/a\"", "b/b_test.go": "package b\nfunc f() { go f() }",
		"c/c.go": "package c", "c/c_test.go": "package c\nimport \"portside/b\"",
		"local/e/e.go": "package e\nimport \"portside/a\"", "local/e/web/x.js": "",
	}
	made := fstest.MapFS{}
	for name, text := range files {
		made[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return made
}

func readTree(t *testing.T) *project {
	t.Helper()
	p, err := readProject(tree())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestImportersOfPackages(t *testing.T) {
	p := readTree(t)
	for touched, want := range map[string]string{"a": "a b local/e", "b": "b c", "c": "c", "local/e": "local/e"} {
		if got := strings.Join(p.importers([]string{touched}), " "); got != want {
			t.Errorf("importers of %s: %s, want %s", touched, got, want)
		}
	}
}

func TestPackagesOfFiles(t *testing.T) {
	p := readTree(t)
	for file, want := range map[string]string{
		"a/a.go": "a", "a/testdata/x.go": "a", "local/e/web/x.js": "local/e", "local/go.mod": "", "go.mod": "", "docs/x.md": "",
	} {
		if got := p.packageOf(file); got != want {
			t.Errorf("%s belongs to %q, want %q", file, got, want)
		}
	}
	patterns := p.byModule([]string{"a", "local/e"})
	if !slices.Equal(patterns["."], []string{"./a"}) || !slices.Equal(patterns["local"], []string{"./e"}) {
		t.Errorf("patterns %v", patterns)
	}
}

func TestGoroutinesAreFound(t *testing.T) {
	for source, want := range map[string]bool{
		"func f() { go f() }":                          true,
		"func f() { var w sync.WaitGroup; w.Go(f) }":   true,
		"func f() { testclient.Concurrently(2, nil) }": true,
		"import \"golang.org/x/sync/errgroup\"":        true,
		"import \"portside/shared/core/parallel\"":     true,
		"func f() { time.AfterFunc(0, f) }":            true,
		"func f() { var w group; w.Go[int](f) }":       true,
		"func f() { f() }":                             false,
		"func Go() { Go() }":                           false,
	} {
		t.Run(source, func(t *testing.T) {
			files := fstest.MapFS{"a/a.go": {Data: []byte("package a\n" + source)}, "a/a_test.go": {Data: []byte("package a")}}
			p, err := readProject(files)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.raceList() == "a\n"; got != want {
				t.Errorf("%s: runs under the race detector: %v, want %v", source, got, want)
			}
		})
	}
}

func TestTestsThatStartGoroutinesAreFound(t *testing.T) {
	const plain = "\nfunc TestPlain(t *testing.T) { other() }\nfunc other() {}\n"
	for source, want := range map[string]string{
		"func TestA(t *testing.T) { go f() }":                                                      "a TestA\n",
		"func TestA(t *testing.T) { b() }\nfunc b() { c() }\nfunc c() { go f() }":                  "a TestA\n",
		"func TestA(t *testing.T) { x.run() }\nfunc (x *server) run() { go f() }":                  "a TestA\n",
		"var together = func() { go f() }\nfunc FuzzA(f *testing.F) { together() }":                "a FuzzA\n",
		"import \"golang.org/x/sync/errgroup\"\nfunc TestA(t *testing.T) { var _ errgroup.Group }": "a TestA\n",
		"import g \"golang.org/x/sync/errgroup\"\nfunc TestA(t *testing.T) { var _ g.Group }":      "a TestA\n",
		"func TestMain(m *testing.M) { go f() }":                                                   "a\n",
		"func unused() { go f() }":                                                                 "a\n",
		"func TestA(t *testing.T) { f() }":                                                         "",
	} {
		files := fstest.MapFS{"a/a.go": {Data: []byte("package a")},
			"a/a_test.go": {Data: []byte("package a\n" + source + plain)}}
		p, err := readProject(files)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.raceList(); got != want {
			t.Errorf("%s: the list is %q, want %q", source, got, want)
		}
	}
}

// TestSelectedTests checks that both runs of a package together run each of its tests once.
func TestSelectedTests(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, ".ci"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, raceFile), []byte("a\na/b TestC TestD\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, kind, want string }{
		{"a", "race", ""}, {"a/b", "race", "-test.run=^(TestC|TestD)$"}, {"a/b", "plain", "-test.skip=^(TestC|TestD)$"}, {"a/b", "all", ""}, {"c", "plain", ""},
	} {
		t.Run(c.dir+" "+c.kind, func(t *testing.T) {
			if got, err := selectTests(root, c.dir, c.kind); err != nil || strings.Join(got, " ") != c.want {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// TestRaceListIsUpToDate compares .ci/race with the code.
func TestRaceListIsUpToDate(t *testing.T) {
	p, err := openProject("../..")
	if err != nil {
		t.Fatal(err)
	}
	listed, err := os.ReadFile("../../" + raceFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(listed) != p.raceList() {
		t.Errorf("%s differs from the code that starts goroutines: run make generate", raceFile)
	}
}

// TestQuickSteps has a package b that differs, c that imports it, with expensive tests, and a that imports a removed
// package. The tests of local read files outside their module.
func TestQuickSteps(t *testing.T) {
	p := readTree(t)
	files := []string{"b/b.go", "local/e/web/x.js", "functions/portal/web/a.js", "functions/portal/types/a.d.ts", "gone/gone.go"}
	steps, touched, left := p.quickSteps(files, "lint", func(dir string) bool { return dir == "c" || dir == "b" })
	var got []string
	for _, list := range steps {
		for _, each := range list {
			got = append(got, each.String())
		}
	}
	want := []string{
		".: gofmt -d b/b.go", ".: lint run ./b", "local: lint run ./e", ".: make --no-print-directory portal-types",
		".: go test ./a ./b", "local: go test -count=1 ./e",
	}
	if !slices.Equal(touched, []string{"b", "local/e"}) || !slices.Equal(left, []string{"c"}) || !slices.Equal(got, want) {
		t.Errorf("touched %v, left %v, steps %q", touched, left, got)
	}
}

func TestFoldersBelow(t *testing.T) {
	for _, c := range []struct {
		dir, other string
		want       bool
	}{{"a", "", true}, {"a", "a", true}, {"a/b", "a", true}, {"ab", "a", false}, {"a", "a/b", false}} {
		t.Run(c.dir+" below "+c.other, func(t *testing.T) {
			if isBelow(c.dir, c.other) != c.want {
				t.Errorf("%s is below %q: %v, want %v", c.dir, c.other, !c.want, c.want)
			}
		})
	}
}
