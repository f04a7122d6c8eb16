package template

import (
	"errors"
	"fmt"
)

// Error reports a mistake in a template and its position.
type Error struct {
	File string
	// Line counts from 1.
	Line    int
	Problem string
}

// Error returns one line: the file, the line and what to correct.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Problem)
}

func problem(line int, format string, args ...any) error {
	return &Error{Line: max(line, 1), Problem: fmt.Sprintf(format, args...)}
}

// inFile sets the file of an Error that problem created.
func inFile(file string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.File = file
	}
	return err
}
