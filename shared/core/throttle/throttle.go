// Package throttle limits the cost of failed requests, and never refuses a valid request.
//
// A caller verifies a request first, and counts it only if it fails. So a valid request never meets a throttle, even if
// other clients at its address have reached the limit. A failed request above the limit gets another error and costs no
// write, because the process remembers which subjects are full. A subject combines the network of the client with the
// resource that it claimed, if that exists. So a client with wrong settings does not use up the error messages that
// another client at the same address needs.
package throttle

import (
	"context"
	"sync"
	"time"
)

// maxRemembered is the number of full subjects that a process remembers. A failure of any further subject costs a
// write.
const maxRemembered = 10_000

// Limit is the number of failures of a subject that count in a fixed window of time.
type Limit struct {
	Name     string // of the kind of failure; part of a stored key
	Window   time.Duration
	Failures int
}

// Start returns the start of the window that contains the time.
func (l Limit) Start(at time.Time) time.Time { return at.Truncate(l.Window) }

// Rest returns the time until the window ends.
func (l Limit) Rest(at time.Time) time.Duration { return l.Start(at).Add(l.Window).Sub(at) }

// Counts counts failures.
type Counts interface {
	// CountFailure counts one failure of a subject in the window of at, with one conditional write. It returns the
	// number of failures, including this one, at most limit.Failures + 1.
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
