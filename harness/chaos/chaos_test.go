package chaos

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/shared/testkit"
	"portside/testclient/scale"
)

// workers is how many permutations run concurrently. The engine of S3 refuses too many concurrent calls.
const workers = 8

// midnight is in the middle of the times of all events.
var midnight = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// errKilled is the error of each call of a process after it was killed.
var errKilled = errors.New("the process was killed")

// process counts the calls of AWS of one invocation, and is killed at one of them. The zero value is never killed.
type process struct {
	killedAt    int64 // number of the call, from 1; 0 if the process is not killed
	takesEffect bool  // whether AWS still executes that call
	calls       atomic.Int64
}

// call counts a call. It returns whether AWS executes the call, and whether the process gets the answer.
func (p *process) call() (takesEffect, isAnswered bool) {
	n := p.calls.Add(1)
	isAnswered = p.killedAt == 0 || n < p.killedAt
	return isAnswered || n == p.killedAt && p.takesEffect, isAnswered
}

// world has the engines of one permutation.
type world interface {
	// deliver invokes the function with the events.
	deliver(ctx context.Context, events []int, p *process) error
	// state returns the result, without the parts that may differ between permutations.
	state(ctx context.Context) (string, error)
}

// consumer is a function that gets events.
type consumer struct {
	name   string
	events int
	start  func(tb testing.TB) world
}

// outcome makes the deliveries in a new world and returns its state.
func (c consumer) outcome(tb testing.TB, deliveries []delivery) (string, error) {
	tb.Helper()
	w := c.start(tb)
	var running sync.WaitGroup
	failed := make([]error, len(deliveries))
	for i, d := range deliveries {
		running.Go(func() {
			err := w.deliver(tb.Context(), d.events, &process{killedAt: int64(d.killedAt), takesEffect: d.takesEffect})
			if err != nil && d.killedAt == 0 {
				failed[i] = fmt.Errorf("delivery %d, %s: %w", i, d, err)
			}
		})
		if !d.overlapsNext {
			running.Wait()
		}
	}
	running.Wait()
	if err := errors.Join(failed...); err != nil {
		return "", err
	}
	return w.state(tb.Context())
}

// checkPermutations compares the outcome of every permutation with the outcome of the events in order.
func checkPermutations(t *testing.T, c consumer) {
	t.Helper()
	testkit.CaptureLogs(t)
	want, err := c.outcome(t, inOrder(c.events))
	if err != nil {
		t.Fatal(err)
	}
	permutations := scale.Of(25)
	var next, deliveries atomic.Int64
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			t.Run("worker", func(t *testing.T) {
				for n := next.Add(1); n <= int64(permutations) && !t.Failed(); n = next.Add(1) {
					deliveries.Add(int64(c.checkSeed(t, scale.Seed()+uint64(n)-1, want)))
				}
			})
		})
	}
	running.Wait()
	t.Logf("figure: %s: %d permutations of %d events in %d deliveries from seed %d",
		c.name, permutations, c.events, deliveries.Load(), scale.Seed())
}

// checkSeed checks the permutation of a seed, and returns the number of its deliveries.
func (c consumer) checkSeed(t *testing.T, seed uint64, want string) int {
	t.Helper()
	all := permute(seed, c.events)
	got, err := c.outcome(t, all)
	if err == nil && got == want {
		return len(all)
	}
	smallest := shrink(all, c.events, func(fewer []delivery) bool {
		got, err := c.outcome(t, fewer)
		return err != nil || got != want
	})
	t.Errorf("seed %d: %v\ngot  %s\nwant %s\ndeliveries:%s", seed, err, got, want, describe(smallest))
	return len(all)
}
