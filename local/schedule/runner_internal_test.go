package schedule

import (
	"testing"
	"testing/synctest"
	"time"
)

// synctest's clock cannot jump like the clock of a computer that wakes up, so the test calls nextDue
// directly.
func TestNextDueSkipsMissedTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := New(Config{Jobs: []Job{{Expression: "rate(1 hour)", Enabled: true},
			{Expression: "cron(30 * * * ? *)", Enabled: true}}})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []time.Duration{time.Hour, 30 * time.Minute} {
			next, ok := r.nextDue(i, now().Add(-10*time.Hour))
			if !ok || next.Sub(now()) != want {
				t.Errorf("after a sleep the next run is in %v, want %v", next.Sub(now()), want)
			}
		}
		if next, _ := r.nextDue(0, now().Add(-time.Minute)); next.Sub(now()) != 59*time.Minute {
			t.Errorf("a late run shifted the next one to %v", next.Sub(now()))
		}
	})
}
