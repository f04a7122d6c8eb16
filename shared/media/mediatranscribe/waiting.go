package mediatranscribe

import (
	"context"
	"errors"
	"time"
)

const (
	firstPoll   = 2 * time.Second
	longestPoll = 20 * time.Second
)

// pollAfter is how long to wait before asking for the nth time again.
func pollAfter(n int) time.Duration { return min(firstPoll<<min(n/2, 10), longestPoll) }

// reserveOf is what of the context's time is for what comes after the words: cleaning up, and answering the question.
func reserveOf(ctx context.Context) time.Duration {
	deadline, set := ctx.Deadline()
	if !set {
		return 0
	}
	return min(time.Minute, time.Until(deadline)/5)
}

// fits reports whether there is time for the wait. Without a deadline, a job takes as long as it takes.
func (w *work) fits(ctx context.Context, wait time.Duration) bool {
	deadline, set := ctx.Deadline()
	return !set || time.Until(deadline) > wait+w.reserve
}

// wait waits, and then tells others that somebody is still waiting.
func (w *work) wait(ctx context.Context, wait time.Duration) error {
	if w.options.Retrier.Pause(ctx, wait) != nil || ctx.Err() != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return ErrRunning
		}
		return ended(ctx)
	}
	return w.hold(ctx)
}
