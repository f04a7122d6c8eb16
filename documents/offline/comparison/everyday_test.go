package comparison

import (
	"testing"
	"time"

	"portside/documents/answers"
	"portside/documents/offline/dates"
)

func TestDatesOf400DaysAreReadInEveryLanguage(t *testing.T) {
	first := time.Date(2027, time.December, 1, 0, 0, 0, 0, time.UTC)
	for n := range 400 { // includes 29 February 2028 and two turns of the year
		day := first.AddDate(0, 0, n)
		for _, lang := range answers.Langs() {
			for _, text := range []string{
				(wording{lang: lang}).date(day), day.Format(time.DateOnly), day.Format("02.01.2006"), day.Format("2.1.2006"),
			} {
				found := dates.Find(nil, "x: "+text+", y", lang).Dates
				if len(found) != 1 || found[0].ISO() != day.Format(time.DateOnly) {
					t.Errorf("%s: %q is read as %+v", lang, text, found)
				}
			}
		}
	}
}
