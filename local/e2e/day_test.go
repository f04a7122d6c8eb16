package e2e

import (
	"testing"
	"time"
)

// settleTime is the time after midnight in which the service still counts what happened on the day before. The schedules that count run
// every minute.
const settleTime = 3 * time.Minute

// awaitQuietDay lets a test compare figures of days that it reads one after the other. If the UTC day began a short time ago or ends
// before the test does, it waits. Otherwise, yesterday's figures could grow, or last week could become another week in between.
func awaitQuietDay(t *testing.T, needed time.Duration) {
	t.Helper()
	wait := untilQuiet(now(), needed)
	if wait == 0 {
		return
	}
	t.Logf("waiting %v, because a UTC day begins", wait)
	select {
	case <-time.After(wait):
	case <-t.Context().Done():
	}
}

// untilQuiet returns how long a test must wait that needs a time in which no day begins or settles.
func untilQuiet(at time.Time, needed time.Duration) time.Duration {
	const day = 24 * time.Hour
	since := at.Sub(at.Truncate(day)) // Truncate counts days in UTC
	switch {
	case since < settleTime:
		return settleTime - since
	case day-since < needed:
		return day - since + settleTime
	}
	return 0
}

func TestUntilQuiet(t *testing.T) {
	t.Parallel()
	const needed = 5 * time.Minute
	berlin := time.FixedZone("Berlin", 3600)
	for at, want := range map[time.Time]time.Duration{
		time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC):             0,
		time.Date(2026, 11, 30, 23, 55, 0, 0, time.UTC):            0,
		time.Date(2026, 11, 30, 23, 55, 0, 1, time.UTC):            needed - 1 + settleTime,
		time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC):           time.Second + settleTime,
		time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC):               settleTime,
		time.Date(2026, 12, 1, 0, 2, 0, 0, time.UTC):               settleTime - 2*time.Minute,
		time.Date(2026, 12, 1, 0, 3, 0, 0, time.UTC):               0,
		time.Date(2026, 12, 1, 0, 59, 0, 0, berlin):                time.Minute + settleTime,
		time.Date(2026, 12, 1, 0, 0, 0, 0, berlin):                 0,
		time.Date(2026, 12, 1, 1, 0, 0, 0, berlin).Add(settleTime): 0,
	} {
		if got := untilQuiet(at, needed); got != want {
			t.Errorf("at %v: %v, want %v", at, got, want)
		}
	}
}
