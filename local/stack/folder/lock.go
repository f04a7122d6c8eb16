package folder

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

	"portside/local/retry"
	"portside/local/stack/loopback"
)

// lockPolicy waits at most a fifth of a second, because a user who starts a second stack should get
// the error soon.
var lockPolicy = retry.Policy{Delay: 2 * time.Millisecond, Attempts: 100}

// tryLock locks the data folder for this process. The kernel releases the lock when the process
// ends, so there are no stale locks.
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

// flock locks a file exclusively. It retries, because isLocked holds a shared lock for a moment.
func flock(ctx context.Context, file *os.File) error {
	return retry.Until(ctx, lockPolicy, func() (bool, error) {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		return !errors.Is(err, unix.EWOULDBLOCK), err
	})
}

// isLocked reports whether a stack runs on the data folder. Files of a killed stack do not count.
func isLocked(dataDir string) bool {
	file, err := os.Open(lockPath(dataDir))
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	return errors.Is(unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

func lockPath(dataDir string) string { return filepath.Join(dataDir, "lock") }

// Lock is the use of a data folder by this process.
type Lock struct {
	file  *os.File
	dir   string
	isNew bool // the folder
}

// Lock locks the folder for the stack at addr, writes the process ID into the lock file, and returns errors for
// the user.
func (f Folder) Lock(ctx context.Context, addr string) (*Lock, error) {
	_, err := os.Stat(f.Path)
	isNew := errors.Is(err, fs.ErrNotExist)
	file, err := tryLock(ctx, f.Path)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, f.inUseError(addr)
	}
	if err != nil {
		return nil, fmt.Errorf("DATA=%s cannot be the data folder: %w: choose a writable folder", f.Relative(f.Path), withoutPath(err))
	}
	if err := errors.Join(file.Truncate(0), writePID(file)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Lock{file: file, dir: f.Path, isNew: isNew}, nil
}

// Release ends the use. A new folder in which the stack has stored nothing is removed.
func (l *Lock) Release(hasStored bool) error {
	if l.isNew && !hasStored {
		_ = os.Remove(lockPath(l.dir))
		_ = os.Remove(l.dir) // fails if the folder has other files
	}
	return l.file.Close()
}

// withoutPath removes the path of the lock file from an error, because the user does not know that
// file.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

func writePID(file *os.File) error {
	_, err := fmt.Fprintln(file, os.Getpid())
	return err
}

// inUseError names the stack that uses the folder and a command for a second stack. The command has
// the requested port unless the other stack uses that.
func (f Folder) inUseError(addr string) error {
	pid, api := lockOwner(f.Path)
	who := ""
	switch {
	case api != "":
		who = fmt.Sprintf(" (%s, process %s)", api, pid)
	case pid != "":
		who = fmt.Sprintf(" (process %s)", pid)
	}
	if api == "" && pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return fmt.Errorf("the local stack on %s is still starting%s: wait until it is ready, and run this command again",
			f.Relative(f.Path), who)
	}
	if api == "http://"+addr {
		addr = loopback.NextPort(addr)
	}
	return fmt.Errorf("%s is in use by another local stack%s: stop that one, or run a second stack with %s",
		f.Relative(f.Path), who, f.RunHint(addr, f.Path+"2"))
}

// lockOwner returns the process ID and address of the stack that uses the folder. While that stack
// starts, it has no address, and stack.json may be from a killed stack.
func lockOwner(dataDir string) (pid, api string) {
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
