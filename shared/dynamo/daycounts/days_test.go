package daycounts_test

import (
	"testing"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/daycounts"
	"portside/shared/testkit/awstest"
)

func TestDaysAreOrdered(t *testing.T) {
	zone := time.FixedZone("UTC-12", -12*3600)
	var previous calendar.Day
	for midnight := range awstest.Days() {
		day := calendar.DayOf(midnight)
		if last := calendar.DayOf(midnight.Add(24*time.Hour - 1).In(zone)); last != day || day <= previous {
			t.Errorf("the day %s ends as %s, after %s", day, last, previous)
		}
		previous = day
	}
}

// TestHistoryOf400Days appends a change at the beginning and at the end of each day, which makes one entry per day.
func TestHistoryOf400Days(t *testing.T) {
	var history daycounts.History
	days := 0
	for midnight := range awstest.Days() {
		for _, at := range []time.Time{midnight, midnight.Add(24*time.Hour - time.Nanosecond)} {
			history = history.Append(at, []string{"users"}, "changed")
		}
		days++
	}
	if len(history) != days {
		t.Errorf("%d entries for %d days", len(history), days)
	}
	read, err := daycounts.ParseHistory(history.String())
	if err != nil || read.String() != history.String() {
		t.Errorf("ParseHistory = %v, %v", read, err)
	}
	changes := history.Changes()
	for midnight := range awstest.Days() {
		if n := changes[calendar.DayOf(midnight)]["changed"]; n != 2 {
			t.Errorf("%d changes on %s", n, calendar.DayOf(midnight))
		}
	}
	if sum := changes.Sum(); sum["changed"] != int64(2*days) || sum["users"] != 1 {
		t.Errorf("sum of the changes = %v", sum)
	}
}
