package numbers

import (
	"strings"
	"testing"

	"portside/documents/answers"
)

// Dashes also stand in ranges, names and lists.
func TestDashesThatAreNotMinusSigns(t *testing.T) {
	for text, want := range map[string]string{
		"100 - 500": "100 500", "100- 500": "100 500", "100-\n500": "100 500", "12.50- 15.00": "12.5 15", "500:- 300": "500 300",
		"INV‐17": "", "INV‑17": "", "——500": "", "Costs: - 500 EUR for painting - 300 EUR for floors": "",
		"- 500 EUR for painting": "500", "paid\n- 500 EUR\n": "", "2000 EUR minus 500 EUR": "2000 500",
	} {
		t.Run(text, func(t *testing.T) {
			var values []string
			for _, f := range Find(nil, text, "en") {
				values = append(values, f.Value)
			}
			if got := strings.Join(values, " "); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		})
	}
}

func TestPartialNumbersAreNotValues(t *testing.T) {
	for text, want := range map[string]string{
		"5€50": "5.5", "12€50": "12.5", "5€5": "", "5EUR50": "", "1.234€50": "", "50 € 100": "50 100", "€50": "50",
		"1½": "1.5", "3 ½": "3.5", "2¾ kg": "2.75", "1½ million": "1500000", "3⅓": "", "3 1/2": "", "1⁄2": "",
		"3 million and a half": "", "2 and a quarter": "", "3 Millionen und ein halb": "", "tres y media": "", "5 euro 50": "", "5 euro 50 cent": "",
		"15 dollars and 15 cents": "", "ett delat på 20": "", "1 divided by 3": "", "5 euro 500 pieces": "5 500", "10 eggs and a half dozen": "10",
		"10^6": "", "10⁶": "", "3 x 10^6": "", "3 × 10⁶": "", "3·10^6": "", "12 m²": "12", "1200²": "1200", "3 x 10": "3 10",
		"5 hundred": "500", "5 hundred thousand": "500000", "5 dozen": "", "5 Dutzend": "", "2 lakh": "200000", "3 crore": "30000000",
		"5m EUR": "5000000", "5k EUR": "5000", "5 M€": "5000000", "120 TEUR": "120000", "5 m EUR": "", "5m EUR 20": "5 20", "10M": "", "1,674,200.5 M": "", "10 M€": "10000000", "-2500^-1": "",
		",2345": "", "from ,5 to": "", "5m": "5",
		"5 km": "5", "5 kr": "5", "5 m long": "5", "3 thousand million": "3000000000",
		"x\t1e2": "100", "x: 1.5E+3": "1500", "x: -1e2": "-100", "1e2": "", "flat 1e2": "", "x: 1e99": "", "x: 1e2 left": "",
	} {
		t.Run(text, func(t *testing.T) {
			var values []string
			for _, f := range Find(nil, text, "en") {
				values = append(values, f.Value)
			}
			if got := strings.Join(values, " "); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		})
	}
}

func TestFindNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"1.234,56": "1234.56", "1,234.56": "1234.56", "1 234,56": "1234.56", "1'234.56": "1234.56", "-5": "-5", "−5,5 %": "-5.5",
		"(1,234.00)": "-1234",
		"1.200,- kr": "1200", "€ 3,2 miljoen": "3200000", "2,5 Mio. EUR": "2500000", "dos mil 3": "3", "12 mil euros": "12000",
		"3 mil millones": "3000000000",
		"$4.2m":          "4200000", "£12k": "12000", "25 de lei": "25", "19 %": "19", "EUR 1.234.567,8": "1234567.8", "1,234,567": "1234567",
		"0,125": "0.125", "007": "7",
		"-€ 50": "-50", "€ -50": "-50", "123,45-": "-123.45", "12kg": "12", "v1.2.3": "", "10.0.0.1": "", "INV-17": "", "3rd": "",
		"12:30": "", "A4": "",
	} {
		t.Run(text, func(t *testing.T) {
			found := Find(nil, text, "de")
			got := ""
			if len(found) > 0 {
				got = found[0].Value
			}
			if got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		})
	}
}

func TestOtherNumbersDecideDecimalMark(t *testing.T) {
	for _, step := range []struct {
		text string
		lang answers.Lang
		want string
	}{
		{"1.234 and 7,50", "en", "1234"}, {"1,234 and 7.50", "de", "1234"}, {"1.234", "de", "1234"}, {"1,234", "en", "1234"}, {"1.234 and 0.5", "de", "1.234"},
		{"1.234", "", "1234"}, {"1,234", "", "1234"}, {"1.234 or 4.500 EUR", "en", "1234"}, {"1.234 or 0146,982", "en", "1.234"},
	} {
		t.Run(step.text+" in "+string(step.lang), func(t *testing.T) {
			if found := Find(nil, step.text, step.lang); len(found) == 0 || found[0].Value != step.want {
				t.Errorf("%+v, want %s", found, step.want)
			}
		})
	}
}
