package offline

import (
	"testing"

	"portside/documents/answers"
)

// TestAnAnswerBehindALabelCountsWhereverTheLabelStands, even after another sentence.
func TestAnAnswerBehindALabelCountsWhereverTheLabelStands(t *testing.T) {
	ask(t, []asked{
		{
			"Zahlbar bis zum 3. Dezember 2026 ohne Abzug. Bereits bezahlt: nein", "bezahlt", answers.Boolean, "bereits bezahlt", "false",
		},
		{"Zahlbar bis zum 3. Dezember 2026 ohne Abzug. Bereits bezahlt: ja", "bezahlt", answers.Boolean, "bereits bezahlt", "true"},
		{"Lieferung in zwei Wochen. Zustimmung erforderlich: nein", "Zustimmung erforderlich", answers.Boolean, "", "false"},
		{"Delivery takes two weeks. Approval required: no", "approval required", answers.Boolean, "", "false"},
	})
}

// TestAHeadingThatTheTextRunsOnBehindSaysNothing of what the clause under it says.
func TestAHeadingThatTheTextRunsOnBehindSaysNothing(t *testing.T) {
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

// TestNumbersOfClausesAreNoValues: they say where something stands.
func TestNumbersOfClausesAreNoValues(t *testing.T) {
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
