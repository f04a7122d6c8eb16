// Package versions is how a thing that many may change at once is changed: read, decided on, and written if it still is what
// was read.
//
// Each such thing has a version, 1 at its creation and one more with every change that a reader can see. Stores refuse a write
// that was decided on another version, so that no change is ever lost; here it is decided again, with pauses at random.
package versions

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"portside/shared/core/fault"
)

// The ways in which a change is refused because of others.
var (
	ErrStale = fault.New(fault.Precondition, "It has changed since you read it. Read it again and send the new ETag in If-Match.")
	ErrBusy  = fault.New(fault.Unavailable, "Too many changes to the same thing at once. Send the request again.")
)

// Target is the thing that a change is meant for.
type Target struct {
	ID string
	If func(version int64) bool // whether the stored version is one that the caller wants to change; nil: any
}

// Accepts reports whether the caller wants to change this version.
func (t Target) Accepts(version int64) bool { return t.If == nil || t.If(version) }

// Change reads the target and lets write decide and write, again from the start as long as write returns ErrStale. ErrStale
// where the target's version is not one that the caller wants to change: that is final, unlike a writer that was faster.
func Change[T any](ctx context.Context, target Target, read func(context.Context, string) (T, int64, error), write func(T) error) error {
	unwanted := false
	err := Settle(ctx, func() error {
		thing, version, err := read(ctx, target.ID)
		if err != nil {
			return err
		}
		if unwanted = !target.Accepts(version); unwanted {
			return nil
		}
		return write(thing)
	})
	if unwanted {
		return ErrStale
	}
	return err
}

// attempts is how often a change is tried again after somebody else's change to the same thing came in between.
const attempts = 12

// Settle runs a change that reads a thing and writes it, and runs it again from the start as long as it returns ErrStale:
// another writer was faster. ErrBusy where that does not end.
func Settle(ctx context.Context, change func() error) error {
	for n := range attempts {
		if err := change(); !errors.Is(err, ErrStale) {
			return err
		}
		if err := pause(ctx, n); err != nil {
			return ErrBusy
		}
	}
	return ErrBusy
}

// pause waits before another attempt, twice as long at most each time and at random, so that those who met once do not
// meet again.
func pause(ctx context.Context, attempt int) error {
	const first, longest = 4 * time.Millisecond, 256 * time.Millisecond
	timer := time.NewTimer(rand.N(min(first<<attempt, longest)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stamp is the time of a change as it is stored: a time that is told once with more digits than ever after would confuse.
func Stamp(now time.Time) time.Time { return now.UTC().Truncate(time.Millisecond) }
