package offline

import (
	"testing"

	"portside/documents/answers"
)

// TestFormsAsPeopleMakeThem: ways to write labels and values, and to name variables, that a first reading gets wrong.
func TestFormsAsPeopleMakeThem(t *testing.T) {
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
			answers.Variable{Name: "volunteers", Type: answers.Number, Description: "number of volunteers (vrijwilligers)"}, "54"},
		"columns without gaps": {"Rubrique Base Taux Montant\nHeures supplémentaires 4,00 16,50 66,00",
			answers.Variable{Name: "overtime_amount", Type: answers.Number}, "66"},
		"heads in the middle": {"| Kunden-Nr. | 40551 |\n| Pos | Bezeichnung | Menge | Betrag\n| 1 | Plakate A2 | 80 | 276,00 €\n| 2 | Broschüre | 500 | 590,00 €",
			answers.Variable{Name: "anzahl_plakate", Type: answers.Number}, "80"},
		"a role after the name": {`De ondergetekenden: Bloemen Van Dam B.V., gevestigd te Aalsmeer, hierna te noemen "werkgever".`,
			answers.Variable{Name: "employer", Type: answers.String}, "Bloemen Van Dam B.V."},
		"whom a letter greets": {"Dear Rosa Alvarez,\n\nyour seat is 14C.", answers.Variable{Name: "passenger", Type: answers.String}, "Rosa Alvarez"},
		"a first name only":    {"Dear Rosa,\n\nyour seat is 14C.", answers.Variable{Name: "passenger", Type: answers.String}, ""},
		"the next label":       {"Client\nÀ régler avant le\n19 octobre 2026", answers.Variable{Name: "client", Type: answers.String}, ""},
		"what was sent when": {"= Date | Fri, 6 Nov 2026\n\nWe look forward to the concert.",
			answers.Variable{Name: "concert_date", Type: answers.Date}, ""},
		"a price of thousands": {"Budget: € 126.000", answers.Variable{Name: "budget", Type: answers.Number}, "126000"},
		"a period's last day":  {"Policy period: 1 June 2026 to 30 June 2027", answers.Variable{Name: "period_end", Type: answers.Date}, "2027-06-30"},
		"a word before not":    {"Your fare is non-refundable.", answers.Variable{Name: "refundable", Type: answers.Boolean}, "false"},
	} {
		t.Run(name, func(t *testing.T) {
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
