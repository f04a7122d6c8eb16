package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"portside/shared/credentials"
)

// readKeyFile returns the key in the file; found is false where there is no file or an empty one. Anything else in it is
// an error: a file that is not ours must not be overwritten.
func readKeyFile(path string) (key credentials.Secret, found bool, err error) {
	if path == "" {
		return credentials.Secret{}, false, nil
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return credentials.Secret{}, false, nil
	}
	if err != nil {
		return credentials.Secret{}, false, fmt.Errorf("key file: %w", err)
	}
	defer func() { _ = file.Close() }() // a reader has nothing to lose
	const enough = 1 << 10
	content, err := io.ReadAll(io.LimitReader(file, enough))
	if err != nil {
		return credentials.Secret{}, false, fmt.Errorf("key file: %w", err)
	}
	text := strings.TrimSpace(string(content))
	if text == "" {
		return credentials.Secret{}, false, nil
	}
	key, err = credentials.Parse(text)
	if err != nil {
		return credentials.Secret{}, false, fmt.Errorf("%s holds something that is no API key: move it away, or choose another --key-file", path)
	}
	return key, true, nil
}

// writeKeyFile replaces the file as a whole, readable by its owner only. Without a path it does nothing.
func writeKeyFile(path string, key credentials.Secret) error {
	if path == "" {
		return nil
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	file, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	_, err = file.WriteString(key.Reveal() + "\n")
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("key file: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}
