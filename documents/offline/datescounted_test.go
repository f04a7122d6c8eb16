package offline

import (
	"testing"

	"portside/documents/answers"
)

// TestADayThatIsCountedFromIsNotTheDayMeant: 30 days after 5 May is another day, which the engine does not work out.
func TestADayThatIsCountedFromIsNotTheDayMeant(t *testing.T) {
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

// TestADayBesideAStretchOfTimeStaysTheDay that it is.
func TestADayBesideAStretchOfTimeStaysTheDay(t *testing.T) {
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
