package backup

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"portside/shared/dynamo/layout"
)

const (
	manifestFile = "manifest.json"
	progressFile = "progress.json"
)

// maxAge bounds the time within which an interrupted backup can continue, so that a backup does not
// mix data of different days.
const maxAge = 24 * time.Hour

// folder is the folder of a backup, locked for this process.
type folder struct {
	path string
	lock *os.File
}

// openFolder creates the folder if necessary. The system releases the lock when the process ends.
func openFolder(path string) (*folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	return lockFolder(path)
}

func lockFolder(path string) (*folder, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("another command uses %s: wait for its end", path), file.Close())
	}
	return &folder{path: path, lock: file}, nil
}

func (f *folder) close() { _ = f.lock.Close() }

// begin returns the state of an interrupted backup, or a new one if the folder is empty.
func (f *folder) begin(now time.Time) (progress, error) {
	var state progress
	if _, err := os.Stat(f.join(manifestFile)); err == nil {
		return state, fmt.Errorf("%s has a complete backup: choose another folder", f.path)
	}
	text, err := os.ReadFile(f.join(progressFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.start(now)
	case err != nil:
		return state, err
	case json.Unmarshal(text, &state) != nil || state.Format != Format || state.Layout != layout.Version:
		return state, fmt.Errorf("%s has an incomplete backup of another release: delete it, or choose another folder", f.path)
	case now.Sub(state.StartedAt) > maxAge:
		return state, fmt.Errorf("%s has an incomplete backup of %s, which is too old to continue: delete it, or choose another folder",
			f.path, state.StartedAt.Format(time.RFC3339))
	}
	return state, nil
}

// start begins a backup. The folder must be empty.
func (f *folder) start(now time.Time) (progress, error) {
	state := progress{Manifest: Manifest{Format: Format, Layout: layout.Version, ID: rand.Text(), StartedAt: now.UTC()}}
	entries, err := os.ReadDir(f.path)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s has other files: choose an empty folder", f.path)
	}
	if err != nil {
		return state, err
	}
	return state, f.save(state)
}

func (f *folder) join(name string) string { return filepath.Join(f.path, filepath.FromSlash(name)) }

func (f *folder) save(state progress) error { return f.writeFile(progressFile, state) }

// complete writes the manifest, and removes the progress and the files of earlier rounds.
func (f *folder) complete(m Manifest) (err error) {
	if m.SHA256, err = m.sum(); err != nil {
		return err
	}
	if err := f.writeFile(manifestFile, m); err != nil {
		return err
	}
	used := map[string]bool{manifestFile: true}
	for _, set := range m.Sets {
		for _, part := range set.Parts {
			used[part.File] = true
		}
	}
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return err
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || used[name] {
			return err
		}
		return root.Remove(name)
	})
	return errors.Join(err, root.Close())
}

// writeFile replaces a file, readable only by its owner. Readers never see a part of it.
func (f *folder) writeFile(name string, content any) error {
	text, err := json.MarshalIndent(content, "", " ")
	if err != nil {
		return err
	}
	path := f.join(name)
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
