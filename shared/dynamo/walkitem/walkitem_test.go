package walkitem_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/shared/core/walk"
	"portside/shared/dynamo/walkitem"
	"portside/shared/testkit/awstest"
)

type progress struct {
	After string
	Count int64
	Since time.Time
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

const lease = time.Minute

// clock is a clock that the test moves.
type clock struct{ now time.Time }

func (c *clock) at() walk.Clock {
	return walk.Clock{Now: func() time.Time { return c.now }, Lease: lease}
}

func newStore(t *testing.T) walkitem.Store[progress] {
	t.Helper()
	client := awstest.DynamoDB(t)
	return walkitem.New[progress](client, awstest.Table(t, client, "AnalyticsTable"), "test")
}

func begin(t *testing.T, store walkitem.Store[progress], c *clock) *walk.Run[progress] {
	t.Helper()
	run, err := walk.Begin(t.Context(), store, c.at())
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestARunContinuesWithTheProgress(t *testing.T) {
	store, c := newStore(t), &clock{noon}
	run := begin(t, store, c)
	if run.Progress != (progress{}) {
		t.Errorf("the first run has the progress %+v", run.Progress)
	}
	run.Progress = progress{After: "b", Count: 1 << 60, Since: noon.Add(time.Millisecond)}
	want := run.Progress
	if err := run.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if next := begin(t, store, c); next.Progress != want {
		t.Errorf("the next run has the progress %+v, want %+v", next.Progress, want)
	}
}

func TestOnlyOneRunHasTheLease(t *testing.T) {
	store, c := newStore(t), &clock{noon}
	var held atomic.Int64
	var runs sync.WaitGroup
	for range 8 {
		runs.Go(func() {
			switch _, err := walk.Begin(t.Context(), store, c.at()); {
			case err == nil:
				held.Add(1)
			case !errors.Is(err, walk.ErrLocked):
				t.Error(err)
			}
		})
	}
	runs.Wait()
	if held.Load() != 1 {
		t.Errorf("%d runs have the lease", held.Load())
	}
}

// TestAnExpiredLeaseIsLost takes the lease over. The first run can store nothing from then on.
func TestAnExpiredLeaseIsLost(t *testing.T) {
	store, c := newStore(t), &clock{noon}
	first := begin(t, store, c)
	first.Progress.Count = 1
	c.now = c.now.Add(lease - time.Millisecond)
	if _, err := walk.Begin(t.Context(), store, c.at()); !errors.Is(err, walk.ErrLocked) {
		t.Fatalf("just before the end of the lease: %v", err)
	}
	if err := first.Renew(t.Context(), time.Second); err != nil { // extends the lease and stores the progress
		t.Fatal(err)
	}
	c.now = c.now.Add(lease - time.Millisecond)
	if err := first.Renew(t.Context(), 0); err != nil { // not necessary yet
		t.Fatal(err)
	}
	c.now = c.now.Add(time.Millisecond)
	second := begin(t, store, c)
	if second.Progress.Count != 1 {
		t.Errorf("the second run has the progress %+v", second.Progress)
	}
	first.Progress.Count = 100
	if err := first.Save(t.Context()); !errors.Is(err, walk.ErrLocked) {
		t.Errorf("the first run stored its progress: %v", err)
	}
	if err := first.End(t.Context()); err != nil {
		t.Errorf("the first run did not end: %v", err)
	}
	second.Progress.Count++
	if err := second.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if third := begin(t, store, c); third.Progress.Count != 2 {
		t.Errorf("the third run has the progress %+v", third.Progress)
	}
}
