package offline

import (
	"testing"

	"portside/documents/answers"
)

// A clause 4.2, a time or an address does not show how the document writes prices.
func TestPricesAndOtherNumbersUseSeparateDecimalMarks(t *testing.T) {
	ask(t, []asked{
		{
			"Gemäß Ziffer 4.2 ist die Kaution fällig.\nMonatsmiete: 1.450 EUR\nDer Mieter zahlt die Miete an den Vermieter.",
			"Monatsmiete", answers.Number, "", "1450",
		},
		{"4.2 Die Nebenkosten sind enthalten.\nMonatsmiete: 1.450\nDer Mieter zahlt die Miete.", "Monatsmiete", answers.Number, "", "1450"},
		{"Beginn ist um 14.30 Uhr.\nMonatsmiete: 1.450 EUR\nDer Mieter zahlt.", "Monatsmiete", answers.Number, "", "1450"},
		{"Beginn: 14.30 Uhr\nMonatsmiete: 1.450\nDer Mieter zahlt die Miete.", "Monatsmiete", answers.Number, "", "1450"},
		{"Vorlage Version 2.10\nMonatsmiete: 1.450\nDer Mieter zahlt die Miete.", "Monatsmiete", answers.Number, "", "1450"},
		{"Das Zimmer hat 12.5 m2.\nMonatsmiete: 1.450 EUR\nDer Mieter zahlt.", "Monatsmiete", answers.Number, "", "1450"},
		{"Según la cláusula 4.2 del contrato.\nAlquiler: 1.450\nEl inquilino paga.", "alquiler", answers.Number, "", "1450"},
		{"Secondo il punto 4.2 del contratto.\nCanone: 1.450\nIl conduttore paga il canone.", "canone", answers.Number, "", "1450"},
		{"Selon l'article 4.2 du bail.\nLoyer: 1.450\nLe locataire paie le loyer.", "loyer", answers.Number, "", "1450"},
		{"The flat is in 12,5 Main Street.\nMonthly rent: 1,450 USD\nThe tenant pays.", "monthly rent", answers.Number, "", "1450"},
		{"12,5 Main Street\nMonthly rent: 1,450\nThe tenant pays the rent.", "monthly rent", answers.Number, "", "1450"},
		{"Deposit: 12,50 EUR\nFee per unit: 1,455 EUR", "fee per unit", answers.Number, "", "1.455"},
		{"Density: 2.5 kg\nWeight: 1.455", "weight", answers.Number, "", "1.455"},
	})
}

func TestNegativeAmounts(t *testing.T) {
	for text, want := range map[string]string{
		"Balance: - 500 EUR": "-500", "Balance: − 500 EUR": "-500", "Balance: —500 EUR": "-500", "Balance: –500 EUR": "-500",
		"Balance: ‐500": "-500", "Balance: ‑500": "-500", "Balance: - EUR 500": "-500", "Balance: EUR - 500": "-500",
		"Balance: - 1.234,50 EUR": "-1234.5", "Balance: - 1 234,50 €": "-1234.5", "Balance: -500 EUR": "-500",
		"Balance: minus 500": "-500", "Balance: Minus EUR 500": "-500", "Balance: menos 500 EUR": "-500", "Balance: moins 500": "-500",
		"Balance: meno 500": "-500", "Balance: min 500": "", "The balance is minus 500 EUR.": "", "The balance is at least 500 EUR.": "500",
		"Balance: 500-": "-500", "Balance: 500- EUR": "-500", "Balance: 500−": "-500", "Balance: 1,234.50-": "-1234.5",
		"Balance: (500)": "-500", "Balance: (1,234) EUR": "-1234", "Balance: EUR (500)": "-500", "Balance: (12.50)": "-12.5",
		"| Balance | (1,234)": "-1234", "| Balance | - 500": "-500", "= Balance | - 500 EUR": "-500", "Balance\n(500)": "",
		"Balance: 100 - 500 EUR": "", "Balance: 500 EUR": "500", "The balance (500 EUR) is due.": "500", "Balance (500 EUR)": "",
		"Balance:\n- 500 EUR for painting\n- 300 EUR for the floors": "500",
		"Balance: -5 EUR - 10 EUR":                                   "-5", "Balance: - 500 EUR – see note": "-500",
		"Balance: - 500 EUR - 300 EUR are paid": "",
	} {
		t.Run(text, func(t *testing.T) {
			ask(t, []asked{{text, "balance", answers.Number, "", want}})
		})
	}
	ask(t, []asked{
		{"Le solde est d'au moins 500 EUR.", "solde", answers.Number, "", "500"},
		{"El saldo es al menos 500 EUR.", "saldo", answers.Number, "", "500"},
	})
}
