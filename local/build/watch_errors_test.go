package build_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portside/local/build"
)

func TestDeletedWatchFolderIsReportedOnce(t *testing.T) {
	r := newRepo(t)
	parent := t.TempDir()
	dir := filepath.Join(parent, "watch")
	lost := make(chan struct{}, 10)
	w, err := r.builder.Watch(t.Context(), build.WatchConfig{
		Dir: dir, Reload: func(string) {}, Template: func(context.Context) {}, DirLost: func() { lost <- struct{}{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(parent); err != nil {
		t.Fatal(err)
	}
	select {
	case <-lost:
	case <-time.After(time.Minute):
		t.Fatal("DirLost was not called")
	}
	if err := w.Wait(t.Context(), "OneFunction"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Wait returned %v", err)
	}
	if err := w.Close(); err != nil || len(lost) > 0 {
		t.Errorf("DirLost was called %d more times; %v", len(lost), err)
	}
}

func TestLogErrorReceivesOnlyErrors(t *testing.T) {
	r := newRepo(t)
	var log, logged []string
	builder, err := build.New(build.Config{
		RepoDir: r.dir, Functions: []string{"OneFunction"},
		Log:      func(line string) { log = append(log, line) },
		LogError: func(line string) { logged = append(logged, line) },
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := builder.Watch(t.Context(), build.WatchConfig{
		Dir: t.TempDir(), Reload: func(string) {}, Template: func(context.Context) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.write("functions/one/main.go", "package main\n\nfunc main() { undefined() }\n")
	if err := w.Wait(t.Context(), "OneFunction"); err == nil {
		t.Error("Wait returned no error")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if len(logged) != 1 || !strings.HasPrefix(logged[0], "OneFunction does not build:\n") {
		t.Errorf("errors: %q", logged)
	}
	if lines := strings.Join(log, "\n"); strings.Contains(lines, "does not build") {
		t.Errorf("log: %q", lines)
	}
}
