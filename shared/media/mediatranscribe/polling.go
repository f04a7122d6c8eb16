package mediatranscribe

import (
	"context"
	"errors"
	"time"
)

const (
	firstPoll = 2 * time.Second
	maxPoll   = 20 * time.Second
)

// pollInterval returns how long to wait after the nth poll.
func pollInterval(n int) time.Duration { return min(firstPoll<<min(n/2, 10), maxPoll) }

// reserveOf returns the part of the context's time that is reserved for cleaning up and for answering
// the question.
func reserveOf(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return min(time.Minute, time.Until(deadline)/5)
}

// hasTimeFor reports whether the context leaves enough time for the wait.
func (w *work) hasTimeFor(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait+w.reserve
}

// wait waits, and then renews the entry of this caller in the list of callers that wait for the job.
func (w *work) wait(ctx context.Context, wait time.Duration) error {
	if w.options.Retrier.Pause(ctx, wait) != nil || ctx.Err() != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return ErrRunning
		}
		return canceledError(ctx)
	}
	return w.registerWaiter(ctx)
}
