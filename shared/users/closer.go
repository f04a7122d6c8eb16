package users

import (
	"context"
	"errors"
	"time"
)

// Closing is a task that is stored together with a change of a user: the user's credentials still have to get the new
// role or status, or to be revoked if the user was deleted.
type Closing struct {
	ID      string // unique to each closing, also to two of the same user in the same millisecond
	UserID  string
	At      time.Time
	SignOut bool // whether the sessions end, too
	EndsAll bool // whether all credentials end, as for EndAll
}

// ClosingStore keeps the closings that are not finished.
type ClosingStore interface {
	// Closings returns up to limit closings that are due at the given time.
	Closings(ctx context.Context, at time.Time, limit int) ([]Closing, error)
	// Sweep gives all credentials the role and status of their user, or revokes them if the user was deleted, and
	// removes the closing. It can be repeated.
	Sweep(ctx context.Context, c Closing) error
}

// Closer finishes closings that a request could not finish.
type Closer struct {
	store ClosingStore
	now   func() time.Time
}

// NewCloser returns a Closer.
func NewCloser(store ClosingStore, now func() time.Time) *Closer { return &Closer{store, now} }

// minClosingTime is the time that must be left to a run of the schedule to begin another closing.
const minClosingTime = 5 * time.Second

// FinishDue finishes the closings that are due, as long as the context's deadline leaves time, and returns their
// number. A failure does not stop the rest; the errors are joined.
func (c *Closer) FinishDue(ctx context.Context) (finished int, err error) {
	const batch = 100
	due, err := c.store.Closings(ctx, c.now(), batch)
	if err != nil {
		return 0, err
	}
	var failures []error
	for _, closing := range due {
		if deadline, hasDeadline := ctx.Deadline(); hasDeadline && time.Until(deadline) < minClosingTime {
			break
		}
		if err := c.store.Sweep(ctx, closing); err != nil {
			failures = append(failures, err)
			continue
		}
		finished++
	}
	return finished, errors.Join(failures...)
}
