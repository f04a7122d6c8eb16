package calendar_test

import (
	"testing"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/testkit/awstest"
)

// TestBoundsOnEveryDay checks, for any day, time and time zone, that a period without dates has the last 30 days,
// including today, and that a period of one date has that whole day.
func TestBoundsOnEveryDay(t *testing.T) {
	zone := time.FixedZone("UTC+14", 14*3600)
	for midnight := range awstest.Days() {
		for _, now := range []time.Time{midnight, midnight.Add(24*time.Hour - 1)} {
			from, to, err := calendar.Period{}.Bounds(now.In(zone), time.Millisecond)
			if err != nil || !to.Equal(midnight.Add(24*time.Hour)) || to.Sub(from) != 30*24*time.Hour {
				t.Errorf("Bounds on %s = %s to %s, %v", now, from, to, err)
			}
		}
		date := midnight.Format(time.DateOnly)
		from, to, err := calendar.Period{From: date, To: date}.Bounds(midnight, time.Millisecond)
		if err != nil || !from.Equal(midnight) || to.Sub(from) != 24*time.Hour {
			t.Errorf("Bounds of %s = %s to %s, %v", date, from, to, err)
		}
		first := midnight.AddDate(0, 0, -399).Format(time.DateOnly)
		if _, _, err := (calendar.Period{From: first, To: date}).Bounds(midnight, time.Millisecond); err != nil {
			t.Errorf("400 days up to %s: %v", date, err)
		}
		early := midnight.AddDate(0, 0, -400).Format(time.DateOnly)
		if _, _, err := (calendar.Period{From: early, To: date}).Bounds(midnight, time.Millisecond); err == nil {
			t.Errorf("401 days up to %s are accepted", date)
		}
	}
}
