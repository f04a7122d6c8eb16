package number

import (
	"strconv"
	"testing"
	"time"
)

// Excel counts days from 1 January 1900 as 1, and believes that 1900 had a leap day; the count of 1904 begins with 0.
func TestEveryDayOfASpreadsheet(t *testing.T) {
	const serial1900, between = 46722, 1462 // of 1 December 2027, and the distance of the two counts
	first := time.Date(2027, time.December, 1, 0, 0, 0, 0, time.UTC)
	for n := range 400 {
		day := first.AddDate(0, 0, n)
		for _, text := range []string{strconv.Itoa(serial1900 + n), strconv.Itoa(serial1900+n) + ".99998"} {
			if got := (Format{date: true}).Render(text, false); got != day.Format(time.DateOnly) {
				t.Errorf("%s is shown as %s, want %s", text, got, day.Format(time.DateOnly))
			}
		}
		if got := (Format{date: true}).Render(strconv.Itoa(serial1900-between+n), true); got != day.Format(time.DateOnly) {
			t.Errorf("in the count of 1904, %s is shown as %s", day.Format(time.DateOnly), got)
		}
		want := day.Format("2006-01-02T15:04:05")
		if got := (Format{date: true, clock: true}).Render(strconv.Itoa(serial1900+n), false); got != want {
			t.Errorf("with its time, %s is shown as %s", want, got)
		}
	}
}
