// Package folder has the data folder of a stack: its lock, the file with information for other commands, its logs and
// its disk.
package folder

import (
	"os"
	"path/filepath"
	"strings"
)

// Folder is the data folder of a stack.
type Folder struct {
	Path string // absolute
	Repo string // folder of template.yaml and Makefile, where the user types commands; absolute
}

// Default returns the data folder of a stack whose user names none.
func Default(repo string) string { return filepath.Join(repo, ".local", "data") }

// Relative returns a path relative to the repository, where make runs, quoted for a shell if
// necessary.
func (f Folder) Relative(path string) string {
	if short, err := filepath.Rel(f.Repo, path); err == nil && filepath.IsLocal(short) {
		path = short
	}
	if strings.ContainsFunc(path, needsQuoting) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

func needsQuoting(r rune) bool {
	return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:=@%,", r)
}

// RunHint returns the shortest make command that runs a stack with the address and data folder.
func (f Folder) RunHint(addr, dataDir string) string {
	command := "make run ADDR=" + addr
	if dataDir != Default(f.Repo) {
		command += " DATA=" + f.Relative(dataDir)
	}
	return "`" + command + "`"
}

// WriteFile writes a file of the folder that only its owner may read. Readers never see partial
// content.
func (f Folder) WriteFile(name string, content []byte) error {
	path := filepath.Join(f.Path, name)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
