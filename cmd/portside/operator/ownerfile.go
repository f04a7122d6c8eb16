package operator

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// WriteOwnerFile replaces the content of a file with one line, readable only by its owner. Errors begin with the
// description of the file.
func WriteOwnerFile(what, path, line string) error {
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
