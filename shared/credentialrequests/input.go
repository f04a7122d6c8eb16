package credentialrequests

import (
	"time"

	"portside/shared/core/checks"
	"portside/shared/core/fault"
)

// New is the input for a new request.
type New struct {
	Level          Level
	Justification  string
	IdempotencyKey string // empty if the client sent none
}

// Check returns all validation failures.
func (n New) Check() []fault.Field {
	var failures checks.Failures
	if n.Level.Scopes() == nil {
		failures.Add("/accessLevel", "must be charts, images or full")
	}
	failures.Prose("/justification", n.Justification, 1, MaxJustification)
	return failures.Fields()
}

// CheckReason returns all validation failures of the reason of a decision, which may be empty.
func CheckReason(reason string) []fault.Field {
	var failures checks.Failures
	failures.Prose("/reason", reason, 0, MaxReason)
	return failures.Fields()
}

// DueAt returns when a decision is due: one business day after the request. Business days are
// Monday to Friday in UTC; holidays are not considered. The time of day stays the same, so a
// request of Friday 15:00 is due on Monday 15:00. A request on a weekend counts as one of Monday
// 00:00, and so is due on Tuesday 00:00.
func DueAt(made time.Time) time.Time {
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
