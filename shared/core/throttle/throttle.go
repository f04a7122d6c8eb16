// Package throttle bounds what the failed requests of strangers cost, and never keeps a valid request out.
//
// A caller verifies a request first, and counts it only if it fails. So a valid request never meets a throttle, whatever others at its
// address have done. A request that fails after the limit gets another error, and costs no write: the process remembers which subjects are
// full. A subject names who failed and, if it exists, what was claimed, so that a neighbor does not take the explanations that another
// client needs.
package throttle

import (
	"context"
	"sync"
	"time"
)

// maxRemembered is how many full subjects a process remembers. A failure of another one costs what it cost before the limit.
const maxRemembered = 10_000

// Limit is how many failures of a subject count in a fixed window of time.
type Limit struct {
	Name     string // of what fails; part of a stored key
	Window   time.Duration
	Failures int
}

// Start returns the time at which the window of a time begins.
func (l Limit) Start(at time.Time) time.Time { return at.Truncate(l.Window) }

// Rest returns the time until the window ends.
func (l Limit) Rest(at time.Time) time.Duration { return l.Start(at).Add(l.Window).Sub(at) }

// Counts counts failures.
type Counts interface {
	// CountFailure counts one failure of a subject in the window of at, with one conditional write. It returns the number of failures,
	// including this one, at most limit.Failures + 1.
	CountFailure(ctx context.Context, limit Limit, subject string, at time.Time) (int, error)
}

// Throttle counts failures up to a limit. It is safe for concurrent use.
type Throttle struct {
	Limit

	counts Counts

	mu    sync.Mutex
	start time.Time       // of the window of full
	full  map[string]bool // subjects
}

// New returns a Throttle.
func New(counts Counts, limit Limit) *Throttle { return &Throttle{Limit: limit, counts: counts} }

// IsFull reports whether the subject has reached the limit in the window of at, as far as this process knows.
func (t *Throttle) IsFull(subject string, at time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.start.Equal(t.Start(at)) && t.full[subject]
}

// Fail counts a failure, unless the subject is full. It returns whether there are more failures than the limit.
func (t *Throttle) Fail(ctx context.Context, subject string, at time.Time) (tooMany bool, err error) {
	if t.IsFull(subject, at) {
		return true, nil
	}
	n, err := t.counts.CountFailure(ctx, t.Limit, subject, at)
	if err != nil {
		return false, err
	}
	if n >= t.Failures {
		t.remember(subject, at)
	}
	return n > t.Failures, nil
}

func (t *Throttle) remember(subject string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if start := t.Start(at); !t.start.Equal(start) {
		t.start, t.full = start, map[string]bool{}
	}
	if len(t.full) < maxRemembered {
		t.full[subject] = true
	}
}
