package offline

import (
	"strings"
	"testing"

	"portside/documents/answers"
)

func TestPapersBeginWithTitleDateAndTotal(t *testing.T) {
	for text, want := range map[string]string{
		"# Rechnung RE-2026-00483\nNordlicht Werkzeuge GmbH, Hafenstraße 12, 20457 Hamburg\n~\n" +
			"| Rechnungsdatum | 14.10.2026\n| Kundennummer | K-1182\n" +
			"! Pos. | Bezeichnung | Menge | Einzelpreis | Betrag\n| 1 | Leiter | 2 | 115,00 € | 230,00 €\n~\n| Nettobetrag | 1.430,00 €\n" +
			"| MwSt. 19 % | 271,70 €\n| Gesamtbetrag | 1.701,70 €\n\nZahlbar innerhalb von 14 Tagen ohne jeden Abzug auf unser Konto.": "Rechnung RE-2026-00483, 14.10.2026, Gesamtbetrag 1.701,70 €",
		"# Facture FA-12\nDate de facture : 3 mars 2026\nTotal TTC : 120,00 €":             "Facture FA-12, 3 mars 2026, Total TTC 120,00 €",
		"# Invoice INV-7\n= Invoice date | 3 March 2026\n= Total | £120.00":                "Invoice INV-7, 3 March 2026, Total £120.00",
		"# Faktura 118820\nFakturadatum: 2026-03-03\nKund: Ek AB\nAtt betala: 1 200,00 kr": "Faktura 118820, 2026-03-03, Att betala 1 200,00 kr",
	} {
		for _, shape := range []answers.Shape{answers.AsParagraph, answers.AsBullets} {
			found, err := New().Summarize(t.Context(), readDocument(t, text), answers.SummarySettings{Shape: shape})
			if err != nil {
				t.Fatal(err)
			}
			got := found.Text
			if !strings.HasPrefix(strings.TrimPrefix(got, "- "), want) {
				t.Errorf("got %q, want %q first", got, want)
			}
			if n := strings.Count(got, "\n") + strings.Count(got, ";"); n > 1 {
				t.Errorf("lines that say nothing more: %q", got)
			}
		}
	}
}
