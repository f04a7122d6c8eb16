// Package walk lets a job over many items take several runs: each run continues where the previous one stopped.
//
// A run holds a lease, so only one run works at a time. It stores its progress with the lease. A run that dies keeps
// the lease until it expires, and the next run continues from the stored progress. So a run must be able to repeat the
// work after the last stored progress.
//
// Nothing invokes the function again in between: the next run of the schedule continues. A function that invoked itself
// would be stopped by Lambda, which takes 16 such invocations for an endless loop.
package walk

import (
	"context"
	"crypto/rand"
	"errors"
	"time"
)

// ErrLocked means that another run has the lease.
var ErrLocked = errors.New("walk: another run has the lease")

// Store stores the progress P of a walk and its lease. Writes are conditional, so of two runs one succeeds.
type Store[P any] interface {
	// Acquire takes the lease until the given time and returns the progress, or the zero P before the first run.
	// Errors: ErrLocked if another run has the lease.
	Acquire(ctx context.Context, run string, now, until time.Time) (P, error)
	// Save stores the progress and extends the lease. Errors: ErrLocked if the run has lost the lease.
	Save(ctx context.Context, run string, progress P, until time.Time) error
	// Release stores the progress and ends the lease. Errors: ErrLocked if the run has lost the lease.
	Release(ctx context.Context, run string, progress P) error
}

// Clock are the times of a lease.
type Clock struct {
	Now   func() time.Time
	Lease time.Duration // how long a run that died blocks other runs
}

// Run is a run that has the lease. Progress is the progress that the next Save, Renew or Release stores.
type Run[P any] struct {
	Progress P

	store Store[P]
	id    string
	until time.Time
	clock Clock
}

// Begin takes the lease and reads the progress. Errors: ErrLocked if another run has the lease.
func Begin[P any](ctx context.Context, store Store[P], clock Clock) (*Run[P], error) {
	r := &Run[P]{store: store, id: rand.Text(), clock: clock}
	now := clock.Now()
	r.until = now.Add(clock.Lease)
	var err error
	r.Progress, err = store.Acquire(ctx, r.id, now, r.until)
	return r, err
}

// Save stores the progress and extends the lease. Errors: ErrLocked if the run has lost the lease.
func (r *Run[P]) Save(ctx context.Context) error {
	until := r.clock.Now().Add(r.clock.Lease)
	if err := r.store.Save(ctx, r.id, r.Progress, until); err != nil {
		return err
	}
	r.until = until
	return nil
}

// Renew is Save if the lease ends within the given time, and otherwise does nothing.
func (r *Run[P]) Renew(ctx context.Context, within time.Duration) error {
	if r.until.Sub(r.clock.Now()) > within {
		return nil
	}
	return r.Save(ctx)
}

// End stores the progress and ends the lease, also after the context has ended. It does nothing if the run has lost the
// lease, because the run that has it now stores the progress.
func (r *Run[P]) End(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if err := r.store.Release(ctx, r.id, r.Progress); !errors.Is(err, ErrLocked) {
		return err
	}
	return nil
}

const endTimeout = 5 * time.Second

// HasTime reports whether the context leaves at least this time. It uses the machine's clock, as the deadline does.
func HasTime(ctx context.Context, need time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() == nil && (!ok || time.Until(deadline) >= need)
}
