package stack

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// logFile is the name of the file with all lines of the stack and the functions.
const logFile = "stack"

// maxOlderLog is the size of the end of an older log that the next run keeps.
const maxOlderLog = 16 << 20

// LogFile returns the path of the file that has all lines since the start of the stack, if KeepLog is set. The file with ".1" at the end
// of its name has the last lines of the run before.
func (o Options) LogFile() string { return filepath.Join(o.Data(), "logs", logFile+".log") }

func (s *Stack) openLogFile(context.Context) error {
	if !s.options.KeepLog {
		return nil
	}
	if err := keepOlder(s.options.LogFile(), maxOlderLog); err != nil {
		return err
	}
	file, err := s.engineLog(logFile)
	if err != nil {
		return err
	}
	s.console.keepDetails(file)
	return nil
}

// keepOlder moves a log to the file with ".1" at the end of its name, and replaces that file. It keeps only the last most bytes of a larger
// log. Without a log, it does nothing.
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
