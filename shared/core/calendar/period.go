package calendar

import (
	"time"

	"portside/shared/core/fault"
)

const (
	defaultDays = 30
	maxPeriod   = 400 * 24 * time.Hour
)

const invalidTime = "must be a date such as 2026-11-21 or an RFC 3339 time such as 2026-11-21T08:30:00Z, in the years 2000 to 9998; " +
	"in a query, write + as %2B"

// Period is the time of the entries of a log to list, as a caller writes it: dates or RFC 3339 times. An empty From is
// 30 days before To, and an empty To is today.
type Period struct{ From, To string }

// Check returns a failure for each text that is neither a date nor a time.
func (p Period) Check() []fault.Field {
	var failures []fault.Field
	for name, text := range map[string]string{"from": p.From, "to": p.To} {
		if _, _, ok := parseTime(text); text != "" && !ok {
			failures = append(failures, fault.Field{Pointer: "query/" + name, Detail: invalidTime})
		}
	}
	return failures
}

// Bounds returns the start of the period and its end, which is excluded. A date as To includes that day. Both bounds
// are rounded up to the precision of the stored times, so that they do not change which entries are in the period. It
// returns a fault if the period is empty or too long.
func (p Period) Bounds(now time.Time, precision time.Duration) (from, to time.Time, err error) {
	to, isDate, _ := parseTime(p.To)
	if p.To == "" {
		to, isDate = now.UTC().Truncate(24*time.Hour), true
	}
	if isDate {
		to = to.AddDate(0, 0, 1)
	}
	from = to.AddDate(0, 0, -defaultDays)
	if p.From != "" {
		from, _, _ = parseTime(p.From)
	}
	switch {
	case !from.Before(to):
		return from, to, fault.Invalid(fault.Field{Pointer: "query/from", Detail: "must be before to"})
	case to.Sub(from) > maxPeriod:
		return from, to, fault.Invalid(fault.Field{Pointer: "query/from", Detail: "must be at most 400 days before to"})
	}
	return roundUp(from, precision), roundUp(to, precision), nil
}

// parseTime parses a date or an RFC 3339 time.
func parseTime(text string) (at time.Time, isDate, ok bool) {
	at, err := time.Parse(time.DateOnly, text)
	isDate = err == nil
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	at = at.UTC()
	return at, isDate, err == nil && at.Year() >= 2000 && at.Year() <= 9998
}

func roundUp(at time.Time, precision time.Duration) time.Time {
	return at.Add(precision - time.Nanosecond).Truncate(precision)
}
