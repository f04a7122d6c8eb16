package transactions

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The waits of all attempts add up to at most 5.3 s and on average half of that: within a function's timeout,
// and far from the ten minutes that a client request token holds.
const (
	defaultAttempts = 12
	firstWait       = 10 * time.Millisecond
	longestWait     = time.Second
)

// Retry is how often and after which waits a transaction is tried again. The zero value is what production
// uses; tests replace what they must.
type Retry struct {
	// Attempts is the number of attempts in all; 0 means 12.
	Attempts int
	// Sleep waits, or returns the context's error as soon as it ends; nil waits by the clock.
	Sleep func(context.Context, time.Duration) error
	// Jitter picks a wait in [0, most); nil picks at random.
	Jitter func(most time.Duration) time.Duration
}

// run calls attempt until it succeeds, fails for good, or has been called often enough.
func (r Retry) run(ctx context.Context, attempt func() error) error {
	attempts := cmp.Or(r.Attempts, defaultAttempts)
	for n := 1; ; n++ {
		err := attempt()
		if err == nil {
			return nil
		}
		transient, final := classify(err)
		if !transient {
			return final
		}
		if n >= attempts {
			return fmt.Errorf("%w (%d attempts): %w", ErrBusy, n, final)
		}
		if err := r.wait(ctx, n); err != nil {
			return fmt.Errorf("%w (%d attempts, %w): %w", ErrBusy, n, err, final)
		}
	}
}

// wait passes the time between the nth attempt and the next: at random up to a bound that doubles each time.
func (r Retry) wait(ctx context.Context, n int) error {
	most := longestWait
	if shift := n - 1; shift < 7 { // 10 ms << 7 is past the longest wait
		most = min(most, firstWait<<shift)
	}
	jitter, sleep := r.Jitter, r.Sleep
	if jitter == nil {
		jitter = rand.N[time.Duration]
	}
	if sleep == nil {
		sleep = sleepByTheClock
	}
	return sleep(ctx, jitter(most))
}

func sleepByTheClock(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// retryable takes the SDK's word for what is transient outside of cancellations: throttling, a transaction of
// the same token still in progress, server errors, lost connections.
func retryable(err error) bool {
	return retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary
}

// passing tells whether a transaction was cancelled only for reasons that go away by themselves.
func passing(reasons []types.CancellationReason) bool {
	for _, reason := range reasons {
		switch aws.ToString(reason.Code) {
		case "", "None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
		default:
			return false
		}
	}
	return true
}
