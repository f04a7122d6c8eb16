package mediaprompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/retry"
)

// Busy is a transient failure. errors.Is also reports that it is [ErrBusy].
type Busy struct {
	After time.Duration // the time to wait that the service asks for, or 0
	Cause error         // without any content
}

// ConnectionError returns the error for a call of an engine whose connection failed before the whole response arrived.
// It leaves out the text of the HTTP client, which may contain content. A timeout of one call counts as a busy service.
// If the context of the caller has ended, the error wraps the context's error.
func ConnectionError(ctx context.Context, engine string) error {
	switch err := ctx.Err(); {
	case err == nil:
		return &Busy{Cause: fmt.Errorf("%s: the connection failed", engine)}
	case errors.Is(err, context.DeadlineExceeded):
		return &Busy{Cause: fmt.Errorf("%s: there was no response: %w", engine, err)}
	}
	return fmt.Errorf("%s: the call was canceled: %w", engine, context.Cause(ctx))
}

// Error implements error.
func (b *Busy) Error() string { return ErrBusy.Error() + " (" + b.Cause.Error() + ")" }

// Is reports whether target is ErrBusy, with any time to wait.
func (b *Busy) Is(target error) bool {
	f, ok := target.(*fault.Error)
	return ok && f.Kind == ErrBusy.Kind && f.Detail == ErrBusy.Detail
}

// Unwrap returns ErrBusy with the time to wait, and the cause.
func (b *Busy) Unwrap() []error {
	busy := *ErrBusy
	busy.RetryAfter = b.After
	return []error{&busy, b.Cause}
}

// Wait implements [retry.WaitError].
func (b *Busy) Wait() time.Duration { return b.After }

// Retrier repeats calls that end with Busy. It waits as long as the service asks, and at least a random time below a
// bound that doubles from 300 ms to 20 s. The zero value is ready for use.
type Retrier struct {
	Attempts int                                        // 0: 6
	Pause    func(context.Context, time.Duration) error // nil: waits
	Draw     func(below time.Duration) time.Duration    // nil: at random
}

const (
	defaultAttempts = 6
	firstWait       = 300 * time.Millisecond
	longestWait     = 20 * time.Second
	// longestAsked bounds the wait that a service may ask for if the context has no deadline.
	longestAsked = 3 * longestWait
)

// Do calls attempt with 1, 2 and so on, and returns its last error. It does not start a wait that would end after the
// context's deadline.
func (r Retrier) Do(ctx context.Context, attempt func(n int) error) error {
	policy := retry.Policy{
		Attempts: cmp.Or(max(r.Attempts, 0), defaultAttempts), FirstWait: firstWait, LongestWait: longestWait,
		Jitter: r.Draw, Sleep: r.Pause,
	}
	n := 0
	err := policy.Do(ctx, mayPass(ctx), func() error {
		n++
		return attempt(n)
	})
	if gaveUp, ok := errors.AsType[*retry.GaveUpError](err); ok {
		return gaveUp.Last
	}
	return err
}

// mayPass returns a function that reports whether an error is Busy and the wait that it asks for is acceptable.
func mayPass(ctx context.Context) func(error) bool {
	_, hasDeadline := ctx.Deadline()
	return func(err error) bool {
		busy, ok := errors.AsType[*Busy](err)
		return ok && (hasDeadline || busy.After <= longestAsked)
	}
}
