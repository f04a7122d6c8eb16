package mediaoffline

import (
	"testing"

	"portside/shared/media"
)

// TestAnAnswerBehindALabelCountsWhereverTheLabelStands, even after another sentence.
func TestAnAnswerBehindALabelCountsWhereverTheLabelStands(t *testing.T) {
	ask(t, []asked{
		{
			"Zahlbar bis zum 3. Dezember 2026 ohne Abzug. Bereits bezahlt: nein", "bezahlt", media.Boolean, "bereits bezahlt", "false",
		},
		{"Zahlbar bis zum 3. Dezember 2026 ohne Abzug. Bereits bezahlt: ja", "bezahlt", media.Boolean, "bereits bezahlt", "true"},
		{"Lieferung in zwei Wochen. Zustimmung erforderlich: nein", "Zustimmung erforderlich", media.Boolean, "", "false"},
		{"Delivery takes two weeks. Approval required: no", "approval required", media.Boolean, "", "false"},
	})
}

// TestAHeadingThatTheTextRunsOnBehindSaysNothing of what the clause under it says.
func TestAHeadingThatTheTextRunsOnBehindSaysNothing(t *testing.T) {
	ask(t, []asked{
		{"8. Company car. No company car is provided.", "company car provided", media.Boolean, "", ""},
		{"8. Automatic renewal. There is none.", "automatic renewal", media.Boolean, "", ""},
		{"8. Automatische Verlängerung. Sie findet nicht statt.", "automatische Verlängerung", media.Boolean, "", ""},
		{"7. Smoking. It is forbidden.", "smoking allowed", media.Boolean, "", ""},
		{
			"6. Subletting. The Tenant may sublet the flat with the Landlord's written consent.", "subletting allowed", media.Boolean, "", "",
		},
		{"5. Pets. Pets are not permitted on the premises.", "pets permitted", media.Boolean, "", "false"},
		{"8. Company car. The company car is included.", "company car included", media.Boolean, "", "true"},
	})
}

// TestNumbersOfClausesAreNoValues: they say where something stands.
func TestNumbersOfClausesAreNoValues(t *testing.T) {
	ask(t, []asked{
		{"A penalty according to clause 7 is owed for late delivery.", "penalty", media.Number, "", ""},
		{"The penalty under section 12 is owed at once.", "penalty", media.Number, "", ""},
		{"Artikel 9 regelt die Vertragsstrafe.", "Vertragsstrafe", media.Number, "", ""},
		{"Penalty: see clause 7", "penalty", media.Number, "", ""},
		{"Clause 7 applies.", "number of the clause", media.Number, "", "7"},
		{"2. Employees must wear badges.", "employees", media.Number, "", ""},
		{"Les employés (article 9) portent un badge.", "employés", media.Number, "", ""},
		{"§ 4. Kara umowna za każdy dzień zwłoki wynosi 0,5%.", "kara umowna", media.Number, "", ""},
		{"4. The penalty is 250 for each day.", "penalty", media.Number, "", "250"},
		{"4. A deposit of 1,500.00 EUR is due.", "deposit", media.Number, "", "1500"},
	})
}
