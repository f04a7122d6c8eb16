package offline

import (
	"testing"

	"portside/documents/answers"
)

// TestAnAnswerThatIsNoDayLeavesNoRoomForALesserOne: what is impossible, or may be either of two days, is what the document says.
func TestAnAnswerThatIsNoDayLeavesNoRoomForALesserOne(t *testing.T) {
	ask(t, []asked{
		{"Invoice date: 31 February 2026\nDate: June 25, 2026\nTotal: $300.00", "invoice date", answers.Date, "", ""},
		{"Invoice date: 31.02.2026\nDate: 25.06.2026\nTotal: €300.00", "invoice date", answers.Date, "", ""},
		{"Invoice date: 2026-02-31\nDate: 2026-06-25\nTotal: €300.00", "invoice date", answers.Date, "", ""},
		{"Invoice date: 03/04/2026\nDate: June 25, 2026\nTotal: $300.00", "invoice date", answers.Date, "", ""},
		{"Invoice date: 03/04/2026\nIssued: June 25, 2026\nTotal: $300.00", "invoice date", answers.Date, "", ""},
		{"Due date: 03/04/2026\nPayment deadline: June 25, 2026\nTotal: $300.00", "due date", answers.Date, "", ""},
		{"The invoice date is 31 February 2026. It was issued on 25 June 2026.", "invoice date", answers.Date, "", ""},
		{"Rechnungsdatum: 31.02.2026\nDatum: 25.06.2026", "Rechnungsdatum", answers.Date, "", ""},
		{"Date de facture : 30/02/2026\nDate : 25/06/2026", "date de facture", answers.Date, "", ""},
	})
}

// TestADayThatIsSaidAgainIsNotOpen, and one of two labels that is void does not stand in the way of the other.
func TestADayThatIsSaidAgainIsNotOpen(t *testing.T) {
	ask(t, []asked{
		{"Invoice date: 03/04/2026 (March 4, 2026)\nTotal: $300.00", "invoice date", answers.Date, "", "2026-03-04"},
		{"Invoice date: 03/04/2026\nDate: March 4, 2026\nTotal: $300.00", "invoice date", answers.Date, "", "2026-03-04"},
		{"Invoice date: 03/04/2026\nDue date: June 25, 2026\nTotal: $300.00", "due date", answers.Date, "", "2026-06-25"},
		{"Rechnungsdatum: 31.02.2026\nFällig am: 25.06.2026", "Fälligkeitsdatum", answers.Date, "", "2026-06-25"},
	})
}
