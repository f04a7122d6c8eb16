package statements

import (
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/index"
	"portside/documents/offline/scan"
)

func TestStanceOf(t *testing.T) {
	names := map[stance]string{affirms: "affirms", denies: "denies", depends: "depends"}
	for text, want := range map[string]stance{
		"The price includes the shipping of all the goods.":         affirms,
		"The price does not include the shipping of the goods.":     denies,
		"The goods weren't sent by the supplier to the customer.":   denies,
		"The supplier neither confirmed nor sent all of the goods.": denies,
		"The price of the goods only includes shipping in Europe.":  depends,
		"It is unclear whether the price includes the shipping.":    depends,
		"Subletting is not allowed without consent of the owner.":   depends,
		"Subletting is allowed if the owner of the house agrees.":   depends,
		"Der Preis der Waren enthält nicht die Kosten der Fracht.":  denies,
		"Le prix de la commande ne comprend pas la livraison.":      denies,
		"Le prix de la commande comprend aussi la livraison.":       affirms,
	} {
		t.Run(text, func(t *testing.T) {
			into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
			if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
				t.Fatal(err)
			}
			doc, err := index.New(t.Context(), into.Document())
			if err != nil {
				t.Fatal(err)
			}
			if got := (stanceReader{doc}).stanceOf(scan.Between(0, len(text)), scan.Span{}, nil); got != want {
				t.Errorf("%q %s, want %s", text, names[got], names[want])
			}
		})
	}
}

func TestPhraseSetCountsPhrasesWithAnyWord(t *testing.T) {
	set := phrasesOf(map[answers.Lang]string{"nl": "noch _ noch, geenszins"})()["nl"]
	for text, want := range map[string]int{"noch koffie noch thee": 1, "noch koffie of thee": 0,
		"geenszins, geenszins": 2} {
		if got := set.count(scan.Words(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
