package offline_test

import (
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline"
)

// TestAmountsThatShareACurrency: in "12 EUR 11 EUR" the middle word belongs to both figures.
func TestAmountsThatShareACurrency(t *testing.T) {
	for _, text := range []string{"Coffee 12 EUR 11 EUR. Fee 3 USD 4 USD", "Plan 5 zł 6 zł kosztuje", "EUR 1 EUR 2 EUR 3 EUR"} {
		into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
		if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
			t.Fatal(err)
		}
		settings := answers.ExtractSettings{Variables: []answers.Variable{{Name: "fee", Type: answers.Number}, {Name: "price", Type: answers.Number}}}
		got, err := offline.New().Extract(t.Context(), into.Document(), settings)
		if err != nil || len(got.Values) > 2 {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}
