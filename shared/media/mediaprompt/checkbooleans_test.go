package mediaprompt

import (
	"strings"
	"testing"

	"portside/documents/answers"
)

func TestCheckBoolean(t *testing.T) {
	paid := answers.Variable{Name: "isPaid", Type: answers.Boolean, Description: "whether the bill was settled"}
	for _, test := range []struct {
		quote, value string
		want         float64
	}{
		{"Paid: no", "true", 0},
		{"Paid: no", "false", plausible},
		{"Paid: yes", "false", 0},
		{"Paid: Yes.", "true", plausible},
		{"Paid? No, not yet", "true", 0},
		{"Paid: not yet", "true", 0},
		{"Paid\tnone", "true", 0},
		{"Paid = FALSE", "true", 0},
		{"Paid:\nno", "true", 0},
		{"Bezahlt: noch nicht", "true", 0},
		{"Bezahlt: ja", "false", 0},
		{"Pagado: sí", "false", 0},
		{"Pago: não", "true", 0},
		{"Payé : non", "true", 0},
		{"Pagato: sì", "false", 0},
		{"Betaald: nee", "true", 0},
		{"Betald: nej", "true", 0},
		{"Zapłacono: tak", "false", 0},
		{"Plătit: nu", "true", 0},
		{"no", "true", 0},
		{"No", "false", partial},
		{"☒ Paid", "false", 0},
		{"☐ Paid", "true", 0},
		{"Paid: [x]", "true", plausible},
		{"Paid: [ ]", "true", 0},
		{"☒ not paid", "false", plausible},
		{"☐ not paid", "true", plausible},
		{"☒ no", "true", 0},
		{"Yes [x] No [ ]", "true", plausible},
		{"Paid: no, sent: yes", "true", plausible}, // open which of them is meant
		{"Paid: no. 7 of the list", "false", plausible},
		{"There is no doubt that it was paid", "true", plausible},
		{"It was not paid", "false", plausible},
		{"run", "true", partial},
		{"run", "false", partial},
		{"paid", "true", plausible},
		{"SETTLED", "true", plausible},
	} {
		t.Run(test.quote+" as "+test.value, func(t *testing.T) {
			if _, got := checkValue(paid, answers.Value{Type: answers.Boolean, Text: test.value}, test.quote); got != test.want {
				t.Errorf("%q as %s: %v", test.quote, test.value, got)
			}
		})
	}
}

// A variable may ask for the opposite of the label in the document.
func TestCheckBooleanOfOppositeVariable(t *testing.T) {
	for name, want := range map[string]float64{
		"unpaid": partial, "not_paid": partial, "nichtBezahlt": partial, "paid": 0, "outstanding": 0,
	} {
		if got := checkBoolean("Paid: no", "true", answers.Variable{Name: name, Type: answers.Boolean}); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestNoWordIsBothAffirmativeAndNegative(t *testing.T) {
	for word := range strings.FieldsSeq(affirmativeWords) {
		if got := wordsVerdict(word); got != yes {
			t.Errorf("%s: %v", word, got)
		}
	}
	for word := range strings.FieldsSeq(negativeWords) {
		if got := wordsVerdict(word); got != no {
			t.Errorf("%s: %v", word, got)
		}
	}
}
