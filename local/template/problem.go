package template

import (
	"errors"
	"fmt"
)

// Error is what is wrong with a template, and where.
type Error struct {
	File string
	// Line counts from 1.
	Line    int
	Problem string
}

// Error is one line: file, line, and what to mend.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Problem)
}

func problem(line int, format string, args ...any) error {
	return &Error{Line: max(line, 1), Problem: fmt.Sprintf(format, args...)}
}

// inFile names the file in an error that was made without knowing it.
func inFile(file string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.File = file
	}
	return err
}
