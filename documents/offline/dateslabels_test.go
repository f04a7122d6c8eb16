package offline

import (
	"testing"

	"portside/documents/answers"
)

// TestADateOfSomethingElseIsNoAnswer: a label with a word of its own for what it dates answers no question about another date,
// whether the date asked for is missing, open, impossible or to be read in two ways.
func TestADateOfSomethingElseIsNoAnswer(t *testing.T) {
	const pay = "\nTotal: $300.00\nPlease send the payment to our account at the bank."
	var cases []asked
	for _, line := range []string{"", "Invoice date: 03/04/2026\n", "Invoice date: pending\n", "Invoice date: 31 February 2026\n"} {
		for _, other := range []string{"Ship date", "Shipping date", "Date shipped", "Pickup date", "Print date", "Valuation date"} {
			cases = append(cases, asked{line + other + ": June 25, 2026" + pay, "invoice date", answers.Date, "", ""})
		}
	}
	for _, c := range []struct{ name, open, other string }{
		{"invoice date", "Invoice date: pending", "Ship date: 25 June 2026"},
		{"Rechnungsdatum", "Rechnungsdatum: offen", "Versanddatum: 25. Juni 2026"},
		{"date de facture", "Date de facture : à venir", "Date d'envoi : 25 juin 2026"},
		{"fecha de factura", "Fecha de factura: pendiente", "Fecha de envío: 25 de junio de 2026"},
		{"data da fatura", "Data da fatura: pendente", "Data de envio: 25 de junho de 2026"},
		{"data fattura", "Data fattura: in sospeso", "Data di spedizione: 25 giugno 2026"},
		{"factuurdatum", "Factuurdatum: volgt", "Verzenddatum: 25 juni 2026"},
		{"fakturadatum", "Fakturadatum: kommer", "Avsändningsdatum: 25 juni 2026"},
		{"data faktury", "Data faktury: wkrótce", "Data wysyłki: 25 czerwca 2026"},
		{"data facturii", "Data facturii: în curs", "Data expedierii: 25 iunie 2026"},
	} {
		cases = append(cases, asked{c.open + "\n" + c.other, c.name, answers.Date, "", ""}, asked{c.other, c.name, answers.Date, "", ""},
			asked{c.open + "\n" + c.other, "date", answers.Date, "invoice date", ""})
	}
	ask(t, cases)
}

// TestADateWithoutAWordForWhatItDatesStillAnswers, and one with a word that says nothing about that.
func TestADateWithoutAWordForWhatItDatesStillAnswers(t *testing.T) {
	ask(t, []asked{
		{"Invoice INV-7\nDate: 25 June 2026\nTotal: €300.00", "invoice date", answers.Date, "", "2026-06-25"},
		{"Rechnung 7\nOrt, Datum: Kiel, 25. Juni 2026\nGesamt: 300 €", "Rechnungsdatum", answers.Date, "", "2026-06-25"},
		{"Ship date: 25 June 2026", "ship date", answers.Date, "", "2026-06-25"},
		{"# Invoice INV-7\n\nDocument date: 25 June 2026", "invoice date", answers.Date, "", "2026-06-25"},
		{"# Fattura 7\n\nData documento: 25/06/2026", "data fattura", answers.Date, "", "2026-06-25"},
		{"Ship date: 25 June 2026", "date", answers.Date, "", "2026-06-25"},
		{"Print date: 25 June 2026", "print_date", answers.Date, "", "2026-06-25"},
	})
}
