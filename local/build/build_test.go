package build_test

import (
	"context"
	"debug/buildinfo"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"portside/local/build"
)

const makefile = `
build-%Function:
	@CGO_ENABLED=0 GOARCH=$(LAMBDA_GOARCH) go build -o "$(ARTIFACTS_DIR)/bootstrap" ./functions/$(shell echo $* | tr A-Z a-z)
`

const program = `package main

import "sample/shared/words"

func main() { print(words.Greeting, " ONE") }
`

// repo is a repository with the functions One and Two, which print words of their sources.
type repo struct {
	t       *testing.T
	dir     string
	builder *build.Builder

	mu  sync.Mutex
	log []string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t: t, dir: t.TempDir()}
	r.write("go.mod", "module sample\n\ngo 1.26\n")
	r.write("Makefile", makefile)
	r.write("shared/words/words.go", "package words\n\nconst Greeting = \"hello\"\n")
	r.write("functions/one/main.go", program)
	r.write("functions/two/main.go", strings.ReplaceAll(program, "ONE", "TWO"))
	r.write("cmd/tool/main.go", strings.ReplaceAll(program, "ONE", "TOOL"))
	builder, err := build.New(build.Config{
		RepoDir:   r.dir,
		Functions: []string{"OneFunction", "TwoFunction"},
		Log: func(line string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.log = append(r.log, line)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.builder = builder
	return r
}

func (r *repo) write(path, content string) {
	r.t.Helper()
	path = filepath.Join(r.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// logged returns the log lines since the last call.
func (r *repo) logged() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := strings.Join(r.log, "\n")
	r.log = nil
	return lines
}

func (r *repo) expectOutput(path, want string) {
	r.t.Helper()
	got, err := exec.Command(path).CombinedOutput()
	if err != nil || string(got) != want {
		r.t.Errorf("%s printed %q (%v), want %q", filepath.Base(path), got, err, want)
	}
}

func (r *repo) buildAll() {
	r.t.Helper()
	if err := r.builder.All(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

func TestAllBuildsOnlyChangedFunctions(t *testing.T) {
	r := newRepo(t)
	steps := []struct {
		name  string
		do    func()
		built []string
		one   string
	}{
		{"first", func() {}, []string{"OneFunction", "TwoFunction"}, "hello ONE"},
		{"nothing changed", func() {}, nil, "hello ONE"},
		{"a function", func() { r.write("functions/one/main.go", strings.ReplaceAll(program, "ONE", "changed")) },
			[]string{"OneFunction"}, "hello changed"},
		{"a function, in the same size", func() { r.write("functions/one/main.go", strings.ReplaceAll(program, "ONE", "CHANGED")) },
			[]string{"OneFunction"}, "hello CHANGED"},
		{"a file for one", func() { r.write("functions/two/more.go", "package main\n") }, []string{"TwoFunction"}, "hello CHANGED"},
		{"shared code", func() { r.write("shared/words/words.go", "package words\n\nconst Greeting = \"bye\"\n") },
			[]string{"OneFunction", "TwoFunction"}, "bye CHANGED"},
		{"a test", func() { r.write("functions/one/main_test.go", "package main\n") }, nil, "bye CHANGED"},
		{"a binary is missing", func() { _ = os.Remove(r.builder.Binary("OneFunction")) }, []string{"OneFunction"}, "bye CHANGED"},
	}
	for _, step := range steps {
		step.do()
		r.buildAll()
		log := r.logged()
		for _, id := range []string{"OneFunction", "TwoFunction"} {
			if got, want := strings.Contains(log, "built "+id), slices.Contains(step.built, id); got != want {
				t.Errorf("%s: %s built: %v, want %v", step.name, id, got, want)
			}
		}
		r.expectOutput(r.builder.Binary("OneFunction"), step.one)
	}
}

func TestFailedBuildKeepsOldBinary(t *testing.T) {
	r := newRepo(t)
	r.buildAll()
	r.write("functions/one/main.go", "package main\n\nfunc main() { undefined() }\n")
	err := r.builder.All(t.Context())
	var failed *build.Error
	if !errors.As(err, &failed) || failed.Target != "OneFunction" ||
		!strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("error %v", err)
	}
	r.expectOutput(r.builder.Binary("OneFunction"), "hello ONE")
	if err := r.builder.All(t.Context()); err == nil {
		t.Error("a build after a failed one succeeded")
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(r.builder.Binary("OneFunction")), ".new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary folders left: %v (%v)", left, err)
	}
}

func TestCommand(t *testing.T) {
	r := newRepo(t)
	for _, log := range []string{"building tool …", ""} {
		path, err := r.builder.Command(t.Context(), "tool")
		if err != nil {
			t.Fatal(err)
		}
		r.expectOutput(path, "hello TOOL")
		info, err := buildinfo.ReadFile(path)
		if err != nil || !slices.Contains(info.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "0"}) {
			t.Errorf("built with C, unlike the functions: %v (%v)", info, err)
		}
		if got := r.logged(); !strings.HasPrefix(got, log) || log == "" && got != "" {
			t.Errorf("log %q, want %q", got, log)
		}
	}
}

func TestNewReportsMissingTool(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := build.New(build.Config{RepoDir: "."})
	if err == nil || !strings.HasPrefix(err.Error(), "make is missing: ") {
		t.Errorf("error %v", err)
	}
}

// watch starts a watcher. Its channels receive the ID of each reloaded function and a value for
// each save of the template.
func (r *repo) watch() (*build.Watcher, chan string, chan struct{}) {
	r.t.Helper()
	reloaded, template := make(chan string, 100), make(chan struct{}, 100)
	w, err := r.builder.Watch(r.t.Context(), build.WatchConfig{
		Dir:      r.t.TempDir(),
		Reload:   func(id string) { reloaded <- id },
		Template: func(context.Context) { template <- struct{}{} },
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := w.Close(); err != nil {
			r.t.Error(err)
		}
	})
	return w, reloaded, template
}

func TestWaitReturnsAfterLastSaveIsBuilt(t *testing.T) {
	r := newRepo(t)
	r.buildAll()
	w, reloaded, _ := r.watch()
	saves := []struct{ path, content, one string }{
		{"functions/one/main.go", strings.ReplaceAll(program, "ONE", "first"), "hello first"},
		{"functions/one/main.go", strings.ReplaceAll(program, "ONE", "second"), "hello second"},
		{"shared/words/words.go", "package words\n\nconst Greeting = \"bye\"\n", "bye second"},
		{"functions/one/main.go", strings.ReplaceAll(program, `words.Greeting`, `Greeting`), "old"},
		{"shared/more/more.go", "package more\n\nconst Greeting = \"more\"\n", "old"},
		{"functions/one/main.go", strings.ReplaceAll(program, `words`, `more`), "more ONE"},
		{"shared/more/more.go", "package more\n\nconst Greeting = \"newest\"\n", "newest ONE"},
		{"texts/texts.go", "package texts\n\nconst Greeting = \"text\"\n", "newest ONE"}, // of a folder that no function uses yet
		{"functions/one/main.go", strings.NewReplacer("shared/words", "texts", "words", "texts").Replace(program), "text ONE"},
		{"texts/texts.go", "package texts\n\nconst Greeting = \"last\"\n", "last ONE"},
	}
	old := ""
	for _, save := range saves {
		r.write(save.path, save.content)
		err := w.Wait(t.Context(), "OneFunction")
		if failed := err != nil; failed != (save.one == "old") {
			t.Fatalf("%s: %v", save.path, err)
		}
		if save.one != "old" {
			old = save.one
		}
		r.expectOutput(r.builder.Binary("OneFunction"), old)
	}
	if first := <-reloaded; first != "OneFunction" {
		t.Errorf("first reload is of %s, want OneFunction", first)
	}
}

func TestCompileErrorIsLoggedOnceAndReleasesWaiters(t *testing.T) {
	r := newRepo(t)
	r.buildAll()
	r.logged()
	w, _, _ := r.watch()
	r.write("functions/one/main.go", "package main\n\nfunc main() { undefined() }\n")
	for range 3 {
		err := w.Wait(t.Context(), "OneFunction")
		if failed, ok := errors.AsType[*build.Error](err); !ok || !strings.Contains(failed.Error(), "undefined: undefined") {
			t.Fatalf("error %v", err)
		}
	}
	if err := w.Wait(t.Context(), "TwoFunction"); err != nil {
		t.Error(err)
	}
	if log := r.logged(); strings.Count(log, "undefined: undefined") != 1 {
		t.Errorf("log:\n%s", log)
	}
	r.write("functions/one/main.go", program)
	if err := w.Wait(t.Context(), "OneFunction"); err != nil {
		t.Errorf("after the correction: %v", err)
	}
}

func TestSaveRebuildsOnlyFunctionsThatImportTheFile(t *testing.T) {
	r := newRepo(t)
	r.write("shared/texts/list.txt", "one\n")
	r.write("shared/texts/deep/data/list.txt", "one\n")
	r.write("shared/texts/deep/deep.go", "package deep\n")
	r.write("shared/texts/texts.go",
		"package texts\n\nimport _ \"sample/shared/texts/deep\"\n\nconst Greeting = \"text\"\n")
	r.write("functions/two/more.go", "package main\n\nimport _ \"sample/shared/texts\"\n")
	r.buildAll()
	r.logged()
	w, _, _ := r.watch()
	for _, save := range []struct {
		path, content string
		built         []string
	}{
		{"shared/texts/list.txt", "two\n", []string{"TwoFunction"}},
		{"shared/texts/deep/data/list.txt", "two\n", []string{"TwoFunction"}},
		{"shared/texts/deep/deep.go", "package deep\n\nconst More = 1\n", []string{"TwoFunction"}},
		{"shared/unused/unused.go", "package unused\n", nil},
		{"shared/words/words.go", "package words\n\nconst Greeting = \"bye\"\n", []string{"OneFunction", "TwoFunction"}},
	} {
		r.write(save.path, save.content)
		for _, id := range []string{"OneFunction", "TwoFunction"} {
			if err := w.Wait(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		log := r.logged()
		for _, id := range []string{"OneFunction", "TwoFunction"} {
			if got, want := strings.Contains(log, "built "+id), slices.Contains(save.built, id); got != want {
				t.Errorf("%s: %s built: %v, want %v", save.path, id, got, want)
			}
		}
	}
}

func TestAMistakeInASharedPackageIsShownOnce(t *testing.T) {
	r := newRepo(t)
	r.buildAll()
	r.logged()
	w, _, _ := r.watch()
	r.write("shared/words/words.go", "package words\n\nconst Greeting = undefined\n")
	for _, id := range []string{"OneFunction", "TwoFunction"} {
		if err := w.Wait(t.Context(), id); err == nil {
			t.Errorf("%s: no error", id)
		}
	}
	log := r.logged()
	if strings.Count(log, "undefined: undefined") != 1 || strings.Count(log, "does not build for the same reason") != 1 ||
		strings.Contains(log, "make: ***") {
		t.Errorf("log:\n%s", log)
	}
}

func TestBuildAllReportsItsProgress(t *testing.T) {
	r := newRepo(t)
	w, _, _ := r.watch()
	w.BuildAll()
	for _, id := range []string{"TwoFunction", "OneFunction"} {
		if err := w.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	r.expectOutput(r.builder.Binary("OneFunction"), "hello ONE")
	if log := r.logged(); !strings.Contains(log, "(1 of 2 functions)") || !strings.Contains(log, "(2 of 2 functions)") {
		t.Errorf("log:\n%s", log)
	}
	w.BuildAll()
	if err := w.Wait(t.Context(), "OneFunction"); err != nil {
		t.Fatal(err)
	}
	if log := r.logged(); strings.Contains(log, "built") {
		t.Errorf("the second time built:\n%s", log)
	}
}

func TestSavesOfOtherFilesBuildNothing(t *testing.T) {
	r := newRepo(t)
	r.buildAll()
	r.logged()
	w, reloaded, template := r.watch()
	r.write("functions/one/main_test.go", "package main\n")
	r.write("functions/one/.main.go.swp", "")
	r.write("README.md", "")
	r.write("template.yaml", "")
	<-template
	for _, id := range []string{"OneFunction", "TwoFunction"} {
		if err := w.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if log := r.logged(); log != "" || len(reloaded) > 0 {
		t.Errorf("%d reloads; log:\n%s", len(reloaded), log)
	}
}

func TestConcurrentWaits(t *testing.T) {
	r := newRepo(t)
	r.buildAll()
	w, _, _ := r.watch()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 50 {
				if err := w.Wait(t.Context(), "OneFunction"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := w.Wait(t.Context(), "OneFunction"); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

// TestOtherProcessorsHaveTheirOwnBinaries builds a function for two processors. Neither replaces the other.
func TestOtherProcessorsHaveTheirOwnBinaries(t *testing.T) {
	r := newRepo(t)
	paths := map[string]bool{}
	for _, arch := range []string{"amd64", "arm64"} {
		builder, err := build.New(build.Config{RepoDir: r.dir, Functions: []string{"OneFunction"}, Arch: arch})
		if err != nil {
			t.Fatal(err)
		}
		if err := builder.Function(t.Context(), "OneFunction"); err != nil {
			t.Fatal(err)
		}
		info, err := buildinfo.ReadFile(builder.Binary("OneFunction"))
		if err != nil {
			t.Fatal(err)
		}
		if want := (debug.BuildSetting{Key: "GOARCH", Value: arch}); !slices.Contains(info.Settings, want) {
			t.Errorf("%s: the binary has the settings %v", arch, info.Settings)
		}
		paths[builder.Binary("OneFunction")] = true
	}
	if len(paths) != 2 {
		t.Errorf("binaries %v, want two", paths)
	}
}
