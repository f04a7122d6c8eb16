package build

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stamp returns a hash of the target's build command and of the state of its sources.
func (b *Builder) stamp(t target) ([]byte, error) {
	sum := sha256.New()
	_, _ = fmt.Fprintln(sum, t.command("")) // a hash never fails
	if err := writeFileStates(sum, b.goPath); err != nil {
		return nil, err
	}
	for _, source := range t.sources {
		if err := writeFileStates(sum, filepath.Join(b.config.RepoDir, source)); err != nil {
			return nil, err
		}
	}
	return fmt.Appendf(nil, "%x\n", sum.Sum(nil)), nil
}

// writeFileStates writes one line for each file at or below path. A missing path has no line,
// because some targets do not need it.
func writeFileStates(w io.Writer, path string) error {
	err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && isIgnoredDir(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || isIgnoredFile(d.Name()):
			return nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, path, info.Size(), info.ModTime().UnixNano())
		return err
	})
	if errors.Is(err, fs.ErrNotExist) { // or a file was deleted during the walk
		return nil
	}
	return err
}

// isIgnoredFile is true for files that do not go into a binary: tests and editors' temporary files.
func isIgnoredFile(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, ".") ||
		strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#")
}

func isIgnoredDir(name string) bool {
	return name == "testdata" || strings.HasPrefix(name, ".") && name != "."
}

func stampPath(t target) string {
	return filepath.Join(filepath.Dir(t.output), "."+filepath.Base(t.output)+".stamp")
}

func isUpToDate(t target, stamp []byte) bool {
	if _, err := os.Stat(t.output); err != nil {
		return false
	}
	old, err := os.ReadFile(stampPath(t))
	return err == nil && bytes.Equal(old, stamp)
}

func writeStamp(t target, dir string, stamp []byte) error {
	path := filepath.Join(dir, "stamp")
	if err := os.WriteFile(path, stamp, 0o644); err != nil {
		return err
	}
	return os.Rename(path, stampPath(t))
}
