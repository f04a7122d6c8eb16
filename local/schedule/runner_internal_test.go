package schedule

import (
	"testing"
	"testing/synctest"
	"time"
)

// A bubble's clock does not jump as that of a computer waking up does, so the step after waking is
// asked for alone.
func TestWhatWasMissedIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := New(Config{Jobs: []Job{{Expression: "rate(1 hour)", Enabled: true}, {Expression: "cron(30 * * * ? *)", Enabled: true}}})
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
			t.Errorf("a run that began late moved the beat to %v", next.Sub(now()))
		}
	})
}
