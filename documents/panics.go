package documents

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// ErrPanic is in the chain of every [PanicError].
var ErrPanic = errors.New("the reader panicked")

// PanicError is in the chain of ErrDamaged if a reader panicked. It means that the reader or one of its libraries has a
// defect; the file may be valid.
type PanicError struct {
	Reason string // the text of a runtime error, or only the type of any other value, because its text might quote the file
	Stack  string
}

// Error returns the reason of the panic.
func (e *PanicError) Error() string { return ErrPanic.Error() + ": " + e.Reason }

// Unwrap returns ErrPanic.
func (e *PanicError) Unwrap() error { return ErrPanic }

// RecoverPanic turns a panic into ErrDamaged with a [PanicError] in its chain, so that no file can end the process.
// Every reader defers it.
func RecoverPanic(err *error) { //nolint:gocritic // a deferred function reaches the result only through its address
	thrown := recover()
	if thrown == nil {
		return
	}
	reason := fmt.Sprintf("a %T", thrown)
	if runtimeErr, ok := thrown.(runtime.Error); ok {
		reason = runtimeErr.Error()
	}
	*err = fmt.Errorf("%w (%w)", ErrDamaged, &PanicError{reason, string(debug.Stack())})
}
