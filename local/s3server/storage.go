package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/versity/versitygw/backend/meta"
	"golang.org/x/sys/unix"
)

// storage is the folder of the buckets and the store of the objects' metadata: extended attributes,
// or files beside the buckets if the file system has no extended attributes (tmpfs, some overlays).
type storage struct {
	buckets  string
	metadata meta.MetadataStorer
}

// openStorage creates missing folders. A folder with metadata files keeps using them, even after a
// move to a file system with extended attributes.
func openStorage(dir string) (storage, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return storage{}, fmt.Errorf("open the storage: %w", err)
	}
	s := storage{buckets: filepath.Join(dir, "buckets"), metadata: meta.XattrMeta{}}
	if err := os.MkdirAll(s.buckets, 0o700); err != nil {
		return storage{}, fmt.Errorf("open the storage: %w", err)
	}
	beside := filepath.Join(dir, "metadata")
	if _, err := os.Stat(beside); errors.Is(err, os.ErrNotExist) {
		works, err := hasAttributes(dir)
		if err != nil || works {
			return s, err
		}
	}
	if err := os.MkdirAll(beside, 0o700); err != nil {
		return storage{}, fmt.Errorf("open the storage: %w", err)
	}
	s.metadata, err = meta.NewSideCar(beside)
	return s, err
}

// hasAttributes writes an attribute and reads it back, because mount options are not conclusive.
func hasAttributes(dir string) (bool, error) {
	file, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return false, fmt.Errorf("the storage is not writable: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if err := file.Close(); err != nil {
		return false, fmt.Errorf("the storage is not writable: %w", err)
	}
	const name, value = "user.portside", "probe"
	back := make([]byte, len(value))
	setErr := unix.Setxattr(file.Name(), name, []byte(value), 0)
	n, getErr := unix.Getxattr(file.Name(), name, back)
	return setErr == nil && getErr == nil && string(back[:n]) == value, nil
}
