package offline

import (
	"testing"

	"portside/documents/answers"
)

// 30 days after 5 May is another day, which the engine does not compute.
func TestAnchorDateIsNotTheAnswer(t *testing.T) {
	var cases []asked
	for text, name := range map[string]string{
		"Due date: 30 days after 5 May 2026":                                    "due date",
		"Due date: thirty (30) calendar days following 5 May 2026":              "due date",
		"Due date: within 30 days of 5 May 2026":                                "due date",
		"Due: within two weeks from the 5 May 2026":                             "due date",
		"Due date: one month after May 5, 2026":                                 "due date",
		"Due date: the day after 5 May 2026":                                    "due date",
		"The invoice is due within 30 days\nof 5 May 2026.":                     "due date",
		"Due date: 10 days prior to 5 May 2026":                                 "due date",
		"Fällig: 30 Tage nach dem 5. Mai 2026":                                  "Fälligkeit",
		"Fällig: innerhalb von 14 Tagen ab 5. Mai 2026":                         "Fälligkeit",
		"Fällig: zwei Wochen vor dem 05.05.2026":                                "Fälligkeit",
		"Échéance : 30 jours après le 5 mai 2026":                               "échéance",
		"Échéance : 30 jours ouvrables à compter du 5 mai 2026":                 "échéance",
		"Vencimiento: 30 días después del 5 de mayo de 2026":                    "fecha de vencimiento",
		"Vencimiento: 30 días naturales desde el 5 de mayo de 2026":             "fecha de vencimiento",
		"Data de vencimento: 30 dias após 5 de maio de 2026":                    "data de vencimento",
		"Data de vencimento: 30 dias a contar de 5 de maio de 2026":             "data de vencimento",
		"Scadenza: 30 giorni dopo il 5 maggio 2026":                             "data di scadenza",
		"Scadenza: due mesi a decorrere dal 5 maggio 2026":                      "data di scadenza",
		"Vervaldatum: 30 dagen na 5 mei 2026":                                   "vervaldatum",
		"Vervaldatum: vier weken vanaf 5 mei 2026":                              "vervaldatum",
		"Förfallodatum: 30 dagar efter den 5 maj 2026":                          "förfallodatum",
		"Förfallodatum: en månad från den 5 maj 2026":                           "förfallodatum",
		"Termin płatności: 30 dni po 5 maja 2026":                               "termin płatności",
		"Termin płatności: 14 dni roboczych od dnia 5 maja 2026":                "termin płatności",
		"Data scadenței: 30 de zile după 5 mai 2026":                            "data scadenței",
		"Data scadenței: 30 de zile de la 5 mai 2026":                           "data scadenței",
		"Due date: 30 days after 5 May 2026\nDate: 7 May 2026\nTotal: € 300.00": "due date",
	} {
		cases = append(cases, asked{text, name, answers.Date, "", ""}, asked{text, name, answers.String, "", ""},
			asked{text, "x", answers.Date, "due date", ""})
	}
	ask(t, cases)
}

func TestDateBesideDurationIsTheAnswer(t *testing.T) {
	ask(t, []asked{
		{"Due date: 4 June 2026 (30 days after 5 May 2026)", "due date", answers.Date, "", "2026-06-04"},
		{"Payment terms: 30 days\nFrom: 5 May 2026\nDue date: 4 June 2026", "due date", answers.Date, "", "2026-06-04"},
		{"Payable in 30 days, after 5 May 2026 with interest.\nInvoice date: 5 April 2026", "invoice date", answers.Date, "", "2026-04-05"},
		{"The lease runs for 12 months starting 1 May 2026.", "lease start", answers.Date, "", "2026-05-01"},
		{"The agreement is effective for three years from 1 May 2026.", "effective date", answers.Date, "", "2026-05-01"},
		{"Der Vertrag beginnt mit einer Laufzeit von 24 Monaten ab 1. Mai 2026.", "Vertragsbeginn", answers.Date, "", "2026-05-01"},
		{"Le contrat prend effet pour 12 mois à compter du 1er mai 2026.", "début du contrat", answers.Date, "", "2026-05-01"},
		{"The contract begins 30 days after 1 May 2026.", "contract start", answers.Date, "", ""},
		{"Payment terms: 30 days from 5 May 2026", "payment terms days", answers.Number, "", "30"},
		{"Fecha de vencimiento: 5 de mayo de 2026", "fecha de vencimiento", answers.Date, "", "2026-05-05"},
		{"Due in 30 days, on 5 May 2026", "due date", answers.Date, "", "2026-05-05"},
	})
}

// A date with a more specific label does not answer a question about another date, even if that date is missing,
// invalid or ambiguous.
func TestDateWithOtherLabelIsNotTheAnswer(t *testing.T) {
	const pay = "\nTotal: $300.00\nPlease send the payment to our account at the bank."
	var cases []asked
	for _, line := range []string{"", "Invoice date: 03/04/2026\n", "Invoice date: pending\n",
		"Invoice date: 31 February 2026\n"} {
		for _, other := range []string{"Ship date", "Shipping date", "Date shipped", "Pickup date", "Print date",
			"Valuation date"} {
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
		cases = append(cases, asked{c.open + "\n" + c.other, c.name, answers.Date, "", ""},
			asked{c.other, c.name, answers.Date, "", ""},
			asked{c.open + "\n" + c.other, "date", answers.Date, "invoice date", ""})
	}
	ask(t, cases)
}

func TestDateWithGenericLabelIsTheAnswer(t *testing.T) {
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

// A date that does not exist or has two readings is still the answer of the document.
func TestInvalidDateRulesOutWeakerAnswers(t *testing.T) {
	ask(t, []asked{
		{"Invoice date: 31 February 2026\nDate: June 25, 2026\nTotal: $300.00", "invoice date", answers.Date, "", ""},
		{"Invoice date: 31.02.2026\nDate: 25.06.2026\nTotal: €300.00", "invoice date", answers.Date, "", ""},
		{"Invoice date: 2026-02-31\nDate: 2026-06-25\nTotal: €300.00", "invoice date", answers.Date, "", ""},
		{"Invoice date: 03/04/2026\nDate: June 25, 2026\nTotal: $300.00", "invoice date", answers.Date, "", ""},
		{"Invoice date: 03/04/2026\nIssued: June 25, 2026\nTotal: $300.00", "invoice date", answers.Date, "", ""},
		{"Due date: 03/04/2026\nPayment deadline: June 25, 2026\nTotal: $300.00", "due date", answers.Date, "", ""},
		{"The invoice date is 31 February 2026. It was issued on 25 June 2026.", "invoice date", answers.Date, "", ""},
		{"Rechnungsdatum: 31.02.2026\nDatum: 25.06.2026", "Rechnungsdatum", answers.Date, "", ""},
		{"Date de facture : 30/02/2026\nDate : 25/06/2026", "date de facture", answers.Date, "", ""},
	})
}

func TestRepeatedDateResolvesDayOrder(t *testing.T) {
	ask(t, []asked{
		{"Invoice date: 03/04/2026 (March 4, 2026)\nTotal: $300.00", "invoice date", answers.Date, "", "2026-03-04"},
		{"Invoice date: 03/04/2026\nDate: March 4, 2026\nTotal: $300.00", "invoice date", answers.Date, "", "2026-03-04"},
		{"Invoice date: 03/04/2026\nDue date: June 25, 2026\nTotal: $300.00", "due date", answers.Date, "", "2026-06-25"},
		{"Rechnungsdatum: 31.02.2026\nFällig am: 25.06.2026", "Fälligkeitsdatum", answers.Date, "", "2026-06-25"},
	})
}
