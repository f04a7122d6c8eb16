package stack

import (
	"errors"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func TestALookAtTheLockKeepsNobodyOut(t *testing.T) {
	dir := t.TempDir()
	done := make(chan struct{})
	var lookers sync.WaitGroup
	for range 4 {
		lookers.Go(func() { look(dir, done) })
	}
	defer lookers.Wait()
	defer close(done)
	for range 200 {
		file, err := tryLock(t.Context(), dir)
		if err != nil {
			t.Fatalf("refused while others only looked: %v", err)
		}
		if !locked(dir) {
			t.Error("nobody sees the lock")
		}
		_ = file.Close()
	}
}

// look asks whether a folder is locked, again and again until done.
func look(dir string, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
			locked(dir)
		}
	}
}

func TestALockKeepsOthersOut(t *testing.T) {
	dir := t.TempDir()
	file, err := tryLock(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := tryLock(t.Context(), dir); !errors.Is(err, unix.EWOULDBLOCK) {
		t.Errorf("a second owner: %v", err)
	}
}
