package users

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// attempts is how often a change is tried again after somebody else's change to the same user came in between.
const attempts = 12

// settle runs a change that reads a user and writes it, and runs it again from the start as long as it returns ErrStale:
// another writer was faster. ErrBusy where that does not end.
func settle(ctx context.Context, change func() error) error {
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
