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

// stamp sums up the state of a target's sources and how it is built.
func (b *Builder) stamp(t target) ([]byte, error) {
	sum := sha256.New()
	_, _ = fmt.Fprintln(sum, t.command("")) // a hash takes everything
	if err := describe(sum, b.tool); err != nil {
		return nil, err
	}
	for _, source := range t.sources {
		if err := describe(sum, filepath.Join(b.config.RepoDir, source)); err != nil {
			return nil, err
		}
	}
	return fmt.Appendf(nil, "%x\n", sum.Sum(nil)), nil
}

// describe writes one line for each file at or below path; what is missing has no line, for it may
// well be that a target needs no such file.
func describe(w io.Writer, path string) error {
	err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && ignoredDirectory(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || ignoredFile(d.Name()):
			return nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, path, info.Size(), info.ModTime().UnixNano())
		return err
	})
	if errors.Is(err, fs.ErrNotExist) { // also what was deleted while we looked
		return nil
	}
	return err
}

// ignoredFile is true for what no binary is made of: tests, and what editors leave for a moment.
func ignoredFile(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, ".") ||
		strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#")
}

func ignoredDirectory(name string) bool {
	return name == "testdata" || strings.HasPrefix(name, ".") && name != "."
}

func stampPath(t target) string {
	return filepath.Join(filepath.Dir(t.output), "."+filepath.Base(t.output)+".stamp")
}

func built(t target, stamp []byte) bool {
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
