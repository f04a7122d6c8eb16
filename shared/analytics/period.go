package analytics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/fault"
)

// PeriodKind names a period relative to today.
type PeriodKind string

// The kinds of period. Weeks begin on Monday (ISO 8601), quarters in January, April, July and
// October.
const (
	Today       PeriodKind = "today"
	Yesterday   PeriodKind = "yesterday"
	ThisWeek    PeriodKind = "this_week"
	LastWeek    PeriodKind = "last_week"
	ThisMonth   PeriodKind = "this_month"
	LastMonth   PeriodKind = "last_month"
	ThisQuarter PeriodKind = "this_quarter"
	LastQuarter PeriodKind = "last_quarter"
	ThisYear    PeriodKind = "this_year"
	LastYear    PeriodKind = "last_year"
	Custom      PeriodKind = "custom"
)

// PeriodKinds returns all kinds in the order of the API documentation.
func PeriodKinds() []PeriodKind {
	return []PeriodKind{Today, Yesterday, ThisWeek, LastWeek, ThisMonth, LastMonth, ThisQuarter, LastQuarter, ThisYear, LastYear, Custom}
}

// maxYears is the maximum length of a custom period.
const maxYears = 5

// Period is a range of days. It includes both ends.
type Period struct {
	Kind        PeriodKind
	First, Last calendar.Day
}

// PeriodQuery is the period that a caller asks for.
type PeriodQuery struct {
	Kind     PeriodKind    // empty means ThisMonth
	From, To *calendar.Day // nil if missing
}

// Resolve returns the days of the period. A current period, such as ThisWeek, ends today. The
// validation error names every invalid parameter: an unknown kind, dates together with a kind other
// than custom, or a custom period that lacks a date, is reversed, ends after today, or is longer
// than five years.
func (q PeriodQuery) Resolve(today calendar.Day) (Period, error) {
	kind := cmp.Or(q.Kind, ThisMonth)
	if failures := q.check(kind, today); len(failures) > 0 {
		return Period{}, fault.Invalid(failures...)
	}
	if kind == Custom {
		return Period{Kind: kind, First: *q.From, Last: *q.To}, nil
	}
	first, last := kind.days(today)
	return Period{Kind: kind, First: first, Last: last}, nil
}

func (q PeriodQuery) check(kind PeriodKind, today calendar.Day) []fault.Field {
	if !slices.Contains(PeriodKinds(), kind) {
		return []fault.Field{invalidParameter("period", "must be one of %s", commaSeparated(PeriodKinds()))}
	}
	failures := q.CheckDates()
	if kind == Custom && q.To != nil && *q.To > today {
		failures = append(failures, invalidParameter("endDate", "must not be after today, which is %s in UTC", today))
	}
	return failures
}

// CheckDates returns the failures of both dates that do not depend on the current day, so that they can be reported
// together with those of other parameters. The dates of an unknown kind are not checked.
func (q PeriodQuery) CheckDates() []fault.Field {
	kind := cmp.Or(q.Kind, ThisMonth)
	switch {
	case !slices.Contains(PeriodKinds(), kind):
		return nil
	case kind != Custom:
		return q.checkDates(func(date *calendar.Day) bool { return date != nil }, "is only for the period custom; leave it out")
	case q.From == nil || q.To == nil:
		return q.checkDates(func(date *calendar.Day) bool { return date == nil }, "is required for the period custom")
	case *q.From > *q.To:
		return []fault.Field{invalidParameter("startDate", "must not be after endDate")}
	case *q.To >= calendar.DayOf(q.From.Begin().AddDate(maxYears, 0, 0)):
		return []fault.Field{invalidParameter("startDate", "must be within %d years before endDate", maxYears)}
	}
	return nil
}

// checkDates returns a failure with the detail for each date that is wrong.
func (q PeriodQuery) checkDates(wrong func(*calendar.Day) bool, detail string) (failures []fault.Field) {
	if wrong(q.From) {
		failures = append(failures, invalidParameter("startDate", "%s", detail))
	}
	if wrong(q.To) {
		failures = append(failures, invalidParameter("endDate", "%s", detail))
	}
	return failures
}

func invalidParameter(parameter, format string, args ...any) fault.Field {
	return fault.Field{Pointer: "query/" + parameter, Detail: fmt.Sprintf(format, args...)}
}

// commaSeparated joins values into one text.
func commaSeparated[T ~string](values []T) string {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = string(value)
	}
	return strings.Join(words, ", ")
}

// days returns the first and the last day of a named period.
func (k PeriodKind) days(today calendar.Day) (first, last calendar.Day) {
	year, month, _ := today.Begin().Date()
	quarter := month - (month-1)%3
	monday := today - calendar.Day((today.Begin().Weekday()+6)%7)
	switch k {
	case Today:
		return today, today
	case Yesterday:
		return today - 1, today - 1
	case ThisWeek:
		return monday, today
	case LastWeek:
		return monday - 7, monday - 1
	case ThisMonth:
		return firstOf(year, month), today
	case LastMonth:
		return firstOf(year, month-1), firstOf(year, month) - 1
	case ThisQuarter:
		return firstOf(year, quarter), today
	case LastQuarter:
		return firstOf(year, quarter-3), firstOf(year, quarter) - 1
	case ThisYear:
		return firstOf(year, time.January), today
	default: // LastYear
		return firstOf(year-1, time.January), firstOf(year, time.January) - 1
	}
}

// firstOf returns the first day of a month. Month 0 is December of the year before.
func firstOf(year int, month time.Month) calendar.Day {
	return calendar.DayOf(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
}

// Days returns how many days the period has.
func (p Period) Days() int { return int(p.Last-p.First) + 1 }
