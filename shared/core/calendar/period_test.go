package calendar_test

import (
	"testing"
	"time"

	"portside/shared/core/calendar"
)

func TestPeriodBounds(t *testing.T) {
	now := time.Date(2028, 2, 29, 23, 59, 0, 0, time.UTC)
	for _, test := range []struct {
		period   calendar.Period
		from, to string // empty: the period is not valid
	}{
		{calendar.Period{}, "2028-01-31T00:00:00Z", "2028-03-01T00:00:00Z"},
		{calendar.Period{From: "2028-02-28", To: "2028-02-29"}, "2028-02-28T00:00:00Z", "2028-03-01T00:00:00Z"},
		{calendar.Period{From: "2028-02-28T10:00:00+02:00", To: "2028-02-28T08:00:00.0001Z"}, "2028-02-28T08:00:00Z", "2028-02-28T08:00:00.001Z"},
		{calendar.Period{To: "2027-12-31"}, "2027-12-02T00:00:00Z", "2028-01-01T00:00:00Z"},
		{calendar.Period{From: "2027-01-27"}, "2027-01-27T00:00:00Z", "2028-03-01T00:00:00Z"}, // 399 days
		{calendar.Period{From: "2027-01-25"}, "", ""},
		{calendar.Period{From: "2028-03-01"}, "", ""},
	} {
		t.Run(test.period.From+" to "+test.period.To, func(t *testing.T) {
			from, to, err := test.period.Bounds(now, time.Millisecond)
			if test.from == "" {
				if err == nil {
					t.Error("accepted")
				}
				return
			}
			if err != nil || from.Format(time.RFC3339Nano) != test.from || to.Format(time.RFC3339Nano) != test.to {
				t.Errorf("%v to %v, error %v; want %s to %s", from, to, err, test.from, test.to)
			}
		})
	}
}

func TestPeriodCheckRejectsOtherTexts(t *testing.T) {
	for text, failures := range map[string]int{
		"": 0, "2026-11-21": 0, "2026-11-21T08:30:00Z": 0, "yesterday": 1, "2026-02-30": 1, "1999-12-31": 1, "9999-01-01": 1,
	} {
		if got := (calendar.Period{From: text}).Check(); len(got) != failures {
			t.Errorf("%q: failures %v, want %d", text, got, failures)
		}
	}
}
