package stack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// lockTries and lockPause are a fifth of a second in all: a look takes microseconds, and a user who starts a second
// stack should not wait for his answer.
const (
	lockTries = 100
	lockPause = 2 * time.Millisecond
)

// tryLock takes the data folder for this process. The kernel gives it back when the process ends,
// however it ends, so that no stale lock can be in the way.
func tryLock(ctx context.Context, dataDir string) (*os.File, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(lockPath(dataDir), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(ctx, file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// flock locks a file for this process alone. It tries again for a moment, since whoever looks whether a stack has
// the folder (see locked) holds a lock of his own while he looks.
func flock(ctx context.Context, file *os.File) error {
	again := time.NewTicker(lockPause)
	defer again.Stop()
	for tries := 1; ; tries++ {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) || tries == lockTries {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
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

// lockData is tryLock with an error for the user, and tells others who we are.
func (s *Stack) lockData(ctx context.Context) (*os.File, error) {
	dir := s.options.DataDir
	file, err := tryLock(ctx, dir)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, s.inUse()
	}
	if err != nil {
		return nil, fmt.Errorf("DATA=%s cannot hold the data: %w: name a folder that you may write to", s.relative(dir), bare(err))
	}
	if err := errors.Join(file.Truncate(0), writePID(file)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// bare leaves out the path of the file that failed, of which the user knows nothing.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

func writePID(file *os.File) error {
	_, err := fmt.Fprintln(file, os.Getpid())
	return err
}

// inUse tells whose the folder is, and how to run a second stack: on the port that was asked for unless the other
// has it.
func (s *Stack) inUse() error {
	dir, addr := s.options.DataDir, s.options.Addr
	pid, api := owner(dir)
	who := ""
	switch {
	case api != "":
		who = fmt.Sprintf(" (%s, process %s)", api, pid)
	case pid != "":
		who = fmt.Sprintf(" (process %s)", pid)
	}
	if api == "http://"+addr {
		addr = otherPort(addr)
	}
	return fmt.Errorf("%s is in use by another local stack%s: stop that, or run a second one with %s",
		s.relative(dir), who, s.advice(addr, dir+"2"))
}

// owner is the stack that has the folder. It has no address yet while it starts; the description that is there then
// is of a killed one.
func owner(dataDir string) (pid, api string) {
	content, err := os.ReadFile(lockPath(dataDir))
	if err != nil {
		return "", ""
	}
	pid = strings.TrimSpace(string(content))
	if info, err := ReadInfo(dataDir); err == nil && strconv.Itoa(info.PID) == pid {
		api = info.API
	}
	return pid, api
}

// lose ends a stack whose data folder was deleted or moved away under it: what the engines still held would be lost
// with the next start anyway.
func (s *Stack) lose() {
	s.lost.Do(func() {
		if !s.isStopping() {
			s.failed <- fmt.Errorf("%s is gone: stop the stack before you delete or move its data; `make run` starts afresh",
				s.relative(s.options.DataDir))
		}
	})
}
