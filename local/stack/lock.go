package stack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// tryLock takes the data folder for this process. The kernel gives it back when the process ends,
// however it ends, so that no stale lock can be in the way.
func tryLock(dataDir string) (*os.File, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(lockPath(dataDir), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// locked says whether a stack has the data folder, so that nobody trusts what a killed one has left
// there.
func locked(dataDir string) bool {
	file, err := os.Open(lockPath(dataDir))
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	return errors.Is(unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

func lockPath(dataDir string) string { return filepath.Join(dataDir, "lock") }

// lock is tryLock with an error for the user, to whom it shows the folder by a shorter name, and
// tells others who we are.
func lock(dataDir, shown string) (*os.File, error) {
	file, err := tryLock(dataDir)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s is in use by another local stack%s: stop that, or run a second one with %s",
			shown, owner(dataDir), second)
	}
	if err != nil {
		return nil, err
	}
	if err := errors.Join(file.Truncate(0), writePID(file)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func writePID(file *os.File) error {
	_, err := fmt.Fprintln(file, os.Getpid())
	return err
}

func owner(dataDir string) string {
	pid, err := os.ReadFile(lockPath(dataDir))
	if err != nil || len(pid) == 0 {
		return ""
	}
	return " (process " + strings.TrimSpace(string(pid)) + ")"
}
