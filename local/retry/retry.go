// Package retry repeats an attempt until it succeeds.
package retry

import (
	"context"
	"fmt"
	"time"
)

// Policy limits the attempts and sets the delay between them.
type Policy struct {
	Delay    time.Duration // before the second attempt
	MaxDelay time.Duration // the delay doubles up to this; 0 keeps it constant
	Attempts int           // 0 means no limit
}

// Until calls attempt until it returns true, and returns the error of that call. If the attempts
// are used up, it returns the last error. If ctx ends during a delay, the error wraps both the last
// error and the context's cause.
func Until(ctx context.Context, p Policy, attempt func() (done bool, err error)) error {
	delay := p.Delay
	for n := 1; ; n++ {
		done, err := attempt()
		if done || n == p.Attempts {
			return err
		}
		select {
		case <-time.After(delay):
			delay = min(2*delay, max(p.MaxDelay, p.Delay))
		case <-ctx.Done():
			return stopped(err, context.Cause(ctx))
		}
	}
}

func stopped(last, cause error) error {
	if last == nil {
		return cause
	}
	return fmt.Errorf("%w (%w)", last, cause)
}
