package calendar_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/core/calendar"
	"portside/testclient/scale"
)

func TestDayOfIsTheDayInUTC(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		seconds := rapid.Int64Range(-1<<31, 1<<33).Draw(t, "seconds")
		zone := time.FixedZone("somewhere", rapid.IntRange(-14*3600, 14*3600).Draw(t, "offset"))
		at := time.Unix(seconds, rapid.Int64Range(0, 1e9-1).Draw(t, "nanoseconds")).In(zone)
		day := calendar.DayOf(at)
		if want := at.UTC().Format(time.DateOnly); day.String() != want || at.Before(day.Begin()) ||
			!at.Before((day + 1).Begin()) {
			t.Errorf("DayOf(%v) = %v", at, day)
		}
		if read, err := calendar.ParseDay(day.String()); day >= 0 && (err != nil || read != day) {
			t.Errorf("ParseDay(%v) = %v, %v", day, read, err)
		}
		if text, err := json.Marshal(day); err != nil || string(text) != `"`+day.String()+`"` {
			t.Errorf("%v as JSON is %s, %v", day, text, err)
		}
	})
}

func TestParseDayRejectsOtherText(t *testing.T) {
	for _, text := range []string{
		"", "2026-02-29", "2026-02-30", "2026-13-01", "2026-00-10", "20260101", "2026-1-1", "2026-01-01T00:00:00Z", " 2026-01-01",
		"1969-12-31", "0000-01-01", "10000-01-01", "-2026-01-01", "today",
	} {
		if day, err := calendar.ParseDay(text); err == nil {
			t.Errorf("ParseDay(%q) = %v, want an error", text, day)
		}
	}
}
