package folder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"portside/local/stack/lifetime"
)

// stackLog is the name of the log with all lines of the stack and the functions.
const stackLog = "stack"

// maxOlderLog is the size of the end of an older log that the next run keeps.
const maxOlderLog = 16 << 20

// LogFile returns the path of the log with all lines of the stack that uses a data folder.
func LogFile(dataDir string) string { return logPath(dataDir, stackLog) }

func logPath(dataDir, name string) string { return filepath.Join(dataDir, "logs", name+".log") }

// CreateStackLog creates the log with all lines of the stack, after it has moved the log of the previous run.
func (f Folder) CreateStackLog(life *lifetime.Lifetime) (io.Writer, error) {
	if err := keepOlder(LogFile(f.Path), maxOlderLog); err != nil {
		return nil, err
	}
	return f.CreateLog(stackLog, life)
}

// CreateLog creates a log. It is closed when the stack stops.
func (f Folder) CreateLog(name string, life *lifetime.Lifetime) (*os.File, error) {
	path := logPath(f.Path, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	life.OnStop(func(context.Context) error { return file.Close() })
	return file, nil
}

// keepOlder moves a log to the file with ".1" at the end of its name, and replaces that file. It keeps only the last
// most bytes of a larger log. Without a log, it does nothing.
func keepOlder(path string, most int64) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Size() > most {
		if err := cutTo(path, info.Size()-most); err != nil {
			return err
		}
	}
	return os.Rename(path, path+".1")
}

// cutTo removes the beginning of a file.
func cutTo(path string, from int64) (err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	size, err := io.Copy(io.NewOffsetWriter(file, 0), io.NewSectionReader(file, from, 1<<62))
	if err != nil {
		return err
	}
	return file.Truncate(size)
}
