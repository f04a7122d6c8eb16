package build

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The race that the marker prevents lasts microseconds, so the test needs many saves to hit it.
func TestMarkerWaitsForEarlierSaves(t *testing.T) {
	repo := t.TempDir()
	source := filepath.Join(repo, "functions", "one", "main.go")
	if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
		t.Fatal(err)
	}
	builder, err := New(Config{RepoDir: repo, Functions: []string{"OneFunction"}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := builder.Watch(t.Context(), WatchConfig{
		Dir: t.TempDir(), Reload: func(string) {}, Template: func(context.Context) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.marker.timeout = time.Minute // a busy machine must not end the wait
	seen := 0
	for save := range 500 {
		if err := os.WriteFile(source, []byte("package main"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := w.marker.wait(t.Context(), w.ended); err != nil {
			t.Fatal(err)
		}
		w.mu.Lock()
		now := w.functions["OneFunction"].saved
		w.mu.Unlock()
		if now == seen {
			t.Fatalf("save %d was not seen", save)
		}
		seen = now
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
