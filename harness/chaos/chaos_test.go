package chaos

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/shared/testkit"
)

var (
	permutations = flag.Int("permutations", defaultPermutations, "number of permutations for each consumer")
	firstSeed    = flag.Uint64("seed", 1, "seed of the first permutation")
)

// Numbers of permutations at the same time. Those with retries mostly wait. The engine of S3 refuses many calls at once.
const (
	waiting = 96
	busy    = 8
)

// midnight is in the middle of the times of all events.
var midnight = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// errEnded is what a process gets from each call after its end.
var errEnded = errors.New("the process has ended")

// ending decides which calls of a process take effect. Its zero value permits all calls.
type ending struct {
	cut   int64
	lost  bool
	calls atomic.Int64
}

// next returns whether the call takes effect, and whether its answer arrives.
func (e *ending) next() (takesEffect, arrives bool) {
	n := e.calls.Add(1)
	arrives = e.cut == 0 || n < e.cut
	return arrives || n == e.cut && e.lost, arrives
}

// world has the engines of one permutation.
type world interface {
	// deliver invokes the function with the events.
	deliver(ctx context.Context, events []int, end *ending) error
	// state returns the result, without what may differ between deliveries.
	state(ctx context.Context) (string, error)
}

// consumer is a function that gets events.
type consumer struct {
	name    string
	events  int
	workers int
	start   func(tb testing.TB) world
}

// outcome delivers all to a new world and returns its state.
func (c consumer) outcome(tb testing.TB, all []delivery) (string, error) {
	tb.Helper()
	w := c.start(tb)
	var running sync.WaitGroup
	failed := make([]error, len(all))
	for i, d := range all {
		running.Go(func() {
			err := w.deliver(tb.Context(), d.events, &ending{cut: int64(d.cut), lost: d.lost})
			if err != nil && d.cut == 0 {
				failed[i] = fmt.Errorf("delivery %d, %s: %w", i, d, err)
			}
		})
		if !d.together {
			running.Wait()
		}
	}
	running.Wait()
	if err := errors.Join(failed...); err != nil {
		return "", err
	}
	return w.state(tb.Context())
}

// check compares the outcome of every permutation with that of the orderly delivery.
func check(t *testing.T, c consumer) {
	t.Helper()
	testkit.CaptureLogs(t)
	want, err := c.outcome(t, orderly(c.events))
	if err != nil {
		t.Fatal(err)
	}
	var next, deliveries atomic.Int64
	var running sync.WaitGroup
	for range c.workers {
		running.Go(func() {
			t.Run("worker", func(t *testing.T) {
				for n := next.Add(1); n <= int64(*permutations) && !t.Failed(); n = next.Add(1) {
					deliveries.Add(int64(c.one(t, *firstSeed+uint64(n)-1, want)))
				}
			})
		})
	}
	running.Wait()
	t.Logf("figure: %s: %d permutations of %d events in %d deliveries from seed %d",
		c.name, *permutations, c.events, deliveries.Load(), *firstSeed)
}

// one runs the permutation of a seed, and returns the number of its deliveries.
func (c consumer) one(t *testing.T, seed uint64, want string) int {
	t.Helper()
	all := permute(seed, c.events)
	got, err := c.outcome(t, all)
	if err == nil && got == want {
		return len(all)
	}
	least := shrink(all, c.events, func(fewer []delivery) bool {
		got, err := c.outcome(t, fewer)
		return err != nil || got != want
	})
	t.Errorf("seed %d: %v\ngot  %s\nwant %s\ndeliveries:%s", seed, err, got, want, list(least))
	return len(all)
}
