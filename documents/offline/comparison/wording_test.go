package comparison

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/differences"
	"portside/documents/internal/scale"
	"portside/documents/offline/dates"
	"portside/documents/offline/numbers"
	"portside/documents/offline/scan"
)

func TestCompareTextsIgnoresCaseAndPunctuation(t *testing.T) {
	w := wording{lang: "en"}
	for name, step := range map[string]struct{ a, b, want string }{
		"case and marks": {"INV-7", "inv 7", "The same but for case, spacing or punctuation: “INV-7” in the first document, “inv 7” in the second."},
		"within":         {"Acme", "Acme GmbH", "The second document says more: “Acme GmbH” instead of “Acme”."},
		"around":         {"Acme GmbH", "Acme", "The first document says more: “Acme GmbH”; the second only “Acme”."},
		"accents":        {"Müller", "Muller", "Different: “Müller” in the first document, “Muller” in the second."},
		"no part":        {"Acme", "Acmeteria", "Different: “Acme” in the first document, “Acmeteria” in the second."},
		"slots":          {"{b}", "{a} x", "Different: “{b}” in the first document, “{a} x” in the second."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := w.compare(side(answers.String, step.a), side(answers.String, step.b)); got != step.want {
				t.Errorf("got %q, want %q", got, step.want)
			}
		})
	}
}

func side(t answers.Type, text string) differences.Side {
	return differences.Side{Value: answers.Value{Type: t, Text: text}}
}

// A model can return an invalid number or date. Such a value equals only the same text.
func TestValuesThatCannotBeReadAreNotEqual(t *testing.T) {
	w := wording{lang: "en"}
	for _, kind := range []answers.Type{answers.Number, answers.Date} {
		a, b := side(kind, "soon"), side(kind, "2026-11-02")
		if got := w.compare(a, b); !strings.HasPrefix(got, "Different: ") {
			t.Errorf("%s: %q", kind, got)
		}
		if got := w.compare(a, a); !strings.HasPrefix(got, "Both documents say") {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

func TestUnitsHavePluralForms(t *testing.T) {
	for _, step := range []struct {
		lang answers.Lang
		n    int
		unit unit
		want string
	}{
		{"en", 1, dayUnit, "1 day"}, {"en", 1200, dayUnit, "1,200 days"}, {"fr", 0, dayUnit, "0 jour"}, {"fr", 2, monthUnit, "2 mois"},
		{"pl", 1, weekUnit, "1 tydzień"}, {"pl", 3, weekUnit, "3 tygodnie"}, {"pl", 5, weekUnit, "5 tygodni"}, {"pl", 12, yearUnit, "12 lat"},
		{"pl", 22, yearUnit, "22 lata"}, {"pl", 112, monthUnit, "112 miesięcy"}, {"ro", 0, dayUnit, "0 zile"}, {"ro", 1, dayUnit, "1 zi"}, {"ro", 19, dayUnit, "19 zile"},
		{"ro", 20, dayUnit, "20 de zile"}, {"ro", 101, dayUnit, "101 zile"}, {"ro", 100, monthUnit, "100 de luni"}, {"de", 2, yearUnit, "2 Jahre"},
		{"sv", 2, yearUnit, "2 år"}, {"nl", 2, weekUnit, "2 weken"}, {"it", 1, monthUnit, "1 mese"}, {"es", 2, monthUnit, "2 meses"}, {"pt", 1, monthUnit, "1 mês"},
	} {
		t.Run(string(step.lang)+" "+step.want, func(t *testing.T) {
			if got := (wording{lang: step.lang}).count(step.n, step.unit); got != step.want {
				t.Errorf("%q, want %q", got, step.want)
			}
		})
	}
}

func TestWholePeriodsAreNamed(t *testing.T) {
	w := wording{lang: "en"}
	day := func(text string) time.Time {
		d, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, step := range []struct{ from, to, want string }{
		{"2026-03-01", "2026-03-02", "1 day"}, {"2026-03-01", "2026-03-15", "14 days (2 weeks)"}, {"2026-01-31", "2026-03-31", "59 days (2 months)"},
		{"2024-02-29", "2028-02-29", "1,461 days (4 years)"}, {"2026-03-28", "2026-03-30", "2 days"}, {"1600-01-01", "2026-01-01", "155,594 days (426 years)"},
	} {
		t.Run(step.from+" to "+step.to, func(t *testing.T) {
			if got := w.between(day(step.from), day(step.to)); got != step.want {
				t.Errorf("%q, want %q", got, step.want)
			}
		})
	}
}

func TestEveryLanguageHasAllPhrases(t *testing.T) {
	for _, lang := range answers.Langs() {
		for p := sameValue; p <= otherSign; p++ {
			if phrases[lang][p] == "" {
				t.Errorf("%s does not say phrase %d", lang, p)
			}
		}
		if len(strings.Fields(monthNamesOf[lang])) != 12 {
			t.Errorf("%s has not twelve months", lang)
		}
		for u := dayUnit; u <= yearUnit; u++ {
			for n := range 200 {
				if unitForms[lang][u][pluralForm(lang, n)] == "" {
					t.Fatalf("%s has no form of unit %d for %d", lang, u, n)
				}
			}
		}
	}
}

func TestSecondValueMayBeEarlierOrLower(t *testing.T) {
	w := wording{lang: "en"}
	for _, step := range []struct {
		kind       answers.Type
		a, b, want string
	}{
		{answers.Date, "2026-03-15", "2026-03-01", "Earlier in the second document by 14 days (2 weeks): 1 March 2026 instead of 15 March 2026."},
		{answers.Number, "200", "150.5", "Lower in the second document by 49.5 (−24.8%): 150.5 instead of 200."},
		{answers.Number, "100", "-100", "The sign differs: −100 in the second document instead of 100."},
		{answers.Number, "50", "-20.5", "Lower in the second document by 70.5: −20.5 instead of 50."},
		{answers.Number, "0", "3", "Higher in the second document by 3: 3 instead of 0."},
		{answers.Number, "-4", "-2", "Higher in the second document by 2 (+50%): −2 instead of −4."},
		{answers.Number, "7", "7.0", "Both documents say 7."},
		{answers.Boolean, "true", "true", "Both documents say yes."},
	} {
		t.Run(step.a+" and "+step.b, func(t *testing.T) {
			if got := w.compare(side(step.kind, step.a), side(step.kind, step.b)); got != step.want {
				t.Errorf("got %q, want %q", got, step.want)
			}
		})
	}
}

func TestDatesHaveTheArticleOfTheLanguage(t *testing.T) {
	for lang, want := range map[answers.Lang][2]string{
		"en": {"8 May 2026 instead of 3 May 2026.", "Both documents say 8 May 2026."},
		"es": {"el 8 de mayo de 2026 en lugar del 3 de mayo de 2026.", "Ambos documentos dicen el 8 de mayo de 2026."},
		"pt": {"8 de maio de 2026 em vez de 3 de maio de 2026.", "Ambos os documentos dizem 8 de maio de 2026."},
		"fr": {"le 8 mai 2026 au lieu du 3 mai 2026.", "Les deux documents indiquent le 8 mai 2026."},
		"de": {"der 8. Mai 2026 statt des 3. Mai 2026.", "Beide Dokumente nennen den 8. Mai 2026."},
		"it": {"l’8 maggio 2026 invece del 3 maggio 2026.", "Entrambi i documenti indicano l’8 maggio 2026."},
		"nl": {"8 mei 2026 in plaats van 3 mei 2026.", "Beide documenten vermelden 8 mei 2026."},
		"sv": {"den 8 maj 2026 i stället för den 3 maj 2026.", "Båda dokumenten anger den 8 maj 2026."},
		"pl": {"8 maja 2026 zamiast 3 maja 2026.", "Oba dokumenty podają 8 maja 2026."},
		"ro": {"8 mai 2026 în loc de 3 mai 2026.", "Ambele documente indică 8 mai 2026."},
	} {
		w, first, second := wording{lang: lang}, side(answers.Date, "2026-05-03"), side(answers.Date, "2026-05-08")
		if later, same := w.compare(first, second), w.compare(second, second); !strings.HasSuffix(later, want[0]) || same != want[1] {
			t.Errorf("%s: %q and %q", lang, later, same)
		}
	}
}

func TestQuotesFollowTheLanguage(t *testing.T) {
	for lang, want := range map[answers.Lang]string{
		"en": "“Oak”", "es": "«Oak»", "pt": "«Oak»", "fr": "«\u00a0Oak\u00a0»", "de": "„Oak“", "it": "«Oak»", "nl": "“Oak”", "sv": "”Oak”",
		"pl": "„Oak”", "ro": "„Oak”",
	} {
		if got := (wording{lang: lang}).shown(answers.Value{Type: answers.String, Text: "Oak"}); got != want {
			t.Errorf("%s: %q, want %q", lang, got, want)
		}
	}
	if len(quotes) != len(answers.Langs()) {
		t.Errorf("quotes of %d languages", len(quotes))
	}
}

func anyLang(t *rapid.T) answers.Lang { return rapid.SampledFrom(answers.Langs()).Draw(t, "language") }

// The parsers read what the wording writes, in every language.
func TestWrittenDatesAreReadBack(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		lang := anyLang(t)
		newYear := time.Date(rapid.IntRange(1901, 2099).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC)
		day := newYear.AddDate(0, 0, rapid.IntRange(0, 364).Draw(t, "day"))
		layout := rapid.SampledFrom([]string{"", time.DateOnly, "02.01.2006", "2.1.2006"}).Draw(t, "layout")
		text := (wording{lang: lang}).date(day)
		if layout != "" {
			text = day.Format(layout)
		}
		found := dates.Find(nil, "x: "+text+", y", lang).Dates
		if len(found) != 1 || found[0].ISO() != day.Format(time.DateOnly) || found[0].At != (scan.Between(3, 3+len(text))) {
			t.Fatalf("%s: %q is read as %+v", lang, text, found)
		}
	})
}

func TestWrittenNumbersAreReadBack(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		lang := anyLang(t)
		cents := rapid.Int64Range(-99_999_999_99, 99_999_999_99).Draw(t, "cents")
		value := strconv.FormatFloat(float64(cents)/100, 'f', 2, 64)
		currency := rapid.SampledFrom([]string{"", " EUR", " €", " kr", " zł", " lei"}).Draw(t, "currency")
		// 0.55 shows the decimal mark, which a single number such as 1,234 does not.
		text := (wording{lang: lang}).number("0.55") + " | " + numberIn(lang, value) + currency
		found := numbers.Find(nil, documents.Clean(text), lang)
		if len(found) != 2 || parseFloat(t, found[1].Value) != parseFloat(t, value) {
			t.Fatalf("%s: %q is read as %+v", lang, text, found)
		}
	})
}

func numberIn(lang answers.Lang, value string) string { return wording{lang: lang}.number(value) }

func parseFloat(t *rapid.T, text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
