package awstest

import (
	"context"
	"iter"
	"time"
)

// RealTime returns the time of this machine. It is for what a real engine, the transport or a deadline compares with
// its own clock. Every other test uses a fixed time, so that its result is the same on every day.
func RealTime() time.Time { return time.Now() } //nolint:forbidigo // the one place where tests read the real clock

// Hurried returns a context whose deadline is near, but which does not end at the deadline. Code that compares the time
// that is left with the time that it needs has too little. But its calls have as much as they need, so the speed of the
// machine does not matter.
func Hurried(ctx context.Context, left time.Duration) context.Context {
	return hurried{ctx, RealTime().Add(left)}
}

type hurried struct {
	context.Context

	deadline time.Time
}

// Deadline implements context.Context.
func (h hurried) Deadline() (time.Time, bool) { return h.deadline, true }

// Days returns the midnights, in UTC, of 400 consecutive days from 1 December 2027. They include 29 February 2028, the
// ends of thirteen months and two turns of the year: a rule about days is tested on all of them.
func Days() iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		first := time.Date(2027, time.December, 1, 0, 0, 0, 0, time.UTC)
		for n := range 400 {
			if !yield(first.AddDate(0, 0, n)) {
				return
			}
		}
	}
}
