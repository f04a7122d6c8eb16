package language

import (
	"testing"

	"portside/documents/answers"
)

func TestDetectShortTexts(t *testing.T) {
	for text, want := range map[string]answers.Lang{
		"The delivery of the goods is due on Monday.":                              "en",
		"La entrega de los bienes está prevista para el lunes.":                    "es",
		"A entrega dos produtos está prevista para segunda-feira.":                 "pt",
		"La livraison des produits est prévue pour lundi.":                         "fr",
		"Die Lieferung der Waren ist für Montag vorgesehen.":                       "de",
		"La consegna della merce è prevista per lunedì.":                           "it",
		"De levering van de goederen is gepland voor maandag.":                     "nl",
		"Leveransen av varorna är planerad till på måndag.":                        "sv",
		"Dostawa towarów jest zaplanowana na poniedziałek i będzie na czas.":       "pl",
		"Livrarea produselor este prevăzută pentru luni și nu se amână.":           "ro",
		"Rechnung Nr. 4711\nBetrag 120,00 EUR\nZahlung bis 3.5.2026":               "de",
		"Invoice no. 4711\nAmount due 120.00\nPayment by May 3":                    "en",
		"Faktura nr 12\nKwota 120,00 zł\nTermin płatności 3.05.2026\nPodatek":      "pl",
		"Faktura nr 12\nBelopp 120,00 kr\nFörfallodatum 2026-05-03\nMoms":          "sv",
		"Factuur 12\nBedrag 120,00\nVervaldatum 3-5-2026\nBTW":                     "nl",
		"Leveringen af varerne er planlagt til mandag, og vi vil ikke udsætte den": "",
		"Dodávka zboží je naplánována na pondělí a nebude se měnit.":               "",
		"":                       "",
		"4711 120,00 2026-05-03": "",
		"No":                     "",
		"La de 12 total":         "",
		"Xqzw":                   "",
		"Поставка товара в понедельник": "",
	} {
		for range 3 {
			if got := Detect(text); got != want {
				t.Errorf("%q: got %q, want %q", text, got, want)
			}
		}
	}
}
