package main

import (
	"testing"
	"time"

	"portside/shared/testkit/awstest"
)

// Whatever the day, the time and the zone, a list without dates is of the last thirty days, today included, and a list of one
// date is of the whole of that day.
func TestSpanOfPullsOnEveryDay(t *testing.T) {
	zone := time.FixedZone("UTC+14", 14*3600)
	for midnight := range awstest.Days() {
		for _, now := range []time.Time{midnight, midnight.Add(24*time.Hour - 1)} {
			from, to, err := (&listPullsInput{}).span(now.In(zone))
			if err != nil || !to.Equal(midnight.Add(24*time.Hour)) || to.Sub(from) != 30*24*time.Hour {
				t.Errorf("on %s: %s to %s, %v", now, from, to, err)
			}
		}
		date := midnight.Format(time.DateOnly)
		from, to, err := (&listPullsInput{From: date, To: date}).span(midnight)
		if err != nil || !from.Equal(midnight) || to.Sub(from) != 24*time.Hour {
			t.Errorf("%s is %s to %s, %v", date, from, to, err)
		}
		first := midnight.AddDate(0, 0, -399).Format(time.DateOnly)
		if _, _, err := (&listPullsInput{From: first, To: date}).span(midnight); err != nil {
			t.Errorf("400 days up to %s: %v", date, err)
		}
		if _, _, err := (&listPullsInput{From: midnight.AddDate(0, 0, -400).Format(time.DateOnly), To: date}).span(midnight); err == nil {
			t.Errorf("401 days up to %s are accepted", date)
		}
	}
}
