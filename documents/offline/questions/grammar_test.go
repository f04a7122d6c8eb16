package questions

import (
	"slices"
	"strings"
	"testing"

	"portside/documents/answers"
)

// Questions of one meaning have the same terms, in whatever language and wording.
func TestQuestionsOfOneMeaningHaveTheSameConcept(t *testing.T) {
	for _, c := range []struct {
		concept  string
		kind     answers.Type
		wordings []string
	}{
		{"due date", answers.Date, []string{"when the invoice has to be paid", "date by which the invoice must be paid", "Bis wann muss bezahlt werden?",
			"date avant laquelle il faut payer", "hasta cuándo hay que pagar", "entro quando si deve pagare", "tot wanneer moet er betaald worden",
			"do kiedy trzeba zapłacić", "last day for payment"}},
		{"net", answers.Number, []string{"total without VAT", "total sans TVA", "Gesamtbetrag ohne Mehrwertsteuer", "amount before tax is added",
			"importe sin IVA", "importo senza IVA", "bedrag zonder btw", "belopp utan moms", "kwota bez VAT", "suma fără TVA", "valor sem IVA"}},
		{"tax", answers.Number, []string{"total amount of tax", "montant total de la TVA", "importe total del IVA", "Betrag der Mehrwertsteuer",
			"importo dell'IVA", "how much VAT has to be paid"}},
		{"supplier", answers.String, []string{"name of the company that issued the invoice", "who sends this invoice", "wer die Rechnung ausgestellt hat",
			"entreprise qui a émis la facture", "quién emite la factura", "chi ha emesso la fattura"}},
		{"customer", answers.String, []string{"who receives this invoice", "to whom the invoice is addressed", "wer die Rechnung bekommt", "a quién se factura"}},
		{"invoice number", answers.String, []string{"number of the invoice", "Nummer der Rechnung", "Wie lautet die Rechnungsnummer?", "please give the invoice number",
			"numéro de la facture", "numer faktury"}},
		{"governing law", answers.String, []string{"state or country whose law governs the agreement", "law that applies to the contract", "por qué ley se rige el contrato"}},
		{"order date", answers.Date, []string{"when were the goods ordered", "date de commande", "Wann wurde bestellt?"}},
		{"account number", answers.String, []string{"account into which the money is paid", "rekening waarop de premie betaald wordt"}},
		{"gross salary", answers.Number, []string{"salary before tax", "pay before deductions", "retribuzione prima delle trattenute"}},
	} {
		for _, wording := range c.wordings {
			t.Run(wording, func(t *testing.T) {
				q := New(answers.Variable{Name: "q1", Type: c.kind, Description: wording})
				if q.Concept != c.concept {
					t.Errorf("asks for %q by the terms %v, want %q", q.Concept, q.NameTerms, c.concept)
				}
			})
		}
	}
}

// A form of two terms would have the last one.
func TestFormsHaveOneTerm(t *testing.T) {
	known := map[string]string{}
	for line := range strings.Lines(grammarText) {
		term, forms, isTerm := strings.Cut(line, ": ")
		if !isTerm || line[0] != '?' {
			continue
		}
		one := grammar{terms: map[string]string{}}
		one.addForms(term, forms)
		for form := range one.terms {
			if other := known[form]; other != "" && other != term {
				t.Errorf("%q is a form of %s and of %s", form, other, term)
			}
			known[form] = term
		}
	}
	if len(known) == 0 {
		t.Error("the grammar has no forms")
	}
}

// A rule with a term that no form has would never apply.
func TestRulesHaveOnlyKnownTerms(t *testing.T) {
	g := questionGrammar()
	for _, r := range g.rules {
		for _, term := range r.from {
			isSaid := term[0] != '?'
			for _, known := range g.terms {
				isSaid = isSaid || known == term
			}
			if !isSaid {
				t.Errorf("the rule %v has the term %s, which no form has", r.from, term)
			}
		}
		if slices.ContainsFunc(r.to, func(term string) bool { return term[0] == '?' }) {
			t.Errorf("the rule %v gives %v", r.from, r.to)
		}
	}
}
