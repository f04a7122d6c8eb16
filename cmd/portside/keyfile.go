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

// readKeyFile returns the key in the file. Found is false if the file is missing or empty. Any
// other content is an error, because a foreign file must not be overwritten.
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
	defer func() { _ = file.Close() }() // closing after reading loses nothing
	const maxBytes = 1 << 10
	content, err := io.ReadAll(io.LimitReader(file, maxBytes))
	if err != nil {
		return credentials.Secret{}, false, fmt.Errorf("key file: %w", err)
	}
	text := strings.TrimSpace(string(content))
	if text == "" {
		return credentials.Secret{}, false, nil
	}
	key, err = credentials.Parse(text)
	if err != nil {
		return credentials.Secret{}, false, fmt.Errorf("%s contains something other than an API key: "+
			"move the file away, or choose another --key-file", path)
	}
	return key, true, nil
}

// writeKeyFile replaces the whole file, readable only by its owner. It does nothing if path is
// empty.
func writeKeyFile(path string, key credentials.Secret) error {
	if path == "" {
		return nil
	}
	return writeOwnerFile("key file", path, key.Reveal())
}

// writeOwnerFile replaces the content of a file with one line, readable only by its owner. Errors begin with the description of the file.
func writeOwnerFile(what, path, line string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	file, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	_, err = file.WriteString(line + "\n")
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}
