package mediaprompt

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"portside/shared/core/fault"
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

// Retrier repeats calls that end with Busy, with full jitter, as long as the context leaves time for the wait. The zero value is
// ready for use.
type Retrier struct {
	Attempts int                                        // 0: 6
	Pause    func(context.Context, time.Duration) error // nil: waits
	Draw     func(below time.Duration) time.Duration    // nil: at random
}

const (
	firstWait   = 300 * time.Millisecond
	longestWait = 20 * time.Second
)

// Do calls attempt with 1, 2 and so on, and returns its last error. No wait is longer than the time that is left.
func (r Retrier) Do(ctx context.Context, attempt func(n int) error) error {
	r = r.withDefaults()
	for n := 1; ; n++ {
		err := attempt(n)
		busy, again := errors.AsType[*Busy](err)
		if !again || n >= r.Attempts {
			return err
		}
		wait := max(busy.After, r.Draw(ceiling(n)))
		if !fits(ctx, wait) || r.Pause(ctx, wait) != nil {
			return err
		}
	}
}

func (r Retrier) withDefaults() Retrier {
	if r.Attempts <= 0 {
		r.Attempts = 6
	}
	if r.Pause == nil {
		r.Pause = pause
	}
	if r.Draw == nil {
		r.Draw = rand.N[time.Duration]
	}
	return r
}

func ceiling(n int) time.Duration { return min(firstWait<<(n-1), longestWait) }

// fits reports whether there is time for the wait. Without a deadline, somebody waits all the same.
func fits(ctx context.Context, wait time.Duration) bool {
	deadline, set := ctx.Deadline()
	if !set {
		return wait <= 3*longestWait
	}
	return time.Until(deadline) > wait
}

func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
