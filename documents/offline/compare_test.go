package offline

import (
	"strings"
	"testing"

	"portside/documents/answers"
)

func TestCompareDescribesDifferences(t *testing.T) {
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
		"de": {"invoice_date": "Im zweiten Dokument um 30 Tage später: der 2. April 2026 statt des 3. März 2026."},
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

func TestCompareOnlyDifferencesIsBrief(t *testing.T) {
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

func TestCompareDoesNotSubtractTwoCurrencies(t *testing.T) {
	for name, step := range map[string]struct {
		first, second string
		lang          answers.Lang
		want          string
	}{
		"dollars and euros": {"Total: $5,484.09", "Gesamtbetrag: 3.210,03 €", "en",
			"Different: “$5,484.09” in the first document, “3.210,03 €” in the second."},
		"the same number": {"Total: $300.00", "Total: €300.00", "en",
			"Different: “$300.00” in the first document, “€300.00” in the second."},
		"in German": {"Total: $5,484.09", "Gesamtbetrag: 3.210,03 €", "de",
			"Unterschiedlich: „$5,484.09“ im ersten Dokument, „3.210,03 €“ im zweiten."},
		"one is not said":           {"Total: 200.00", "Total: €300.00", "en", "Higher in the second document by 100 (+50%): 300 instead of 200."},
		"a sign and a code for one": {"Total: 200.00 EUR", "Total: €300.00", "en", "Higher in the second document by 100 (+50%): 300 instead of 200."},
		"found in one":              {"Total: $200.00", "Hello", "en", "Only in the first document: 200. Not found in the second."},
	} {
		t.Run(name, func(t *testing.T) {
			settings := answers.CompareSettings{Variables: []answers.Variable{{Name: "total", Type: answers.Number}},
				Lang: step.lang}
			got, err := New().Compare(t.Context(), readDocument(t, step.first), readDocument(t, step.second), settings)
			if err != nil || got.Words["total"] != step.want {
				t.Errorf("%q, %v, want %q", got.Words["total"], err, step.want)
			}
		})
	}
}

func TestCompareSaysThatAnUncertainValueIsInDoubt(t *testing.T) {
	first, second := readDocument(t, "Invoice number: INV-2026-17"), readDocument(t, "Your invoice of May has 4711.")
	s := answers.CompareSettings{Variables: []answers.Variable{{Name: "invoice_number", Type: answers.String}}, Lang: "en"}
	got, err := New().Compare(t.Context(), first, second, s)
	want := "In doubt: “INV-2026-17” in the first document. The second may have a value, but it is uncertain."
	if err != nil || got.Words["invoice_number"] != want {
		t.Errorf("%q, %v, want %q", got.Words["invoice_number"], err, want)
	}
	if len(got.Second.Candidates["invoice_number"]) == 0 {
		t.Errorf("the uncertain value is not a candidate: %v", got.Second.Candidates)
	}
}
