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

// Kind is how a period is named.
type Kind string

// The kinds. Weeks begin on Monday (ISO 8601), quarters in January, April, July and October.
const (
	Today       Kind = "today"
	Yesterday   Kind = "yesterday"
	ThisWeek    Kind = "this_week"
	LastWeek    Kind = "last_week"
	ThisMonth   Kind = "this_month"
	LastMonth   Kind = "last_month"
	ThisQuarter Kind = "this_quarter"
	LastQuarter Kind = "last_quarter"
	ThisYear    Kind = "this_year"
	LastYear    Kind = "last_year"
	Custom      Kind = "custom"
)

// Kinds returns all of them in the order of the specification.
func Kinds() []Kind {
	return []Kind{Today, Yesterday, ThisWeek, LastWeek, ThisMonth, LastMonth, ThisQuarter, LastQuarter, ThisYear, LastYear, Custom}
}

// maxYears is the longest span of a custom period.
const maxYears = 5

// Period is a range of days, both ends included.
type Period struct {
	Kind        Kind
	First, Last calendar.Day
}

// Asked is what a caller says of a period; no dates are nil.
type Asked struct {
	Kind     Kind // empty: ThisMonth
	From, To *calendar.Day
}

// Resolve returns the period that is meant on a day. Those of the present end on it. Errors name every parameter that is wrong:
// a kind that is none, dates beside a kind that needs none, a custom period without both dates, reversed, of the future, or of
// more than five years.
func (a Asked) Resolve(today calendar.Day) (Period, error) {
	kind := cmp.Or(a.Kind, ThisMonth)
	if failures := a.check(kind, today); len(failures) > 0 {
		return Period{}, fault.Invalid(failures...)
	}
	if kind == Custom {
		return Period{Kind: kind, First: *a.From, Last: *a.To}, nil
	}
	first, last := kind.on(today)
	return Period{Kind: kind, First: first, Last: last}, nil
}

func (a Asked) check(kind Kind, today calendar.Day) []fault.Field {
	switch {
	case !slices.Contains(Kinds(), kind):
		return []fault.Field{problem("period", "must be one of %s", listed(Kinds()))}
	case kind != Custom:
		return a.checkDates(func(date *calendar.Day) bool { return date != nil }, "is only for the period custom; leave it out")
	case a.From == nil || a.To == nil:
		return a.checkDates(func(date *calendar.Day) bool { return date == nil }, "is required for the period custom")
	case *a.From > *a.To:
		return []fault.Field{problem("startDate", "must not be after endDate")}
	case *a.To > today:
		return []fault.Field{problem("endDate", "must not be after today, which is %s in UTC", today)}
	case *a.To >= calendar.DayOf(a.From.Begin().AddDate(maxYears, 0, 0)):
		return []fault.Field{problem("startDate", "must be within %d years before endDate", maxYears)}
	}
	return nil
}

// checkDates says the same of each date that is wrong.
func (a Asked) checkDates(wrong func(*calendar.Day) bool, detail string) (failures []fault.Field) {
	if wrong(a.From) {
		failures = append(failures, problem("startDate", "%s", detail))
	}
	if wrong(a.To) {
		failures = append(failures, problem("endDate", "%s", detail))
	}
	return failures
}

func problem(parameter, format string, args ...any) fault.Field {
	return fault.Field{Pointer: "query/" + parameter, Detail: fmt.Sprintf(format, args...)}
}

// listed is a list as a sentence has it.
func listed[T ~string](values []T) string {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = string(value)
	}
	return strings.Join(words, ", ")
}

// on returns the days of a named period on a day.
func (k Kind) on(today calendar.Day) (first, last calendar.Day) {
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

// firstOf is the first day of a month, which may be of the year before: month 0 is December.
func firstOf(year int, month time.Month) calendar.Day {
	return calendar.DayOf(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
}

// Days is how many days the period has.
func (p Period) Days() int { return int(p.Last-p.First) + 1 }

// Previous is the equally long period that ends the day before.
func (p Period) Previous() Period {
	return Period{Kind: Custom, First: p.First - calendar.Day(p.Days()), Last: p.First - 1}
}
