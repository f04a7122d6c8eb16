package build

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watchOneFunction starts a watcher of a repository with one function, and returns the path of the function's source
// file, which does not exist yet.
func watchOneFunction(t *testing.T) (w *Watcher, source string) {
	t.Helper()
	repo := t.TempDir()
	source = filepath.Join(repo, "functions", "one", "main.go")
	if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
		t.Fatal(err)
	}
	builder, err := New(Config{RepoDir: repo, Functions: []string{"OneFunction"}})
	if err != nil {
		t.Fatal(err)
	}
	w, err = builder.Watch(t.Context(), WatchConfig{
		Dir: t.TempDir(), Reload: func(string) {}, Template: func(context.Context) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, source
}

// The race that the marker prevents lasts microseconds, so the test needs many saves to hit it.
func TestMarkerWaitsForEarlierSaves(t *testing.T) {
	w, source := watchOneFunction(t)
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
}

// TestOverflowEndsTheWaitForALostNotification loses the notification of a touch. The kernel then reports that it
// dropped notifications.
func TestOverflowEndsTheWaitForALostNotification(t *testing.T) {
	w, _ := watchOneFunction(t)
	lost := make(chan struct{})
	w.marker.mu.Lock()
	w.marker.seen = lost // as if there was a touch
	w.marker.mu.Unlock()
	w.files.Errors <- fsnotify.ErrEventOverflow
	<-lost
	w.mu.Lock()
	saved := w.functions["OneFunction"].saved
	w.mu.Unlock()
	if saved == 0 {
		t.Error("the wait ended before the function was known to be out of date")
	}
}

// TestMarkerWithoutItsFile checks that a request fails at once if the touch fails, because no notification will come.
func TestMarkerWithoutItsFile(t *testing.T) {
	m, err := newMarker(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(m.path); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := m.wait(t.Context(), nil); !os.IsNotExist(err) {
			t.Errorf("got %v, want that the file does not exist", err)
		}
	}
}
