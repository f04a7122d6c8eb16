package folder

import (
	"errors"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func TestIsLockedDoesNotBlockTryLock(t *testing.T) {
	dir := t.TempDir()
	done := make(chan struct{})
	var pollers sync.WaitGroup
	for range 4 {
		pollers.Go(func() { pollLock(dir, done) })
	}
	defer pollers.Wait()
	defer close(done)
	for range 200 {
		file, err := tryLock(t.Context(), dir)
		if err != nil {
			t.Fatalf("tryLock failed beside isLocked: %v", err)
		}
		if !isLocked(dir) {
			t.Error("isLocked = false, want true")
		}
		_ = file.Close()
	}
}

// pollLock calls isLocked repeatedly until done is closed.
func pollLock(dir string, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
			isLocked(dir)
		}
	}
}

func TestTryLockFailsIfLocked(t *testing.T) {
	dir := t.TempDir()
	file, err := tryLock(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := tryLock(t.Context(), dir); !errors.Is(err, unix.EWOULDBLOCK) {
		t.Errorf("second lock: %v", err)
	}
}
