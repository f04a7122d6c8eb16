package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
)

// ErrDefect is in the chain of ErrDamaged where a reader panicked: nobody knows then whether the file is sound.
var ErrDefect = errors.New("the reader panicked")

// Survive makes ErrDamaged of a panic, so that no file can end the process, and logs where it came from: it is a defect of a
// reader, or of a library below it. Readers defer it. What a library throws is not logged, for the file's words may be in it.
func Survive(ctx context.Context, err *error) { //nolint:gocritic // a deferred function reaches the result by its address only
	thrown := recover()
	if thrown == nil {
		return
	}
	what := fmt.Sprintf("a %T", thrown)
	if ours, ok := thrown.(runtime.Error); ok {
		what = ours.Error()
	}
	slog.ErrorContext(ctx, "a reader panicked", "panic", what, "stack", string(debug.Stack()))
	*err = fmt.Errorf("%w (%w: %s)", ErrDamaged, ErrDefect, what)
}
