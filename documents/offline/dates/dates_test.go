package dates

import (
	"fmt"
	"testing"
)

func TestFindDates(t *testing.T) {
	for text, want := range map[string]string{
		"Tuesday, 3 March 2026": "2026-03-03", "March 3rd, 2026": "2026-03-03", "the 3rd day of March, 2026": "2026-03-03",
		"the 3rd day of\nMarch, 2026": "2026-03-03", "March 3,\n2026": "2026-03-03", "March\n3, 2026": "2026-03-03",
		"the 3rd\nday of March,\n2026": "",
		"3-Mar-26":                     "2026-03-03",
		"le 1er mars 2026":             "2026-03-01", "el 3.º de marzo de 2026": "2026-03-03", "il 3 marzo 2026": "2026-03-03",
		"1º de março de 2026": "2026-03-01",
		"den 3 mars 2026":     "2026-03-03", "dnia 3 marca 2026 r.": "2026-03-03", "3. März 2026": "2026-03-03", "03.03.26": "2026-03-03",
		"3 mrt. 2026": "2026-03-03",
		"3. 3. 2026":  "2026-03-03", "2026/03/03": "2026-03-03", "25/12/2026": "2026-12-25", "12/25/2026": "2026-12-25",
		"2026-03-03T10:00:00Z":           "2026-03-03",
		"Tue, 3 Mar 2026 10:00:00 +0100": "2026-03-03", "3 août 2026": "2026-08-03", "3 października 2026": "2026-10-03",
		"7 iunie 2026": "2026-06-07",
		"31.02.2026":   "", "10.0.0.1": "", "1.2.2026.4": "", "March 2026": "", "3 March": "", "INV-2026-03-03": "", "3 May 10:30": "",
		"99.99.9999": "",
	} {
		t.Run(text, func(t *testing.T) {
			found := Find(nil, text, "de").Dates
			got := ""
			if len(found) > 0 {
				got = found[0].ISO()
			}
			if got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		})
	}
}

func TestOtherDatesDecideDayOrder(t *testing.T) {
	for text, want := range map[string]string{
		"3/4/2026 and 3/18/2026": "[2026-03-04 2026-03-18]", "3/4/2026 and 18/3/2026": "[2026-04-03 2026-03-18]",
		"3/4/2026 for $5": "[]", "3/4/2026 for £5": "[2026-04-03]", "4/4/2026 for $5": "[2026-04-04]", "3/18/2026, 18/3/2026, 3/4/2026": "[2026-03-18 2026-03-18]",
	} {
		t.Run(text, func(t *testing.T) {
			var got []string
			for _, d := range Find(nil, text, "en").Dates {
				got = append(got, d.ISO())
			}
			if fmt.Sprint(got) != want {
				t.Errorf("%q: %v, want %s", text, got, want)
			}
		})
	}
}
