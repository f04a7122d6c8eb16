package secrets

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Deploy makes the stack's own secrets those of its template, by their names: like CloudFormation, it creates them,
// changes their values and deletes those that the template no longer has. Other secrets stay.
func (s *Store) Deploy(values map[string]string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries, err := os.ReadDir(s.config.Dir)
	if err != nil {
		return fmt.Errorf("read the folder of secrets: %w", err)
	}
	for _, entry := range entries {
		name, isSecret := strings.CutSuffix(entry.Name(), suffix)
		if _, isWanted := values[name]; !isSecret || isWanted {
			continue
		}
		if existing, err := s.readSecret(name); err == nil && existing.OfStack {
			if err := os.Remove(filepath.Join(s.config.Dir, entry.Name())); err != nil {
				return fmt.Errorf("delete a secret of the stack: %w", err)
			}
		}
	}
	for name, text := range values {
		if err := s.deploy(name, text); err != nil {
			return err
		}
	}
	return nil
}

// deploy gives the secret with the name a value.
func (s *Store) deploy(name, text string) error {
	existing, err := s.readSecret(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		existing = &secret{Name: name, ARN: s.arn(name), Created: s.config.Now(), Versions: map[string]*version{},
			OfStack: true}
	case err != nil:
		return err
	case !existing.OfStack:
		return fmt.Errorf("the secret %s exists already, and the stack did not create it: delete it", name)
	case existing.Deleted.IsZero() && existing.hasCurrent(text):
		return nil
	}
	existing.Deleted = time.Time{}
	s.addVersion(existing, valueInput{ClientRequestToken: rand.Text(), SecretString: &text}, nil)
	return s.writeSecret(existing)
}

func (s *secret) hasCurrent(text string) bool {
	v := s.Versions[s.holder(current)]
	return v != nil && v.Text != nil && *v.Text == text
}
