package rank_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"portside/shared/dynamo/rank"
	"portside/shared/testkit/awstest"
)

func TestAllocatedNumbersAndTimesHaveTheSameOrder(t *testing.T) {
	d := newDirectory(t)
	client, meter := awstest.Metered(d.client)
	tree := d.through(client).tree
	steps := []struct {
		n         int
		now, want int64 // milliseconds
		first     int64
		calls     int
	}{
		{1, 1_000, 1_000, 0, 1},
		{40, 2_000, 2_000, 1, 1},
		{1, 1_500, 2_000, 41, 2}, // a machine whose clock is behind
		{2, 2_000, 2_000, 42, 1},
		{1, 2_001, 2_001, 44, 1},
	}
	for _, step := range steps {
		meter.Reset()
		first, at, err := tree.Allocate(t.Context(), step.n, time.UnixMilli(step.now).Add(999*time.Microsecond))
		if err != nil || first != step.first || !at.Equal(time.UnixMilli(step.want)) || meter.Calls() != step.calls {
			t.Errorf("allocate %d at %d = %d, %v, %v by %d calls; want %d, %d by %d",
				step.n, step.now, first, at.UnixMilli(), err, meter.Calls(), step.first, step.want, step.calls)
		}
	}
}

func TestAllocateGivesEachNumberOnce(t *testing.T) {
	d := newDirectory(t)
	var mu sync.Mutex
	given := map[int64]int64{} // number to time
	var workers sync.WaitGroup
	for worker := range 8 {
		workers.Go(func() {
			for i := range 25 {
				first, at, err := d.tree.Allocate(t.Context(), 3, time.UnixMilli(int64(100*worker+10*i)))
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for n := range int64(3) {
					given[first+n] = at.UnixMilli()
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	if len(given) != 600 {
		t.Errorf("%d different numbers, want 600", len(given))
	}
	for number := int64(1); number < 600; number++ {
		if given[number] < given[number-1] {
			t.Errorf("number %d has time %d, but number %d has time %d", number, given[number], number-1, given[number-1])
		}
	}
}

func TestAllocateStopsAtCapacity(t *testing.T) {
	d := newDirectory(t)
	now := time.UnixMilli(5)
	if _, _, err := d.tree.Allocate(t.Context(), int(rank.Capacity)-1, now); err != nil {
		t.Fatal(err)
	}
	for _, clock := range []time.Time{now, time.UnixMilli(0)} {
		if _, _, err := d.tree.Allocate(t.Context(), 2, clock); !errors.Is(err, rank.ErrFull) {
			t.Errorf("allocating 2 of 1 = %v, want ErrFull", err)
		}
	}
	if first, _, err := d.tree.Allocate(t.Context(), 1, now); err != nil || first != rank.Capacity-1 {
		t.Errorf("the last number = %d, %v", first, err)
	}
	for _, n := range []int{0, -1, int(rank.Capacity) + 1} {
		if _, _, err := d.tree.Allocate(t.Context(), n, now); err == nil || errors.Is(err, rank.ErrFull) {
			t.Errorf("allocating %d = %v, want an error other than ErrFull", n, err)
		}
	}
}
