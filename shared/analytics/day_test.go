package analytics_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/analytics"
)

func TestDayOfUsesUTC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Int64Range(-1<<31, 1<<33).Draw(t, "seconds")
		zone := time.FixedZone("somewhere", rapid.IntRange(-14*3600, 14*3600).Draw(t, "offset"))
		at := time.Unix(seconds, rapid.Int64Range(0, 1e9-1).Draw(t, "nanoseconds")).In(zone)
		day := analytics.DayOf(at)
		if want := at.UTC().Format(time.DateOnly); day.String() != want || at.Before(day.Begin()) || !at.Before((day + 1).Begin()) {
			t.Errorf("the day of %v is %v", at, day)
		}
		if read, err := analytics.ParseDay(day.String()); day >= 0 && (err != nil || read != day) {
			t.Errorf("%v parsed as %v, %v", day, read, err)
		}
		if text, err := json.Marshal(day); err != nil || string(text) != `"`+day.String()+`"` {
			t.Errorf("%v marshaled as %s, %v", day, text, err)
		}
	})
}

func TestParseDayRejectsInvalidDates(t *testing.T) {
	for _, text := range []string{
		"", "2026-02-29", "2026-02-30", "2026-13-01", "2026-00-10", "20260101", "2026-1-1", "2026-01-01T00:00:00Z", " 2026-01-01",
		"1969-12-31", "0000-01-01", "10000-01-01", "-2026-01-01", "today",
	} {
		if day, err := analytics.ParseDay(text); err == nil {
			t.Errorf("%q parsed as %v, want an error", text, day)
		}
	}
}
