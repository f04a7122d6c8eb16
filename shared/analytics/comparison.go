package analytics

import (
	"slices"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/fault"
)

// Comparison selects the period that a period is compared with. The zero value means no comparison.
type Comparison string

// The comparisons.
const (
	WithPrevious Comparison = "previous" // see Period.Previous
	WithYearAgo  Comparison = "year_ago" // see Period.YearAgo
	WithCalendar Comparison = "calendar" // see Period.UnitBefore
)

// Comparisons returns all comparisons in the order of the API documentation.
func Comparisons() []Comparison { return []Comparison{WithPrevious, WithYearAgo, WithCalendar} }

// Previous returns the equally long period that ends the day before this one begins.
func (p Period) Previous() Period {
	return Period{Kind: Custom, First: p.First - calendar.Day(p.Days()), Last: p.First - 1}
}

// YearAgo returns the same dates one year earlier. 29 February becomes 28 February. If only
// one of the periods contains a leap day, their lengths differ by one day.
func (p Period) YearAgo() Period {
	return Period{Kind: Custom, First: monthsBefore(p.First, 12), Last: monthsBefore(p.Last, 12)}
}

// UnitBefore returns the calendar unit before the one that the period is: the day, ISO week, month, quarter or year
// before. A custom period counts as the smallest unit that begins on its first day and contains it; isUnit is false if
// no unit does. If the unit has not ended, because the period includes today, or if the period is only the beginning of
// its unit, UnitBefore ends on the same date as the period: the same weekday, or the same date one month, three months
// or a year earlier. 31 March becomes the last day of February.
func (p Period) UnitBefore(today calendar.Day) (before Period, isUnit bool) {
	unit, last, isUnit := p.unit()
	before = Period{Kind: Custom, First: unit.before(p.First), Last: p.First - 1}
	if p.Last < last || p.Last >= today {
		before.Last = unit.before(p.Last)
	}
	return before, isUnit
}

// calendarUnit is a unit of the calendar: its two named periods, and its length in months or days.
type calendarUnit struct {
	current, ended PeriodKind
	months, days   int
}

// before returns the same date in the unit before the one of the day.
func (u calendarUnit) before(day calendar.Day) calendar.Day {
	return monthsBefore(day, u.months) - calendar.Day(u.days)
}

// unit returns the calendar unit of the period, and the last day of that unit.
func (p Period) unit() (unit calendarUnit, last calendar.Day, found bool) {
	units := []calendarUnit{ // in the order of calendar.SpansOf
		{ThisYear, LastYear, 12, 0}, {ThisQuarter, LastQuarter, 3, 0}, {ThisMonth, LastMonth, 1, 0}, {ThisWeek, LastWeek, 0, 7},
		{Today, Yesterday, 0, 1},
	}
	for i, span := range slices.Backward(calendar.SpansOf(p.First)) {
		begins := p.Kind == Custom && span.First == p.First && span.Last >= p.Last
		if begins || p.Kind == units[i].current || p.Kind == units[i].ended {
			return units[i], span.Last, true
		}
	}
	return calendarUnit{}, 0, false
}

// monthsBefore returns the same date some months earlier, or the last day of that month if it is shorter.
func monthsBefore(day calendar.Day, months int) calendar.Day {
	year, month, date := day.Begin().Date()
	month -= time.Month(months)
	return min(firstOf(year, month)+calendar.Day(date-1), firstOf(year, month+1)-1)
}

// CheckComparison returns the failures of a comparison with valid dates. They do not depend on the current day, as
// those of CheckDates.
func (q PeriodQuery) CheckComparison(with Comparison) []fault.Field {
	if with != WithCalendar || q.Kind != Custom || len(q.CheckDates()) > 0 {
		return nil
	}
	if _, isUnit := (Period{Kind: Custom, First: *q.From, Last: *q.To}).UnitBefore(*q.To); isUnit {
		return nil
	}
	return []fault.Field{invalidParameter("compare", "calendar needs one day, or a startDate that begins a week (Monday), month, quarter or "+
		"year, and an endDate in the same one; previous and year_ago take any dates")}
}

// resolveBoth returns the period and the one that it is compared with, or nil for no comparison. It returns the errors
// of Resolve and CheckComparison.
func (q PeriodQuery) resolveBoth(with Comparison, today calendar.Day) (Period, *Period, error) {
	period, err := q.Resolve(today)
	if err != nil {
		return Period{}, nil, err
	}
	if failures := q.CheckComparison(with); len(failures) > 0 {
		return Period{}, nil, fault.Invalid(failures...)
	}
	return period, period.compared(with, today), nil
}

// compared returns the period that p is compared with, or nil for no comparison.
func (p Period) compared(with Comparison, today calendar.Day) *Period {
	var other Period
	switch with {
	case WithPrevious:
		other = p.Previous()
	case WithYearAgo:
		other = p.YearAgo()
	case WithCalendar:
		other, _ = p.UnitBefore(today)
	default:
		return nil
	}
	return &other
}

// spans returns the days of a period and of the one that it is compared with, in as few ranges as
// possible, in order. Two periods that are close to each other are one range, because reading the
// days in between costs less than another call.
func spans(p Period, other *Period) []Period {
	if other == nil {
		return []Period{p}
	}
	first, second := *other, p // the other period begins earlier
	if second.First-storageLookbackDays > first.Last+1 {
		return []Period{first, second}
	}
	return []Period{{First: first.First, Last: max(first.Last, second.Last)}}
}
