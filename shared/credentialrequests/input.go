package credentialrequests

import (
	"time"

	"portside/shared/core/checks"
	"portside/shared/core/fault"
)

// New is what a requester says.
type New struct {
	Level         Level
	Justification string
}

// Check returns every way in which the input breaks a rule.
func (n New) Check() []fault.Field {
	var failures checks.Failures
	if n.Level.scopes() == nil {
		failures.Add("/accessLevel", "must be charts, images or full")
	}
	failures.Prose("/justification", n.Justification, 1, MaxJustification)
	return failures.Fields()
}

// CheckReason returns every way in which the reason of a decision breaks a rule; it may be empty.
func CheckReason(reason string) []fault.Field {
	var failures checks.Failures
	failures.Prose("/reason", reason, 0, MaxReason)
	return failures.Fields()
}

// dueAt returns when a decision is due: one business day on. Business days are Monday to Friday in UTC; holidays are not
// known here. The time of day is kept, so Friday 15:00 is due on Monday 15:00. What comes on a weekend counts as come when
// Monday begins, and so is due at the end of Monday, which is Tuesday 00:00.
func dueAt(made time.Time) time.Time {
	made = made.UTC()
	midnight := made.Truncate(24 * time.Hour)
	switch made.Weekday() {
	case time.Friday:
		return made.AddDate(0, 0, 3)
	case time.Saturday:
		return midnight.AddDate(0, 0, 3)
	case time.Sunday:
		return midnight.AddDate(0, 0, 2)
	default:
		return made.AddDate(0, 0, 1)
	}
}
