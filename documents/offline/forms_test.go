package offline

import (
	"testing"

	"portside/documents"
	"portside/documents/answers"
)

// The cases are layouts and names that are easy to misread.
func TestFormsOfManyLayouts(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		variable answers.Variable
		want     string // empty for none
	}{
		"a question for a name": {"The lease begins on 1 May 2027 and ends on 30 April 2029.",
			answers.Variable{Name: "when_does_it_end", Type: answers.Date, Description: "When does it end?"}, "2029-04-30"},
		"an umlaut written out": {"Fälligkeit: 20.10.2026", answers.Variable{Name: "faelligkeit", Type: answers.Date}, "2026-10-20"},
		"a number cut short":    {"# Faktura\n\nFakturanr 118820", answers.Variable{Name: "invoice_number", Type: answers.String}, "118820"},
		"a remark in brackets": {"Antal deltog\nAantal vrijwilligers: 54",
			answers.Variable{Name: "volunteers", Type: answers.Number, Description: "number of volunteers (vrijwilligers)"},
			"54"},
		"columns without gaps": {"Rubrique Base Taux Montant\nHeures supplémentaires 4,00 16,50 66,00",
			answers.Variable{Name: "overtime_amount", Type: answers.Number}, "66"},
		"heads in the middle": {"| Kunden-Nr. | 40551 |\n| Pos | Bezeichnung | Menge | Betrag\n| 1 | Plakate A2 | 80 | 276,00 €\n| 2 | Broschüre | 500 | 590,00 €",
			answers.Variable{Name: "anzahl_plakate", Type: answers.Number}, "80"},
		"a role after the name": {`De ondergetekenden: Bloemen Van Dam B.V., gevestigd te Aalsmeer, hierna te noemen "werkgever".`,
			answers.Variable{Name: "employer", Type: answers.String}, "Bloemen Van Dam B.V."},
		"a first name only": {"Dear Rosa,\n\nyour seat is 14C.", answers.Variable{Name: "passenger", Type: answers.String}, ""},
		"the next label":    {"Client\nÀ régler avant le\n19 octobre 2026", answers.Variable{Name: "client", Type: answers.String}, ""},
		"what was sent when": {"= Date | Fri, 6 Nov 2026\n\nWe look forward to the concert.",
			answers.Variable{Name: "concert_date", Type: answers.Date}, ""},
		"a price of thousands": {"Budget: € 126.000", answers.Variable{Name: "budget", Type: answers.Number}, "126000"},
		"a period's last day":  {"Policy period: 1 June 2026 to 30 June 2027", answers.Variable{Name: "period_end", Type: answers.Date}, "2027-06-30"},
		"a word before not":    {"Your fare is non-refundable.", answers.Variable{Name: "refundable", Type: answers.Boolean}, "false"},
	} {
		t.Run(name, func(t *testing.T) {
			record(asked{c.text, c.variable.Name, c.variable.Type, c.variable.Description, c.want})
			d := readDocument(t, c.text)
			found, err := New().Extract(t.Context(), d, answers.ExtractSettings{Variables: []answers.Variable{c.variable}})
			if err != nil {
				t.Fatal(err)
			}
			if got := found.Values[c.variable.Name]; got.Text != c.want {
				t.Errorf("got %q, want %q", got.Text, c.want)
			}
		})
	}
}

// A label may follow another sentence in the same line.
func TestAnswerAfterLabelInAnyLine(t *testing.T) {
	ask(t, []asked{
		{
			"Zahlbar bis zum 3. Dezember 2026 ohne Abzug. Bereits bezahlt: nein", "bezahlt", answers.Boolean, "bereits bezahlt", "false",
		},
		{"Zahlbar bis zum 3. Dezember 2026 ohne Abzug. Bereits bezahlt: ja", "bezahlt", answers.Boolean, "bereits bezahlt", "true"},
		{"Lieferung in zwei Wochen. Zustimmung erforderlich: nein", "Zustimmung erforderlich", answers.Boolean, "", "false"},
		{"Delivery takes two weeks. Approval required: no", "approval required", answers.Boolean, "", "false"},
	})
}

// A heading does not state what the clause below it is about.
func TestHeadingIsNotAStatement(t *testing.T) {
	ask(t, []asked{
		{"8. Company car. No company car is provided.", "company car provided", answers.Boolean, "", ""},
		{"8. Automatic renewal. There is none.", "automatic renewal", answers.Boolean, "", ""},
		{"8. Automatische Verlängerung. Sie findet nicht statt.", "automatische Verlängerung", answers.Boolean, "", ""},
		{"7. Smoking. It is forbidden.", "smoking allowed", answers.Boolean, "", ""},
		{
			"6. Subletting. The Tenant may sublet the flat with the Landlord's written consent.", "subletting allowed", answers.Boolean, "", "",
		},
		{"5. Pets. Pets are not permitted on the premises.", "pets permitted", answers.Boolean, "", "false"},
		{"8. Company car. The company car is included.", "company car included", answers.Boolean, "", "true"},
	})
}

func TestClauseNumbersAreNotValues(t *testing.T) {
	ask(t, []asked{
		{"A penalty according to clause 7 is owed for late delivery.", "penalty", answers.Number, "", ""},
		{"The penalty under section 12 is owed at once.", "penalty", answers.Number, "", ""},
		{"Artikel 9 regelt die Vertragsstrafe.", "Vertragsstrafe", answers.Number, "", ""},
		{"Penalty: see clause 7", "penalty", answers.Number, "", ""},
		{"Clause 7 applies.", "number of the clause", answers.Number, "", "7"},
		{"2. Employees must wear badges.", "employees", answers.Number, "", ""},
		{"Les employés (article 9) portent un badge.", "employés", answers.Number, "", ""},
		{"§ 4. Kara umowna za każdy dzień zwłoki wynosi 0,5%.", "kara umowna", answers.Number, "", ""},
		{"4. The penalty is 250 for each day.", "penalty", answers.Number, "", "250"},
		{"4. A deposit of 1,500.00 EUR is due.", "deposit", answers.Number, "", "1500"},
	})
}

// In "12 EUR 11 EUR" the first EUR may belong to either number.
func TestAmountsThatShareACurrency(t *testing.T) {
	for _, text := range []string{"Coffee 12 EUR 11 EUR. Fee 3 USD 4 USD", "Plan 5 zł 6 zł kosztuje",
		"EUR 1 EUR 2 EUR 3 EUR"} {
		into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
		if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
			t.Fatal(err)
		}
		variables := []answers.Variable{{Name: "fee", Type: answers.Number}, {Name: "price", Type: answers.Number}}
		settings := answers.ExtractSettings{Variables: variables}
		got, err := New().Extract(t.Context(), into.Document(), settings)
		if err != nil || len(got.Values) > 2 {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}
