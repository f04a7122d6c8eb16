package analytics_test

import (
	"fmt"
	"testing"
	"time"

	"portside/shared/analytics"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/core/loglines"
	"portside/shared/testkit/awstest"
)

// zones are the time zones that are furthest from UTC, and one of half an hour.
func zones() []*time.Location {
	return []*time.Location{
		time.UTC, time.FixedZone("UTC+14", 14*3600), time.FixedZone("UTC-12", -12*3600), time.FixedZone("UTC-3:30", -7*1800),
	}
}

func TestDayOfEveryDayIgnoresTheTimeZone(t *testing.T) {
	first := true
	var previous calendar.Day
	for midnight := range awstest.Days() {
		for _, zone := range zones() {
			begin, end := midnight.In(zone), midnight.Add(24*time.Hour-1).In(zone)
			if day := calendar.DayOf(begin); day != calendar.DayOf(end) || !day.Begin().Equal(midnight) {
				t.Errorf("%s begins on %s and ends on %s", midnight.Format(time.DateOnly), day, calendar.DayOf(end))
			}
		}
		if day := calendar.DayOf(midnight); !first && day != previous+1 {
			t.Errorf("%s follows %s", day, previous)
		}
		first, previous = false, calendar.DayOf(midnight)
	}
}

func TestPeriodsOnEveryDay(t *testing.T) {
	for midnight := range awstest.Days() {
		today := calendar.DayOf(midnight)
		for _, kind := range analytics.PeriodKinds()[:10] {
			period, err := analytics.PeriodQuery{Kind: kind}.Resolve(today)
			if err != nil {
				t.Fatal(err)
			}
			if !isLastDay(kind, (period.First - 1).Begin()) {
				t.Errorf("%s on %s begins on %s", kind, today, period.First)
			}
			for day := period.First; day < period.Last; day++ {
				if isLastDay(kind, day.Begin()) {
					t.Errorf("%s on %s goes on after %s", kind, today, day)
				}
			}
			if before := period.Previous(); before.Last+1 != period.First || before.Days() != period.Days() {
				t.Errorf("%s on %s is %v, and before it %v", kind, today, period, before)
			}
		}
	}
}

// The longest custom period has five years: from a day of 2028, five years minus a day.
func TestLongestCustomPeriodFromEveryDay(t *testing.T) {
	for midnight := range awstest.Days() {
		from := calendar.DayOf(midnight)
		last := calendar.DayOf(midnight.AddDate(5, 0, -1))
		if _, err := (analytics.PeriodQuery{Kind: analytics.Custom, From: &from, To: &last}).Resolve(last); err != nil {
			t.Errorf("%s to %s: %v", from, last, err)
		}
		tooLate := last + 1
		if _, err := (analytics.PeriodQuery{Kind: analytics.Custom, From: &from, To: &tooLate}).Resolve(tooLate); err == nil {
			t.Errorf("%s to %s is accepted", from, tooLate)
		}
	}
}

// A batch that spans midnight is cut into what belongs to the day before and to the day after.
func TestBatchesAreCutAtEveryMidnight(t *testing.T) {
	for midnight := range awstest.Days() {
		batch := logs.Batch{Log: logs.AccessLog, Group: "g", Stream: "s"}
		for i, at := range []time.Time{midnight.Add(-time.Millisecond), midnight} {
			batch.Events = append(batch.Events, loglines.Event{ID: fmt.Sprint(i), LoggedAt: at, Message: fmt.Sprintf(
				`{"time":"%d","method":"GET","status":"200","latencyMs":"12","path":"/"}`, at.UnixMilli())})
		}
		parts, lost := batch.Segments()
		if len(parts) != 2 || lost != 0 || parts[0].Unreadable()+parts[1].Unreadable() > 0 {
			t.Fatalf("at %s: %+v, %d lost", midnight, parts, lost)
		}
		if day := calendar.DayOf(midnight); parts[0].Day != day-1 || parts[1].Day != day {
			t.Errorf("at %s: the parts are of %s and %s", midnight, parts[0].Day, parts[1].Day)
		}
	}
}
