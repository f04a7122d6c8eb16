package number

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"portside/documents/internal/scale"
)

func TestNumbersAsTheirFormatsMeanThem(t *testing.T) {
	for _, c := range []struct{ code, value, want string }{
		{"General", "0.30000000000000004", "0.3"},
		{"General", "1E+20", "100000000000000000000"},
		{"General", "1.5E-7", "0.00000015"},
		{"General", "-0", "0"},
		{"General", "not a number", "not a number"},
		{"#,##0.00", "1234.5", "1234.5"},
		{"#,##0.00", "33.333333333", "33.33"},
		{"#,##0.00", "1000000", "1000000"},
		{`0.00" days"`, "2.5", "2.5"},
		{"0%", "0.125", "12.5 %"},
		{"0.00%", "1.1", "110 %"},
		{"yyyy-mm-dd", "46000", "2025-12-09"},
		{"[$-409]mmmm d, yyyy;@", "1", "1900-01-01"},
		{"d/m/yy", "61", "1900-03-01"},
		{"dd.mm.yyyy hh:mm", "46000.75", "2025-12-09T18:00:00"},
		{"h:mm AM/PM", "0.5", "12:00:00"},
		{"[h]:mm:ss", "1.5", "36:00:00"},
		{"mm:ss", "0.0007", "00:01:00"},
		{"mmm", "46000", "2025-12-09"},
		{"yyyy", "99999999", "99999999"},
		{`"Dollars" 0`, "7", "7"},
		{`#,##0 [$€-407]`, "7", "7 €"},
		{`#,##0.00\ [$€-407];[Red]-#,##0.00\ [$€-407]`, "1234.5", "1234.50 €"},
		{`_("$"* #,##0.00_);_("$"* \(#,##0.00\)`, "-12", "-12.00 $"},
		{`#,##0.00 "zł"`, "0.125", "0.13 zł"},
		{`"kr" 0.0`, "2", "2.0 kr"},
		{`[$CHF] 0.00`, "1e20", "100000000000000000000.00 CHF"},
		{`\€0`, "7.5", "7.5 €"},
		{`[$R$-416] 0.00`, "7", "7.00 R$"},
		{`0 "pen"`, "7", "7"},
		{`[$-409]0;"$"0`, "7", "7"},
		{`[$€-407] dd.mm.yyyy`, "46000", "2025-12-09"},
		{`0% "€"`, "0.5", "50 %"},
		{`[Red]0.0`, "7.25", "7.3"},
		{`\d0`, "7", "7"},
		{`"`, "7", "7"},
		{`[`, "7", "7"},
		{`\`, "7", "7"},
	} {
		t.Run(c.code+" of "+c.value, func(t *testing.T) {
			if got := ParseFormat(c.code).Render(c.value, false); got != c.want {
				t.Errorf("%s of %s is %s, not %s", c.code, c.value, got, c.want)
			}
		})
	}
	if got := Builtin(14).Render("0", true); got != "1904-01-01" {
		t.Errorf("the first day of 1904 is %s", got)
	}
}

func TestNumbersArePlainDecimals(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		n := rapid.Float64Range(-1e300, 1e300).Draw(t, "n")
		text := decimal(n)
		if strings.Trim(text, "-.0123456789") != "" {
			t.Fatalf("%s is no plain decimal", text)
		}
		back, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Abs(back-n) > math.Abs(n)*1e-14 {
			t.Fatalf("%v became %s", n, text)
		}
	})
}

func TestFormatsOfAllKindsAreRead(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		code := rapid.StringOf(rapid.RuneFrom([]rune(`yYmdhs0#.,%"\[]_*;-é$`))).Draw(t, "code")
		ParseFormat(code).Render("46000.25", rapid.Bool().Draw(t, "1904"))
	})
}
