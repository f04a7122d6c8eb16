package mediaoffline_test

import (
	"testing"

	"portside/shared/media"
	"portside/shared/media/mediaoffline"
)

// TestAmountsThatShareACurrency: in "12 EUR 11 EUR" the middle word belongs to both figures.
func TestAmountsThatShareACurrency(t *testing.T) {
	for _, text := range []string{"Coffee 12 EUR 11 EUR. Fee 3 USD 4 USD", "Plan 5 zł 6 zł kosztuje", "EUR 1 EUR 2 EUR 3 EUR"} {
		into := media.NewBuilder(media.PlainText, media.DefaultLimits())
		if err := into.Add(media.Block{Kind: media.Paragraph, Text: text}); err != nil {
			t.Fatal(err)
		}
		settings := media.ExtractSettings{Variables: []media.Variable{{Name: "fee", Type: media.Number}, {Name: "price", Type: media.Number}}}
		got, err := mediaoffline.New().Extract(t.Context(), into.Document(), settings)
		if err != nil || len(got.Values) > 2 {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}
