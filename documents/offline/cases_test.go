package offline

import (
	"testing"

	"portside/documents/answers"
)

// asked is a question about a short text, and the expected answer.
type asked struct {
	text, name  string
	kind        answers.Type
	description string
	want        string // empty for none
}

func ask(t *testing.T, cases []asked) {
	t.Helper()
	for _, c := range cases {
		record(c)
		v := answers.Variable{Name: c.name, Type: c.kind, Description: c.description}
		d := readDocument(t, c.text)
		found, err := New().Extract(t.Context(), d, answers.ExtractSettings{Variables: []answers.Variable{v}})
		if err != nil {
			t.Fatal(err)
		}
		sound(t, d, []answers.Variable{v}, found)
		if got := found.Values[c.name].Text; got != c.want {
			t.Errorf("%q (%q) in %q: got %q, want %q", c.name, c.description, c.text, got, c.want)
		}
	}
}

// "Not without consent" is not a permission.
func TestConditionalPermissionGivesNoAnswer(t *testing.T) {
	var cases []asked
	for text, name := range map[string]string{
		"The contract does not allow subletting without the written consent of the landlord.": "is subletting allowed",
		"Subletting is not permitted, unless the landlord agrees in writing.":                 "is subletting allowed",
		"Subletting is allowed, but only with the consent of the landlord.":                   "subletting_allowed",
		"Subcontracting is permitted only with prior written consent.":                        "subcontracting_allowed",
		"Subletting is permitted with the prior written consent of the landlord.":             "subletting_allowed",
		"Subletting is allowed if the landlord agrees.":                                       "subletting_allowed",
		"Subletting: not allowed without consent":                                             "subletting_allowed",
		"Die Untervermietung ist nur mit Zustimmung des Vermieters erlaubt.":                  "Untervermietung erlaubt",
		"Die Untervermietung ist ohne Zustimmung des Vermieters nicht erlaubt.":               "Untervermietung erlaubt",
		"Untervermietung: nur mit Zustimmung erlaubt":                                         "Untervermietung erlaubt",
		"Die Untervermietung ist nicht erlaubt, es sei denn, der Vermieter stimmt zu.":        "Untervermietung erlaubt",
		"El subarriendo no está permitido sin el consentimiento del arrendador.":              "subarriendo permitido",
		"El subarriendo está permitido solo con el consentimiento del arrendador.":            "subarriendo permitido",
		"El subarriendo no está permitido, salvo acuerdo por escrito.":                        "subarriendo permitido",
		"A sublocação não é permitida sem o consentimento do senhorio.":                       "sublocação permitida",
		"A sublocação é permitida apenas com o consentimento do senhorio.":                    "sublocação permitida",
		"La sous-location n'est pas autorisée sans l'accord du bailleur.":                     "sous-location autorisée",
		"La sous-location est autorisée seulement avec l'accord du bailleur.":                 "sous-location autorisée",
		"La sous-location n'est autorisée qu'avec l'accord du bailleur.":                      "sous-location autorisée",
		"La sous-location n'est pas autorisée, sauf accord écrit du bailleur.":                "sous-location autorisée",
		"Il subaffitto non è consentito senza il consenso del locatore.":                      "subaffitto consentito",
		"Il subaffitto è consentito soltanto con il consenso del locatore.":                   "subaffitto consentito",
		"Onderverhuur is niet toegestaan zonder toestemming van de verhuurder.":               "onderverhuur toegestaan",
		"Onderverhuur is alleen toegestaan met toestemming van de verhuurder.":                "onderverhuur toegestaan",
		"Andrahandsuthyrning är inte tillåten utan hyresvärdens samtycke.":                    "andrahandsuthyrning tillåten",
		"Andrahandsuthyrning är tillåten endast med hyresvärdens samtycke.":                   "andrahandsuthyrning tillåten",
		"Podnajem nie jest dozwolony bez zgody wynajmującego.":                                "podnajem dozwolony",
		"Podnajem jest dozwolony tylko za zgodą wynajmującego.":                               "podnajem dozwolony",
		"Subînchirierea nu este permisă fără acordul proprietarului.":                         "subînchirierea permisă",
		"Subînchirierea este permisă doar cu acordul proprietarului.":                         "subînchirierea permisă",
	} {
		cases = append(cases, asked{text, name, answers.Boolean, "", ""})
	}
	cases = append(cases,
		asked{"Subcontracting is permitted only with prior written consent.", "allowed without consent", answers.Boolean,
			"", ""},
		asked{"Subcontracting is permitted only with prior written consent.", "x", answers.Boolean,
			"subcontracting allowed without consent", ""},
	)
	ask(t, cases)
}

func TestPlainPermissionsAreAnswers(t *testing.T) {
	ask(t, []asked{
		{"The contract does not allow subletting.", "is subletting allowed", answers.Boolean, "", "false"},
		{"Subletting is permitted.", "subletting_allowed", answers.Boolean, "", "true"},
		{"Die Untervermietung ist nicht erlaubt.", "Untervermietung erlaubt", answers.Boolean, "", "false"},
		{"Die Untervermietung ist erlaubt.", "Untervermietung erlaubt", answers.Boolean, "", "true"},
		{"El subarriendo no está permitido en ningún caso.", "subarriendo permitido", answers.Boolean, "", "false"},
		{"La sous-location n'est pas autorisée.", "sous-location autorisée", answers.Boolean, "", "false"},
		{"Il subaffitto non è consentito in nessun caso.", "subaffitto consentito", answers.Boolean, "", "false"},
		{"Onderverhuur is niet toegestaan.", "onderverhuur toegestaan", answers.Boolean, "", "false"},
		{"Andrahandsuthyrning är inte tillåten.", "andrahandsuthyrning tillåten", answers.Boolean, "", "false"},
		{"Podnajem nie jest dozwolony.", "podnajem dozwolony", answers.Boolean, "", "false"},
		{"Subînchirierea nu este permisă.", "subînchirierea permisă", answers.Boolean, "", "false"},
		{"A sublocação não é permitida.", "sublocação permitida", answers.Boolean, "", "false"},
		{"Não se permite a sublocação.", "sublocação permitida", answers.Boolean, "", "false"},
		{"Subletting requires the landlord's consent.", "subletting_allowed", answers.Boolean, "", ""},
		{"Breakfast is included only at weekends.", "breakfast_included", answers.Boolean, "", ""},
		{"Subletting is prohibited without the consent of the landlord.", "subletting_allowed", answers.Boolean, "", ""},
		{"Prior written consent is required.", "consent_required", answers.Boolean, "", "true"},
		{"Neither shipping nor installation is included.", "shipping_included", answers.Boolean, "", "false"},
	})
}

func TestRangesAndChangesHaveTwoEnds(t *testing.T) {
	const nl, en = "Salaris: € 3.850 tot € 4.920 per maand", "Salary: from 3,850 to 4,920 EUR" //nolint:misspell // Dutch
	const rose = "The price rose from 40 to 45 EUR in March."
	const move = "We ask you to move the delivery from 20 November 2026 to 4 December 2026."
	const de = "Wir bitten, die Lieferung vom 20. November 2026 auf den 4. Dezember 2026 zu verschieben."
	const it = "Vi chiediamo di spostare la consegna dal 20 novembre 2026 al 4 dicembre 2026."
	ask(t, []asked{
		{nl, "maximum salary", answers.Number, "", "4920"}, {nl, "minimum salary", answers.Number, "", "3850"},
		{nl, "salary", answers.Number, "", ""}, {nl, "maximumsalaris", answers.Number, "", "4920"}, {nl, "max_salary", answers.Number, "", "4920"},
		{nl, "x", answers.Number, "salary to", "4920"}, {nl, "x", answers.Number, "salary from", "3850"},
		{en, "minimum salary", answers.Number, "", "3850"}, {en, "maximum salary", answers.Number, "", "4920"}, {en, "salary", answers.Number, "", ""},
		{en, "highest_salary", answers.Number, "", "4920"},
		{rose, "price before", answers.Number, "", "40"}, {rose, "price after", answers.Number, "", "45"},
		{rose, "old_price", answers.Number, "", "40"}, {rose, "new_price", answers.Number, "", "45"}, {rose, "price", answers.Number, "", ""},
		{move, "delivery_date", answers.Date, "", ""}, {move, "new_delivery_date", answers.Date, "", "2026-12-04"},
		{move, "old_delivery_date", answers.Date, "", "2026-11-20"}, {move, "d", answers.Date, "new date of delivery", "2026-12-04"},
		{de, "Lieferdatum", answers.Date, "", ""}, {de, "neues_Lieferdatum", answers.Date, "", "2026-12-04"},
		{de, "bisheriges Lieferdatum", answers.Date, "", "2026-11-20"}, {de, "new_delivery_date", answers.Date, "", "2026-12-04"},
		{it, "data_consegna", answers.Date, "", ""}, {it, "nuova data di consegna", answers.Date, "", "2026-12-04"},
		{it, "vecchia data di consegna", answers.Date, "", "2026-11-20"},
		{"Die Miete steigt von 900 EUR auf 950 EUR.", "neue Miete", answers.Number, "", "950"},
		{"Die Miete steigt von 900 EUR auf 950 EUR.", "Miete", answers.Number, "", ""},
		{"Die Miete steigt von 900 EUR auf 950 EUR.", "bisherige Miete", answers.Number, "", "900"},
		{"El precio sube de 40 a 45 euros.", "precio nuevo", answers.Number, "", "45"},
		{"El precio sube de 40 a 45 euros.", "precio anterior", answers.Number, "", "40"},
		{"La entrega pasa del 20 de noviembre de 2026 al 4 de diciembre de 2026.", "nueva fecha de entrega", answers.Date, "", "2026-12-04"},
		{"A entrega passa de 20 de novembro de 2026 para 4 de dezembro de 2026.", "nova data de entrega", answers.Date, "", "2026-12-04"},
		{"A entrega passa de 20 de novembro de 2026 para 4 de dezembro de 2026.", "data de entrega", answers.Date, "", ""},
		{"Le loyer passe de 800 € à 850 €.", "nouveau loyer", answers.Number, "", "850"},
		{"Le loyer passe de 800 € à 850 €.", "ancien loyer", answers.Number, "", "800"},
		{"Le loyer passe de 800 € à 850 €.", "loyer", answers.Number, "", ""},
		{"De huur stijgt van € 800 naar € 850.", "nieuwe huur", answers.Number, "", "850"},
		{"De huur stijgt van € 800 naar € 850.", "huur", answers.Number, "", ""},
		{"Hyran höjs från 8 000 kr till 8 500 kr.", "ny hyra", answers.Number, "", "8500"},
		{"Hyran höjs från 8 000 kr till 8 500 kr.", "hyra", answers.Number, "", ""},
		{"Czynsz wzrasta z 2000 zł do 2200 zł.", "nowy czynsz", answers.Number, "", "2200"},
		{"Czynsz wzrasta z 2000 zł do 2200 zł.", "czynsz", answers.Number, "", ""},
		{"Chiria crește de la 400 EUR la 450 EUR.", "chirie nouă", answers.Number, "", "450"},
		{"Chiria crește de la 400 EUR la 450 EUR.", "chirie", answers.Number, "", ""},
		{"Salary range: 3,850 – 4,920 EUR", "salary_max", answers.Number, "", "4920"},
		{"New delivery date: 4 December 2026\nOld delivery date: 20 November 2026", "nuova data di consegna", answers.Date, "", "2026-12-04"},
		{"The price was changed from EUR 40 per unit to EUR 45 per unit.", "price", answers.Number, "", ""},
		{"The delivery takes place from 20 to 27 November 2026.", "delivery_date", answers.Date, "", ""},
		{"Payment within 30 to 60 days.", "payment_terms", answers.Number, "", ""},
		{"Salary between 3,850 and 4,920 EUR", "maximum_salary", answers.Number, "", "4920"},
		{"Wir bieten ein Gehalt von 3.850 bis 4.920 EUR.", "Höchstgehalt", answers.Number, "", "4920"},
		{"Current rent: 900 EUR\nNew rent: 950 EUR", "new_rent", answers.Number, "", "950"},
		{"Current rent: 900 EUR\nNew rent: 950 EUR", "rent", answers.Number, "", ""},
		{"Gewinn nach Steuern: 24.000 EUR", "Gewinn nach Steuern", answers.Number, "", "24000"},
		{"The contract runs from 1 May 2027 to 30 April 2029.", "contract_start", answers.Date, "", "2027-05-01"},
		{"The contract runs from 1 May 2027 to 30 April 2029.", "contract_end", answers.Date, "", "2029-04-30"},
	})
}

// TestOtherThingsAreNoAnswer asks for values that the texts do not have, beside values of the same type.
func TestOtherThingsAreNoAnswer(t *testing.T) {
	const rent = "Rent: 900.00 EUR\nDeposit: 1,800.00 EUR\nTotal: 2,700.00 EUR"
	const ids = "Customer number: C-5521\nInvoice number: I-9\nDate: 1 June 2026"
	const medicine = "Patient: Willem Bos\nMedication: Lisinopril 10 mg, once a day\nDate: 3 May 2026"
	const paid = "INVOICE\nTotal: $1,750.00\nDeposit received: $500.00\nBalance due: $1,250.00"
	ask(t, []asked{
		{rent, "weight", answers.Number, "", ""},
		{rent, "area", answers.Number, "", ""},
		{rent, "number_of_rooms", answers.Number, "", ""},
		{ids, "tax_id", answers.String, "", ""},
		{ids, "vat_id", answers.String, "", ""},
		{ids, "q1", answers.String, "number of the order", ""},
		{medicine, "doctor", answers.String, "", ""},
		{medicine, "q1", answers.String, "name of the physician", ""},
		{paid, "total", answers.Number, "", "1750"},
		{"Agreement between Acme Ltd (\"Discloser\") and Blue LLP (\"Recipient\").", "receiving_party", answers.String, "", ""},
		{"Opened: 2026-05-06T10:00:00Z\nCustomer: Ada Byron", "phone", answers.String, "", ""},
	})
}

func TestHeadingWithDashIsNotALabel(t *testing.T) {
	ask(t, []asked{
		{"# Order PO-7781 - change of delivery\n\nPlease see below.", "order_number", answers.String, "", "PO-7781"},
		{"= Subject | Order PO-7781 - change of delivery\n\nPlease see below.", "order_number", answers.String, "", "PO-7781"},
		{"= Betreff | Bestellung PO-7781 – Lieferung verschoben\n\nSiehe unten.", "Bestellnummer", answers.String, "", "PO-7781"},
		{"# Commande CM-118 - changement de livraison\n\nVoir plus bas.", "numéro de commande", answers.String, "", "CM-118"},
		{"# Project - change of delivery\n\nPlease see below.", "project_number", answers.String, "", ""},
		{"We write about your order PO-7781 of last week.", "order_number", answers.String, "", "PO-7781"},
		{"Wir schreiben wegen Ihrer Bestellung AB-2026-17 vom Montag.", "order_number", answers.String, "", "AB-2026-17"},
		{"Please order 36 boxes.", "order_number", answers.String, "", ""},
	})
}

func TestAmbiguousDateHasLowerConfidence(t *testing.T) {
	for text, sure := range map[string]bool{
		"Invoice date 03/04/2026\nPlease pay the invoice within 30 days of the date of it.":                          false,
		"Invoice date: 03-04-2026\nPlease pay the invoice within 30 days of the date of it.":                         false,
		"Invoice date 03/04/2026\nDue date 23/04/2026\nPlease pay the invoice by then.":                              true,
		"Invoice date 03/03/2026\nPlease pay the invoice within 30 days of the date of it.":                          true,
		"Invoice date 3 April 2026\nPlease pay the invoice within 30 days of the date of it.":                        true,
		"Rechnungsdatum 03/04/2026\nBitte zahlen Sie den Betrag innerhalb von 30 Tagen nach dem Datum der Rechnung.": true,
	} {
		v := answers.Variable{Name: "invoice_date", Type: answers.Date}
		found, err := New().Extract(t.Context(), readDocument(t, text),
			answers.ExtractSettings{Variables: []answers.Variable{v}})
		if err != nil || len(found.Evidence[v.Name]) != 1 {
			t.Fatal(err, found)
		}
		if c := found.Evidence[v.Name][0].Confidence; (c > 0.6) != sure {
			t.Errorf("%q: confidence %v", text, c)
		}
	}
}

func TestDescriptionReplacesUninformativeName(t *testing.T) {
	ask(t, []asked{
		{"Oak is a company registered in England.", "a", answers.Boolean, "interest on late payments", ""},
		{"Oak is a company registered in England.", "the", answers.Boolean, "interest on late payments", ""},
		{"Rechnung\nGesamtbetrag: 1.701,70 €", "betrag", answers.Number, "Gesamtbetrag", "1701.7"},
		{"Rechnung\nGesamtbetrag: 1.701,70 €", "x", answers.Number, "Gesamtbetrag", "1701.7"},
		{"Fattura\nImporto totale: 1.701,70 €", "importo", answers.Number, "importo totale", "1701.7"},
		{"Factura\nImporte total: 1.701,70 €", "importe", answers.Number, "importe total", "1701.7"},
		{"Governing law: the laws of Ireland", "law", answers.String, "governing law", "Ireland"},
		{"The contract is governed by the laws of Ireland.", "law", answers.String, "governing law", "Ireland"},
	})
}

func TestVariableNamesInOtherLanguagesAndStyles(t *testing.T) {
	ask(t, []asked{
		{"Sluitingsdatum: 4 december 2026", "application_deadline", answers.Date, "", "2026-12-04"},
		{"Bewerbungsschluss: 4. Dezember 2026", "application_deadline", answers.Date, "", "2026-12-04"},
		{"Closing date: 4 December 2026", "application_deadline", answers.Date, "", "2026-12-04"},
		{"Geschäftsführer: Jörg Bäcker", "geschaeftsfuehrer", answers.String, "", "Jörg Bäcker"},
		{"Schlüsselübergabe: 4. Dezember 2026", "schluesseluebergabe", answers.Date, "", "2026-12-04"},
		{"The number of boxes stays 36.", "number_of_boxes", answers.Number, "", "36"},
		{"The number of boxes stays 36.", "boxes", answers.Number, "", "36"},
		{"The number of boxes stays 36.", "number of boxes", answers.Number, "how many boxes are delivered", "36"},
		{"Die Anzahl der Kartons bleibt 36.", "Anzahl Kartons", answers.Number, "", "36"},
		{"Het aantal dozen blijft 36.", "aantal dozen", answers.Number, "", "36"},
		{"De functie is voor 36 uur per week.", "hours_per_week", answers.Number, "", "36"},
		{"Dienstverband: 36 uur per week", "hours per week", answers.Number, "", "36"},
		{"36 uur per week", "uren_per_week", answers.Number, "", "36"},
		{"The post is for 36 hours per week.", "weekly_hours", answers.Number, "", "36"},
		{"Die Arbeitszeit beträgt 38,5 Stunden pro Woche.", "Stunden pro Woche", answers.Number, "", "38.5"},
	})
}

// A page of a PDF file does not show where a column ends.
func TestTablesFromPages(t *testing.T) {
	const goods = "## Pos. Bezeichnung Menge Einzelpreis Betrag\n~\n| 1 | Bohrmaschine 10 | 89,00 € | 890,00 €\n" +
		"| 2 | Schraubenset 25 | 12,40 € | 310,00 €\n| 3 | Leiter | 2 | 115,00 € | 230,00 €\n\nNettobetrag 1.430,00 €\nMwSt. 19 % 271,70 €"
	ask(t, []asked{
		{goods, "einzelpreis_schraubenset", answers.Number, "", "12.4"}, {goods, "unit_price_leiter", answers.Number, "", "115"},
		{goods, "menge_leiter", answers.Number, "", "2"}, {goods, "einzelpreis", answers.Number, "", ""},
		{goods, "MwSt-Betrag", answers.Number, "", "271.7"}, {goods, "vat_amount", answers.Number, "", "271.7"},
		{"MwSt. 19 % 271,70 €\nGesamtbetrag 1.701,70 €", "mwst", answers.Number, "", "271.7"},
		{"VAT 20 % £271.70", "vat_amount", answers.Number, "", "271.7"}, {"TVA 20 % : 271,70 €", "montant TVA", answers.Number, "", "271.7"},
		{"IVA 22% 271,70 €", "importo IVA", answers.Number, "", "271.7"}, {"Moms 25 % 271,70 kr", "momsbelopp", answers.Number, "", "271.7"},
	})
}
