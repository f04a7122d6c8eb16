package questions

import "testing"

func TestConceptsInEveryLanguage(t *testing.T) {
	for concept, names := range map[string][]string{
		"invoice number": {"invoice_number", "invoiceNumber", "InvoiceNo", "numero-factura", "Rechnungsnummer", "numéro de facture",
			"numero fattura", "factuurnummer", "fakturanummer", "numer_faktury", "numarul_facturii", "número da fatura"},
		"due date": {"due_date", "payment due date", "fecha_vencimiento", "data de vencimento", "date d'échéance",
			"Fälligkeitsdatum", "data scadenza", "vervaldatum", "förfallodatum", "termin_platnosci", "data_scadentei"},
		"total": {"total", "invoice_total", "Gesamtbetrag", "montant total", "totale fattura", "totaalbedrag",
			"kwota do zapłaty", "total_de_plata", "valor total"},
		"notice period": {"notice_period", "Kündigungsfrist", "préavis", "opzegtermijn", "uppsägningstid", "okres wypowiedzenia",
			"preaviso", "preavviso"},
	} {
		t.Run(concept, func(t *testing.T) {
			for _, name := range names {
				c := conceptOf(termsOfName(name, ""))
				if c == nil || c.name != concept {
					t.Errorf("%q means %v %v, want %s", name, termsOfName(name, ""), c, concept)
				}
			}
		})
	}
}
