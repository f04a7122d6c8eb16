package mediaprompt

import (
	"cmp"
	"context"
	"errors"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/retry"
)

// Busy is a transient failure. It is [ErrBusy] too, with the time after which to try again.
type Busy struct {
	After time.Duration // as the service asks; 0 if it does not
	Cause error         // without any content
}

// Error says what went wrong.
func (b *Busy) Error() string { return ErrBusy.Error() + " (" + b.Cause.Error() + ")" }

// Is makes it ErrBusy, and each of the faults that Unwrap gives.
func (b *Busy) Is(target error) bool {
	f, ok := target.(*fault.Error)
	return ok && f.Kind == ErrBusy.Kind && f.Detail == ErrBusy.Detail
}

// Unwrap gives ErrBusy with the time to wait, and keeps the cause.
func (b *Busy) Unwrap() []error {
	busy := *ErrBusy
	busy.RetryAfter = b.After
	return []error{&busy, b.Cause}
}

// Wait implements [retry.WaitError].
func (b *Busy) Wait() time.Duration { return b.After }

// Retrier repeats calls that end with Busy. It waits as long as the service asks, and at least a random time below a bound
// that doubles from 300 ms to 20 s. The zero value is ready for use.
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
