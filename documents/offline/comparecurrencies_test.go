package offline

import (
	"testing"

	"portside/documents/answers"
)

// TestAmountsOfTwoCurrenciesHaveNoDifference, however near the numbers are.
func TestAmountsOfTwoCurrenciesHaveNoDifference(t *testing.T) {
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
			settings := answers.CompareSettings{Variables: []answers.Variable{{Name: "total", Type: answers.Number}}, Lang: step.lang}
			got, err := New().Compare(t.Context(), readDocument(t, step.first), readDocument(t, step.second), settings)
			if err != nil || got.Words["total"] != step.want {
				t.Errorf("%q, %v, want %q", got.Words["total"], err, step.want)
			}
		})
	}
}
