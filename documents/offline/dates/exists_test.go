package dates

import (
	"testing"
	"time"
)

func TestExistsAgreesWithTheCalendar(t *testing.T) {
	const months, days = 14, 33 // also values that no calendar has
	for n := range 10 * months * days {
		year, month, day := 2023+n/(months*days), n/days%months, n%days
		at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
		want := at.Year() == year && int(at.Month()) == month && at.Day() == day
		if d := (Date{Year: year, Month: month, Day: day}); d.Exists() != want {
			t.Errorf("%s exists: %v, want %v", d.ISO(), d.Exists(), want)
		}
	}
}
