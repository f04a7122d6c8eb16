package offline_test

import (
	"strings"
	"testing"

	"portside/documents/answers"
)

// valuesOf returns the values of a list, joined with " | ".
func valuesOf(t *testing.T, text string, of answers.Variable) string {
	t.Helper()
	table := answers.Table{Name: of.Name, MaxRows: 100, Columns: []answers.Variable{of}}
	return strings.ReplaceAll(rowsOf(t, []byte(text), table), "\n", " | ")
}

func TestListsOfTexts(t *testing.T) {
	attendees := answers.Variable{Name: "attendees", Description: "list of all attendees", Type: answers.String}
	for text, want := range map[string]string{
		"Minutes\n\nAttendees: Ada Lovelace, Grace Hopper and Alan Turing\n":                                                         "Ada Lovelace | Grace Hopper | Alan Turing",
		"Minutes\n\nAttendees: Ada Lovelace, Grace Hopper,\nAlan Turing\n\nThe meeting began at nine.\n":                             "Ada Lovelace | Grace Hopper | Alan Turing",
		"Attendees: Lovelace, Ada; Hopper, Grace; Turing, Alan":                                                                      "Lovelace, Ada | Hopper, Grace | Turing, Alan",
		"Attendees: Ada Lovelace (chair, board), Grace Hopper":                                                                       "Ada Lovelace (chair, board) | Grace Hopper",
		"Attendees: Harbour Works, Inc., Quay Cranes, S.L. and Pilots Ltd.":                                                          "Harbour Works, Inc. | Quay Cranes, S.L. | Pilots Ltd.",
		"Attendees: Ada, Grace, etc.":                                                                                                "Ada | Grace",
		"Attendees: Ada and Grace":                                                                                                   "Ada | Grace",
		"Attendees: Ada Lovelace":                                                                                                    "Ada Lovelace",
		"Minutes\n\nAttendees:\n- Ada Lovelace\n- Grace Hopper\n":                                                                    "Ada Lovelace | Grace Hopper",
		"# Minutes\n\n## Attendees\n\n* Ada\n  * from London\n* Grace\n\n## Decisions\n\n* Build\n":                                  "Ada | Grace",
		"# Minutes\n\nThe attendees were:\n\n1. Ada\n2. Grace\n":                                                                     "Ada | Grace",
		"Minutes\n\nAttendees:\nAda Lovelace\nGrace Hopper\n":                                                                        "Ada Lovelace | Grace Hopper",
		`{"meeting":"board","attendees":["Ada Lovelace","Grace Hopper"]}`:                                                            "Ada Lovelace | Grace Hopper",
		"Teilnehmer: Ada Lovelace, Grace Hopper und Alan Turing. Die Sitzung ist um neun. Der Vorstand hat das Protokoll genehmigt.": "Ada Lovelace | Grace Hopper | Alan Turing",
		"Asistentes: Ada Lovelace, Grace Hopper y Alan Turing\n\nLa reunión comienza a las nueve con la lectura del acta.":           "Ada Lovelace | Grace Hopper | Alan Turing",
		"# Board\n\nAttendees: Ada, Grace\n\n# Staff\n\nAttendees: Alan, Kurt\n":                                                     "",
		"# Minutes\n\n## Decisions\n\n- Build the warehouse\n":                                                                       "",
		"# Minutes\n\nAttendees: 37 members\n":                                                                                       "",
		"# Minutes\n\nAttendees\nNext meeting: 7 May 2026\n":                                                                         "",
		"The attendees, Ada and Grace, agreed.":                                                                                      "",
	} {
		if got := valuesOf(t, text, attendees); got != want {
			t.Errorf("%s\ngot  %q\nwant %q", text, got, want)
		}
	}
}

func TestListsOfOtherValues(t *testing.T) {
	for _, test := range []struct {
		text, name string
		of         answers.Type
		want       string
	}{
		{"Meeting dates: March 2, 2026, March 9, 2026 and March 16, 2026", "meeting dates", answers.Date, "2026-03-02 | 2026-03-09 | 2026-03-16"},
		{"# Visits\n\nVisit dates:\n\n- 2 March 2026\n- 9 March 2026, morning\n", "visit_dates", answers.Date, "2026-03-02 | 2026-03-09"},
		{"Deposits: 1,500.00 EUR, 2,500.50 EUR and 300 EUR", "deposits", answers.Number, "1500 | 2500.5 | 300"},
		{"Weights:\n- 12.5 kg\n- 13 kg\n", "weights", answers.Number, "12.5 | 13"},
		{"Engine: V8 Marine\nEngine: V6 Marine\n", "engines", answers.String, "V8 Marine | V6 Marine"},
		{"Engine,Room\nV8 Marine,1\nV6 Marine,2\n", "engines", answers.String, "V8 Marine | V6 Marine"},
		{"Article,Quantity,Amount\nRope,2,10.00\nSail,1,90.00\nSubtotal,,100.00\nTotal,,120.00\nIBAN,,GB33BUKB20201555555555\n", "articles",
			answers.String, "Rope | Sail"},
		{"Article,Amount\nRope,10.00\nIBAN,GB33BUKB20201555555555\n", "articles", answers.String, ""},
		{"Contact emails: ada@example.com, grace@example.com", "contact emails", answers.String, "ada@example.com | grace@example.com"},
		{"Phones:\n- +44 20 7946 0100\n- +44 20 7946 0101\n", "phones", answers.String, "+44 20 7946 0100 | +44 20 7946 0101"},
		{"Invoice numbers: INV-2026-17, INV-2026-18", "invoice_numbers", answers.String, "INV-2026-17 | INV-2026-18"},
		{"Departments: Research and Development", "departments", answers.String, "Research | Development"},
		{"Containers: none", "containers", answers.String, ""},
		{`{"scores":[1.5,2.5,3]}`, "scores", answers.Number, "1.5 | 2.5 | 3"},
		{"Weight (kg),Box\n12.5,A\n13,B\n", "weight", answers.Number, "12.5 | 13"},
	} {
		if got := valuesOf(t, test.text, answers.Variable{Name: test.name, Type: test.of}); got != test.want {
			t.Errorf("%s\ngot  %q\nwant %q", test.text, got, test.want)
		}
	}
}
