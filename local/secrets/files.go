package secrets

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const suffix = ".json" // ends the name of a secret's file

// newPrefix begins the name of a file that is being written. A secret's name may also begin with
// it, but its file has the suffix.
const newPrefix = ".new-"

// removeUnfinished removes incomplete files of a killed process, because they contain values. No
// other process may use the folder.
func removeUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read the folder of secrets: %w", err)
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !strings.HasPrefix(entry.Name(), newPrefix) ||
			strings.HasSuffix(entry.Name(), suffix) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
			return fmt.Errorf("remove an incomplete secret file: %w", err)
		}
	}
	return nil
}

func (s *Store) path(name string) string {
	return filepath.Join(s.config.Dir, strings.ReplaceAll(name, "/", "%2F")+suffix)
}

// find returns the secret with a name or ARN, even if it is marked for deletion.
func (s *Store) find(id string) (*secret, error) {
	for _, name := range names(id) {
		found, err := s.readSecret(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(id, "arn:") || strings.HasPrefix(found.ARN, id) {
			return found, nil
		}
	}
	return nil, refuse(errorNotFound, "Secrets Manager can't find the specified secret.")
}

func (s *Store) readSecret(name string) (*secret, error) {
	if !validName(name) {
		return nil, os.ErrNotExist
	}
	content, err := os.ReadFile(s.path(name))
	if err != nil {
		return nil, err
	}
	var found secret
	if err := json.Unmarshal(content, &found); err != nil {
		return nil, fmt.Errorf("%s: %w", s.path(name), err)
	}
	return &found, nil
}

// writeSecret replaces the file atomically and returns when the content is on disk.
func (s *Store) writeSecret(changed *secret) error {
	changed.prune()
	changed.Changed = s.config.Now()
	content, err := json.MarshalIndent(changed, "", "  ")
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(s.config.Dir, newPrefix+"*") // mode 0600
	if err != nil {
		return fmt.Errorf("write a secret: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }() // fails after the rename, which is harmless
	_, err = temp.Write(content)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), s.path(changed.Name))
	}
	if err != nil {
		return fmt.Errorf("write a secret: %w", err)
	}
	return nil
}
