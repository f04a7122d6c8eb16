package parallel_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"portside/shared/core/parallel"
)

func TestEachCallsOncePerIndexWithinTheLimit(t *testing.T) {
	for _, c := range []struct{ n, limit int }{{0, 4}, {1, 4}, {100, 4}, {3, 100}, {50, 1}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			called := make([]atomic.Int64, c.n)
			var running, most atomic.Int64
			err := parallel.Each(c.n, c.limit, func(i int) error {
				for now := running.Add(1); ; {
					if seen := most.Load(); now <= seen || most.CompareAndSwap(seen, now) {
						break
					}
				}
				called[i].Add(1)
				running.Add(-1)
				return nil
			})
			if err != nil || most.Load() > int64(c.limit) {
				t.Errorf("%v, %d calls at a time", err, most.Load())
			}
			for i := range called {
				if times := called[i].Load(); times != 1 {
					t.Errorf("index %d is called %d times", i, times)
				}
			}
		})
	}
}

func TestEachStopsAfterAnError(t *testing.T) {
	want, calls := errors.New("third"), 0
	err := parallel.Each(100, 1, func(i int) error {
		calls++
		if i == 2 {
			return want
		}
		return nil
	})
	if !errors.Is(err, want) || calls != 3 {
		t.Errorf("got %v after %d calls", err, calls)
	}
}
