package transactions_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/retry"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
)

// sharedItem is a table of which all transactions write one item, as all creations of users write the root of the
// counters. The local engine runs transactions one after the other; DynamoDB cancels a transaction that meets another
// one.
type sharedItem struct {
	holds time.Duration // how long a transaction takes, and holds the item
	busy  atomic.Bool
}

func (s *sharedItem) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	if !s.busy.CompareAndSwap(false, true) {
		return nil, cmp.Or(pass(ctx, s.holds/2), awstest.TransactionConflict(len(in.TransactItems)))
	}
	defer s.busy.Store(false)
	return &dynamodb.TransactWriteItemsOutput{}, pass(ctx, s.holds)
}

// pass waits on the simulated clock, which takes no real time.
func pass(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// contention is the outcome of a minute of transactions.
type contention struct {
	sent, refused int
	p50, p99      time.Duration
}

// sinceEpoch reads the test's clock, which starts at the beginning of 2000.
func sinceEpoch() time.Duration { return time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) }

// contend sends transactions at random times for a minute, at a mean rate per second. The times and the waits of
// Write's policy are the same in each run, because one of about 2 million transactions is refused also at 30/s.
func contend(t *testing.T, rate float64, item *sharedItem) contention {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(rate)))
	var mu sync.Mutex
	jitter := rand.New(rand.NewPCG(2, uint64(rate)))
	policy := retry.Default
	policy.Jitter = func(bound time.Duration) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return time.Duration(jitter.Int64N(int64(bound)))
	}
	var waits []time.Duration
	outcome := contention{}
	writers, began := sync.WaitGroup{}, time.Duration(0)
	for ; began < time.Minute; outcome.sent++ {
		wait := time.Duration(random.ExpFloat64() / rate * float64(time.Second))
		began += wait
		if err := pass(t.Context(), wait); err != nil {
			t.Fatal(err)
		}
		writers.Go(func() {
			started := sinceEpoch()
			err := transactions.WriteWith(t.Context(), policy, item, []types.TransactWriteItem{{}})
			mu.Lock()
			defer mu.Unlock()
			waits = append(waits, sinceEpoch()-started)
			if err != nil {
				outcome.refused++
			}
		})
	}
	writers.Wait()
	slices.Sort(waits)
	outcome.p50, outcome.p99 = waits[len(waits)/2], waits[len(waits)*99/100]
	return outcome
}

// TestContention shows how many transactions per second one item serves with the policy of Write; -v prints the figures
// of docs/capacity.md. The clock is simulated, so the machine does not matter.
func TestContention(t *testing.T) {
	for _, c := range []struct {
		rate                  float64
		mayRefuse, mustRefuse bool
	}{
		{10, false, false}, {20, false, false}, {30, false, false}, {40, true, false},
		{60, true, false}, {80, true, false}, {200, true, true},
	} {
		t.Run(fmt.Sprintf("%v/s", c.rate), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := contend(t, c.rate, &sharedItem{holds: 10 * time.Millisecond})
				t.Logf("%d sent, %d refused, median %v, 99th percentile %v",
					o.sent, o.refused, o.p50.Round(time.Millisecond), o.p99.Round(time.Millisecond))
				if o.refused > 0 && !c.mayRefuse || o.refused == 0 && c.mustRefuse {
					t.Errorf("%d of %d refused at %v/s", o.refused, o.sent, c.rate)
				}
			})
		})
	}
}
