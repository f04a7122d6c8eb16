package start

import (
	"fmt"
	"strconv"
	"strings"
)

// Settings reads settings from environment variables. It remembers every missing or malformed variable, so that one
// failed start reports all of them.
type Settings struct {
	lookup   func(name string) (string, bool)
	problems []string
}

// NewSettings returns settings that are read through lookup, which is os.LookupEnv outside tests.
func NewSettings(lookup func(name string) (string, bool)) *Settings {
	return &Settings{lookup: lookup}
}

// String returns a variable that must be set and not empty.
func (s *Settings) String(name string) string {
	value, _ := s.lookup(name)
	if value == "" {
		s.problems = append(s.problems, name+" is not set")
	}
	return value
}

// Optional returns a variable, or "" if it is not set.
func (s *Settings) Optional(name string) string {
	value, _ := s.lookup(name)
	return value
}

// Count returns a variable that must be a whole number, 0 or more.
func (s *Settings) Count(name string) int {
	value := s.String(name)
	if value == "" {
		return 0
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		s.problems = append(s.problems, name+" is not a whole number of 0 or more")
	}
	return n
}

// Err returns an error that names every problem found so far, or nil.
func (s *Settings) Err() error {
	if len(s.problems) == 0 {
		return nil
	}
	return fmt.Errorf("settings: %s; template.yaml lists the variables of each function", strings.Join(s.problems, ", "))
}
