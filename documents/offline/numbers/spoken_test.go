package numbers

import (
	"testing"

	"portside/documents/offline/scan"
)

func TestSpokenNumbers(t *testing.T) {
	type number struct{ text, value, currency string }
	for text, want := range map[string][]number{
		"the total amount is forty thousand dollars": {{"forty thousand dollars", "40000", "USD"}},
		"Two hundred and five euros, and twenty-five percent": {
			{"Two hundred and five euros", "205", "EUR"}, {"twenty-five percent", "25", ""},
		},
		"one million two hundred thousand and three": {{"one million two hundred thousand and three", "1200003", ""}},
		"five per cent":                     {{"five per cent", "5", ""}},
		"zero dollars":                      {{"zero dollars", "0", "USD"}},
		"one of us, two of them":            nil,
		"nineteen ninety":                   nil,
		"thousand million and":              nil,
		"twenty thousand. Dollars":          {{"twenty thousand", "20000", ""}},
		"two hundred and dollars":           {{"two hundred", "200", ""}},
		"thirty three hundred":              {{"thirty three", "33", ""}},
		"one thousand two million":          {{"one thousand two", "1002", ""}},
		"nine hundred ninety nine trillion": {{"nine hundred ninety nine", "999", ""}},
	} {
		t.Run(text, func(t *testing.T) {
			found := Spoken(scan.NewWatch(t.Context()), text)
			if len(found) != len(want) {
				t.Errorf("%q: %+v, want %+v", text, found, want)
				return
			}
			for i, n := range found {
				if got := (number{n.At.In(text), n.Value, n.Currency}); got != want[i] {
					t.Errorf("%q: %+v, want %+v", text, got, want[i])
				}
			}
		})
	}
}
