// Package retry runs an operation again while it fails for a reason that can pass: another writer changed the same
// item first, or a service is throttled or unreachable.
//
// All loops of this kind in Portside are one function, [Policy.Do]. Its waits follow "exponential backoff with full
// jitter": each wait is a random duration below a bound that doubles, so that callers who collide once do not collide
// again. [Default] is the policy to use. A caller that needs other numbers declares its own Policy next to the
// operation and says why.
package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Default suits writes to one DynamoDB item or S3 object that other writers change at the same time. Its waits add
// up to at most 5.3 seconds and half of that on average, which is well within the timeout of every function.
var Default = Policy{Attempts: 12, FirstWait: 10 * time.Millisecond, LongestWait: time.Second}

// Policy says how often an operation is attempted and how long to wait in between.
type Policy struct {
	// Attempts is the largest number of attempts, the first included. Values below 1 count as 1.
	Attempts int
	// FirstWait bounds the wait after the first attempt. The bound doubles with each attempt up to LongestWait.
	// 0 means no waits, which suits operations that collide only when another writer has made progress.
	FirstWait, LongestWait time.Duration

	// Jitter picks a wait in [0, bound). Nil picks at random. Tests replace it.
	Jitter func(bound time.Duration) time.Duration
	// Sleep waits for d, or returns the cause of the context's end. Nil is the function Sleep. Tests replace it.
	Sleep func(ctx context.Context, d time.Duration) error
}

// WaitError is an error that asks for a pause before the next attempt, as HTTP's Retry-After does.
type WaitError interface {
	error
	// Wait returns the shortest pause that makes sense; 0 leaves it to the policy.
	Wait() time.Duration
}

// GaveUpError reports that the attempts or the time of the context are used up. Its chain has the error of the last
// attempt, so errors.Is finds the reason for which the operation was repeated.
type GaveUpError struct {
	Attempts int   // that were made
	Last     error // of the last attempt
	Ended    error // why the context ended the waits; nil if the attempts are used up
}

// Error implements error.
func (e *GaveUpError) Error() string {
	if e.Ended != nil {
		return fmt.Sprintf("gave up after %d attempts (%v): %v", e.Attempts, e.Ended, e.Last)
	}
	return fmt.Sprintf("gave up after %d attempts: %v", e.Attempts, e.Last)
}

// Unwrap returns the error of the last attempt and, if the context ended, its cause.
func (e *GaveUpError) Unwrap() []error {
	if e.Ended == nil {
		return []error{e.Last}
	}
	return []error{e.Last, e.Ended}
}

// Do calls operation until it returns nil or an error that isTransient rejects, and returns that. If the attempts are
// used up, or the context ends before the next wait is over, Do returns a *GaveUpError. It makes at least one attempt,
// and does not start a wait that is longer than the time until the context's deadline.
func (p Policy) Do(ctx context.Context, isTransient func(error) bool, operation func() error) error {
	for n := 1; ; n++ {
		err := operation()
		if err == nil || !isTransient(err) {
			return err
		}
		if n >= p.Attempts {
			return &GaveUpError{Attempts: n, Last: err}
		}
		if ended := p.pause(ctx, p.wait(n, err)); ended != nil {
			return &GaveUpError{Attempts: n, Last: err, Ended: ended}
		}
	}
}

// wait returns the pause after the nth attempt, which failed with err.
func (p Policy) wait(n int, err error) time.Duration {
	wait := time.Duration(0)
	if bound := p.bound(n); bound > 0 {
		jitter := p.Jitter
		if jitter == nil {
			jitter = rand.N[time.Duration]
		}
		wait = jitter(bound)
	}
	if asked, ok := errors.AsType[WaitError](err); ok {
		wait = max(wait, asked.Wait())
	}
	return wait
}

// bound returns the exclusive upper bound of the wait after the nth attempt.
func (p Policy) bound(n int) time.Duration {
	bound := p.FirstWait
	for i := 1; i < n && bound < p.LongestWait; i++ {
		bound *= 2
	}
	return min(bound, p.LongestWait)
}

// pause waits, unless the context has ended or will end first.
func (p Policy) pause(ctx context.Context, wait time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return context.DeadlineExceeded
	}
	if wait == 0 {
		return nil
	}
	if p.Sleep != nil {
		return p.Sleep(ctx, wait)
	}
	return Sleep(ctx, wait)
}

// Sleep waits for d. If the context ends first, it returns the context's cause at once.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
