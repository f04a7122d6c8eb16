// Package lifetime starts servers and engines of a stack, ends them in the right order, and reports when one ends
// unexpectedly.
package lifetime

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Lifetime has the parts that are running.
type Lifetime struct {
	failed chan error

	mu       sync.Mutex
	ends     []func(context.Context) error // in the order in which the parts were started
	stopping bool
}

// New returns a lifetime without parts.
func New() *Lifetime { return &Lifetime{failed: make(chan error, 8)} }

// OnStop registers a function that ends a part.
func (l *Lifetime) OnStop(end func(context.Context) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ends = append(l.ends, end)
}

// Stop ends the parts in reverse order of their starts.
func (l *Lifetime) Stop(ctx context.Context) error {
	l.mu.Lock()
	ends := l.ends
	l.ends = nil
	l.stopping = true
	l.mu.Unlock()
	var failed []error
	for _, end := range slices.Backward(ends) {
		failed = append(failed, end(ctx))
	}
	return errors.Join(failed...)
}

// IsStopping reports whether Stop was called.
func (l *Lifetime) IsStopping() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopping
}

// Fail reports that a part has ended unexpectedly.
func (l *Lifetime) Fail(err error) { l.failed <- err }

// Failed receives the errors of Fail.
func (l *Lifetime) Failed() <-chan error { return l.failed }

// Concurrently runs the tasks concurrently. The first error cancels the other tasks and is
// returned.
func Concurrently(ctx context.Context, tasks ...func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, task := range tasks {
		wg.Go(func() {
			if err := task(ctx); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
