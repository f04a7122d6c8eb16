package offline

import (
	"testing"
	"time"

	"portside/documents/answers"
)

func TestEveryDayIsReadInEveryLanguage(t *testing.T) {
	first := time.Date(2027, time.December, 1, 0, 0, 0, 0, time.UTC)
	for n := range 400 { // with 29 February 2028 and two turns of the year
		day := first.AddDate(0, 0, n)
		for _, lang := range answers.Langs() {
			for _, text := range []string{
				(wording{lang: lang}).date(day), day.Format(time.DateOnly), day.Format("02.01.2006"), day.Format("2.1.2006"),
			} {
				found := datesOf("x: "+text+", y", lang)
				if len(found) != 1 || found[0].iso() != day.Format(time.DateOnly) {
					t.Errorf("%s: %q is read as %+v", lang, text, found)
				}
			}
		}
	}
}

func TestOnlyDaysOfTheCalendarExist(t *testing.T) {
	const months, days = 14, 33 // those that do not exist among them
	for n := range 10 * months * days {
		year, month, day := 2023+n/(months*days), n/days%months, n%days
		at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
		want := at.Year() == year && int(at.Month()) == month && at.Day() == day
		if d := (dated{year: year, month: month, day: day}); d.exists() != want {
			t.Errorf("%s exists: %v", d.iso(), !want)
		}
	}
}
