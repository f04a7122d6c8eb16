package retry_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"portside/local/retry"
)

var errFailed = errors.New("failed")

func TestUntilDoublesDelayUpToMaximum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now() //nolint:forbidigo // the clock of the synctest bubble
		var times []time.Duration
		err := retry.Until(t.Context(), retry.Policy{Delay: time.Second, MaxDelay: 3 * time.Second}, func() (bool, error) {
			times = append(times, time.Since(start))
			return len(times) == 5, nil
		})
		want := []time.Duration{0, time.Second, 3 * time.Second, 6 * time.Second, 9 * time.Second}
		if err != nil || !slices.Equal(times, want) {
			t.Errorf("attempts at %v, %v; want %v", times, err, want)
		}
	})
}

func TestUntilReturnsLastErrorAfterAllAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, attempts := time.Now(), 0 //nolint:forbidigo // the clock of the synctest bubble
		err := retry.Until(t.Context(), retry.Policy{Delay: time.Second, Attempts: 3}, func() (bool, error) {
			attempts++
			return false, errFailed
		})
		if !errors.Is(err, errFailed) || attempts != 3 || time.Since(start) != 2*time.Second {
			t.Errorf("%d attempts in %v: %v", attempts, time.Since(start), err)
		}
	})
}

func TestUntilStopsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := retry.Until(ctx, retry.Policy{Delay: time.Hour}, func() (bool, error) { return false, errFailed })
		if !errors.Is(err, errFailed) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}
