package offline

import (
	"strings"
	"testing"
	"time"

	"portside/documents/answers"
)

func TestCompareSaysHowValuesDiffer(t *testing.T) {
	first := "Invoice No.: INV-7\nInvoice date: 3 March 2026\nTotal: £1,200.00\nCustomer: Oak & Sons Ltd\nShipping included: yes"
	second := "Invoice No.: inv 7\nInvoice date: 2 April 2026\nTotal: £1,500.00\nCustomer: Elm Ltd\nShipping included: no\n" +
		"Due date: 1 May 2026"
	variables := []answers.Variable{
		{Name: "invoice_number", Type: answers.String}, {Name: "invoice_date", Type: answers.Date}, {Name: "total", Type: answers.Number},
		{Name: "customer", Type: answers.String}, {Name: "shipping_included", Type: answers.Boolean}, {Name: "due_date", Type: answers.Date}, {Name: "iban", Type: answers.String},
	}
	for lang, want := range map[answers.Lang]map[string]string{
		"": {
			"invoice_date":      "Later in the second document by 30 days: 2 April 2026 instead of 3 March 2026.",
			"total":             "Higher in the second document by 300.00 (+25%): 1,500 instead of 1,200.",
			"customer":          "Different: “Oak & Sons Ltd” in the first document, “Elm Ltd” in the second.",
			"shipping_included": "Different: yes in the first document, no in the second.",
			"due_date":          "Only in the second document: 1 May 2026. Not found in the first.",
			"iban":              "Not found in either document.",
		},
		"pl": {
			"invoice_date": "W drugim dokumencie później o 30 dni: 2 kwietnia 2026 zamiast 3 marca 2026.",
			"total":        "W drugim dokumencie więcej o 300 (+25%): 1500 zamiast 1200.",
		},
		"ro": {"invoice_date": "Mai târziu în al doilea document cu 30 de zile: 2 aprilie 2026 în loc de 3 martie 2026."},
		"de": {"invoice_date": "Im zweiten Dokument um 30 Tage später: 2. April 2026 statt 3. März 2026."},
	} {
		t.Run("in "+string(lang), func(t *testing.T) {
			settings := answers.CompareSettings{Variables: variables, Lang: lang}
			got, err := New().Compare(t.Context(), readDocument(t, first), readDocument(t, second), settings)
			if err != nil {
				t.Fatal(err)
			}
			for name, words := range want {
				if name == "total" {
					words = strings.Replace(words, "300.00", "300", 1)
				}
				if got.Words[name] != words {
					t.Errorf("%s: %q, want %q", name, got.Words[name], words)
				}
			}
			if len(got.Words) != len(variables) {
				t.Errorf("%d comparisons, want %d", len(got.Words), len(variables))
			}
		})
	}
}

func TestTextsAreComparedAsPeopleDo(t *testing.T) {
	w := wording{lang: "en"}
	for name, step := range map[string]struct{ a, b, want string }{
		"case and marks": {"INV-7", "inv 7", "The same but for case, spacing or punctuation: “INV-7” in the first document, “inv 7” in the second."},
		"within":         {"Acme", "Acme GmbH", "The second document says more: “Acme GmbH” instead of “Acme”."},
		"around":         {"Acme GmbH", "Acme", "The first document says more: “Acme GmbH”; the second only “Acme”."},
		"no part":        {"Acme", "Acmeteria", "Different: “Acme” in the first document, “Acmeteria” in the second."},
		"slots":          {"{b}", "{a} x", "Different: “{b}” in the first document, “{a} x” in the second."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := w.compare(answers.Value{Type: answers.String, Text: step.a}, answers.Value{Type: answers.String, Text: step.b}); got != step.want {
				t.Errorf("got %q, want %q", got, step.want)
			}
		})
	}
}

func TestOnlyDifferencesAreSaidBriefly(t *testing.T) {
	d := readDocument(t, "Rechnungsnummer: 17\nGesamtbetrag: 20,00 €")
	s := answers.CompareSettings{Variables: []answers.Variable{{Name: "gesamtbetrag", Type: answers.Number}},
		Prompt: "Bitte nur Unterschiede", Lang: "de"}
	got, err := New().Compare(t.Context(), d, d, s)
	if err != nil {
		t.Fatal(err)
	}
	if got.Words["gesamtbetrag"] != "Kein Unterschied." {
		t.Errorf("got %q", got.Words["gesamtbetrag"])
	}
}

func TestCountsHaveTheRightForm(t *testing.T) {
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
		if got := (wording{lang: step.lang}).count(step.n, step.unit); got != step.want {
			t.Errorf("%s: %q, want %q", step.lang, got, step.want)
		}
	}
}

func TestSpansThatComeOutEvenAreNamed(t *testing.T) {
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
		{"2024-02-29", "2028-02-29", "1,461 days (4 years)"}, {"2026-03-28", "2026-03-30", "2 days"},
	} {
		if got := w.between(day(step.from), day(step.to)); got != step.want {
			t.Errorf("%s to %s: %q, want %q", step.from, step.to, got, step.want)
		}
	}
}

func TestEveryLanguageSaysEverything(t *testing.T) {
	for _, lang := range answers.Langs() {
		for p := sameValue; p <= percentSign; p++ {
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

func TestTheSecondDocumentMayBeEarlierAndLower(t *testing.T) {
	w := wording{lang: "en"}
	for _, step := range []struct {
		kind       answers.Type
		a, b, want string
	}{
		{answers.Date, "2026-03-15", "2026-03-01", "Earlier in the second document by 14 days (2 weeks): 1 March 2026 instead of 15 March 2026."},
		{answers.Number, "200", "150.5", "Lower in the second document by 49.5 (−24.8%): 150.5 instead of 200."},
		{answers.Number, "0", "3", "Higher in the second document by 3: 3 instead of 0."},
		{answers.Number, "-4", "-2", "Higher in the second document by 2 (+50%): −2 instead of −4."},
		{answers.Number, "7", "7.0", "Both documents say 7."},
		{answers.Boolean, "true", "true", "Both documents say yes."},
	} {
		if got := w.compare(answers.Value{Type: step.kind, Text: step.a}, answers.Value{Type: step.kind, Text: step.b}); got != step.want {
			t.Errorf("got %q, want %q", got, step.want)
		}
	}
}
