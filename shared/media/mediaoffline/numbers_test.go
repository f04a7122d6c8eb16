package mediaoffline

import (
	"testing"

	"portside/shared/media"
)

// TestPricesKeepTheirThousandsBesideOtherNumbers: a clause 4.2, a time or an address says nothing of how prices are written.
func TestPricesKeepTheirThousandsBesideOtherNumbers(t *testing.T) {
	ask(t, []asked{
		{
			"Gemäß Ziffer 4.2 ist die Kaution fällig.\nMonatsmiete: 1.450 EUR\nDer Mieter zahlt die Miete an den Vermieter.",
			"Monatsmiete", media.Number, "", "1450",
		},
		{"4.2 Die Nebenkosten sind enthalten.\nMonatsmiete: 1.450\nDer Mieter zahlt die Miete.", "Monatsmiete", media.Number, "", "1450"},
		{"Beginn ist um 14.30 Uhr.\nMonatsmiete: 1.450 EUR\nDer Mieter zahlt.", "Monatsmiete", media.Number, "", "1450"},
		{"Beginn: 14.30 Uhr\nMonatsmiete: 1.450\nDer Mieter zahlt die Miete.", "Monatsmiete", media.Number, "", "1450"},
		{"Vorlage Version 2.10\nMonatsmiete: 1.450\nDer Mieter zahlt die Miete.", "Monatsmiete", media.Number, "", "1450"},
		{"Das Zimmer hat 12.5 m2.\nMonatsmiete: 1.450 EUR\nDer Mieter zahlt.", "Monatsmiete", media.Number, "", "1450"},
		{"Según la cláusula 4.2 del contrato.\nAlquiler: 1.450\nEl inquilino paga.", "alquiler", media.Number, "", "1450"},
		{"Secondo il punto 4.2 del contratto.\nCanone: 1.450\nIl conduttore paga il canone.", "canone", media.Number, "", "1450"},
		{"Selon l'article 4.2 du bail.\nLoyer: 1.450\nLe locataire paie le loyer.", "loyer", media.Number, "", "1450"},
		{"The flat is in 12,5 Main Street.\nMonthly rent: 1,450 USD\nThe tenant pays.", "monthly rent", media.Number, "", "1450"},
		{"12,5 Main Street\nMonthly rent: 1,450\nThe tenant pays the rent.", "monthly rent", media.Number, "", "1450"},
		{"Deposit: 12,50 EUR\nFee per unit: 1,455 EUR", "fee per unit", media.Number, "", "1.455"},
		{"Density: 2.5 kg\nWeight: 1.455", "weight", media.Number, "", "1.455"},
	})
}
