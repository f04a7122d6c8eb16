package mediaprompt

import (
	"testing"
	"time"
)

func TestCheckDateOnEveryDay(t *testing.T) {
	first := time.Date(2027, time.December, 1, 0, 0, 0, 0, time.UTC)
	for n := range 400 { // with 29 February 2028 and two turns of the year
		day := first.AddDate(0, 0, n)
		iso := day.Format(time.DateOnly)
		for _, layout := range []string{time.DateOnly, "2006-1-2", "2006/1/2", "2006.1.2", time.RFC3339, time.DateTime} {
			if got := isoDate(day.Format(layout)); got != iso {
				t.Errorf("%s is read as %q", day.Format(layout), got)
			}
		}
		for _, layout := range []string{time.DateOnly, "02.01.2006", "2 January 2006", "January 2, 2006"} {
			quote := "due on " + day.Format(layout)
			if got := checkDate(quote, iso); got != verified {
				t.Errorf("%s is in %q with %v", iso, quote, got)
			}
			if other := day.AddDate(0, 0, 1).Format(time.DateOnly); checkDate(quote, other) >= verified {
				t.Errorf("%s is in %q", other, quote)
			}
		}
	}
}
