package analytics

import (
	"time"

	"portside/shared/core/calendar"
)

// Comparison selects the period that a period is compared with. The zero value means no comparison.
type Comparison string

// The comparisons.
const (
	WithPrevious Comparison = "previous" // see Period.Previous
	WithYearAgo  Comparison = "year_ago" // see Period.YearAgo
)

// Comparisons returns all comparisons in the order of the API documentation.
func Comparisons() []Comparison { return []Comparison{WithPrevious, WithYearAgo} }

// Previous returns the equally long period that ends the day before this one begins.
func (p Period) Previous() Period {
	return Period{Kind: Custom, First: p.First - calendar.Day(p.Days()), Last: p.First - 1}
}

// YearAgo returns the same dates one year earlier. 29 February becomes 28 February. If only
// one of the periods contains a leap day, their lengths differ by one day.
func (p Period) YearAgo() Period {
	return Period{Kind: Custom, First: yearBefore(p.First), Last: yearBefore(p.Last)}
}

func yearBefore(day calendar.Day) calendar.Day {
	year, month, date := day.Begin().Date()
	if month == time.February {
		date = min(date, 28)
	}
	return calendar.DayOf(time.Date(year-1, month, date, 0, 0, 0, 0, time.UTC))
}

// compared returns the period that p is compared with, or nil for no comparison.
func (p Period) compared(with Comparison) *Period {
	var other Period
	switch with {
	case WithPrevious:
		other = p.Previous()
	case WithYearAgo:
		other = p.YearAgo()
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
