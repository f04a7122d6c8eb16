package requests

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"portside/shared/fault"
)

// New is what a requester says.
type New struct {
	Level         Level
	Justification string
}

// Check returns every way in which the input breaks a rule.
func (n New) Check() []fault.Field {
	var failures []fault.Field
	if n.Level.scopes() == nil {
		failures = append(failures, fault.Field{Pointer: "/accessLevel", Detail: "must be charts, images or full"})
	}
	if !legible(n.Justification, 1, MaxJustification) {
		failures = append(failures, fault.Field{Pointer: "/justification", Detail: prose(1, MaxJustification)})
	}
	return failures
}

// CheckReason returns every way in which the reason of a decision breaks a rule; it may be empty.
func CheckReason(reason string) []fault.Field {
	if !legible(reason, 0, MaxReason) {
		return []fault.Field{{Pointer: "/reason", Detail: prose(0, MaxReason)}}
	}
	return nil
}

func prose(least, most int) string {
	return fmt.Sprintf("must have %d to %d characters that can be read, and of control characters only line breaks and tabs", least, most)
}

// legible reports whether a text, trimmed, has so many characters and none that hides or turns what stands around it: the
// text is shown to whoever decides.
func legible(text string, least, most int) bool {
	text = strings.TrimSpace(text)
	n := utf8.RuneCountInString(text)
	return n >= least && n <= most && utf8.ValidString(text) && !strings.ContainsFunc(text, unreadable) &&
		(n == 0 || strings.ContainsFunc(text, visible))
}

func unreadable(r rune) bool {
	switch r {
	case '\n', '\r', '\t', '\u200c', '\u200d': // the joiners are letters to those who write Persian or Hindi
		return false
	default:
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Noncharacter_Code_Point)
	}
}

func visible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
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
