// Package env reads settings from the process environment, in main and nowhere else.
//
// A [Reader] collects every missing or malformed variable, so that one failed start names all that has to be mended.
package start

import (
	"fmt"
	"strconv"
	"strings"
)

// Reader reads settings through Lookup, which is os.LookupEnv outside tests.
type Reader struct {
	Lookup   func(name string) (string, bool)
	problems []string
}

// String returns a variable that must be set and not be empty.
func (r *Reader) String(name string) string {
	v, _ := r.Lookup(name)
	if v == "" {
		r.problems = append(r.problems, name+" is not set")
	}
	return v
}

// Optional returns a variable, or "" where it is not set.
func (r *Reader) Optional(name string) string {
	v, _ := r.Lookup(name)
	return v
}

// Count returns a variable that must be a whole number, 0 or more.
func (r *Reader) Count(name string) int {
	v := r.String(name)
	if v == "" {
		return 0
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		r.problems = append(r.problems, name+" is not a whole number of 0 or more")
	}
	return n
}

// Err names every problem met so far, or is nil.
func (r *Reader) Err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return fmt.Errorf("settings: %s; template.yaml says which variables a function gets", strings.Join(r.problems, ", "))
}
