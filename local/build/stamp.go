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
	if err := writeFileState(sum, b.goPath); err != nil {
		return nil, err
	}
	for _, file := range commonSources {
		if err := writeFileState(sum, filepath.Join(b.config.RepoDir, file)); err != nil {
			return nil, err
		}
	}
	folders, err := b.imports.folders(t.dir)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if err := writeFolderState(sum, filepath.Join(b.config.RepoDir, folder)); err != nil {
			return nil, err
		}
	}
	return fmt.Appendf(nil, "%x\n", sum.Sum(nil)), nil
}

// writeFolderState writes one line for each source in a folder.
func writeFolderState(w io.Writer, folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // an import of a package that does not exist
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || isIgnoredFile(e.Name()) {
			continue
		}
		if err := writeFileState(w, filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// writeFileState writes one line for a file. A missing file has no line, because some targets do not need it.
func writeFileState(w io.Writer, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, path, info.Size(), info.ModTime().UnixNano())
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
