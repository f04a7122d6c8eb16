package calendar

import (
	"fmt"
	"time"
)

// Span is a year, a quarter, a month, an ISO week or a day. It includes its first and last day.
type Span struct {
	Name        string // 2026, 2026-Q4, 2026-11, 2026-W47 or 2026-11-21
	First, Last Day
}

// SpansOf returns the spans that a day belongs to: its year, quarter, month, week and the day.
func SpansOf(day Day) []Span {
	at := day.Begin()
	year, month, _ := at.Date()
	quarter := (month - 1) / 3
	weekYear, week := at.ISOWeek()
	monday := day - Day((at.Weekday()+6)%7)
	months := func(name string, first, n time.Month) Span {
		return Span{name, firstOf(year, first), firstOf(year, first+n) - 1}
	}
	return []Span{
		months(fmt.Sprintf("%04d", year), time.January, 12),
		months(fmt.Sprintf("%04d-Q%d", year, quarter+1), 3*quarter+1, 3),
		months(at.Format("2006-01"), month, 1),
		{fmt.Sprintf("%04d-W%02d", weekYear, week), monday, monday + 6},
		{day.String(), day, day},
	}
}

// firstOf returns the first day of a month. Month 13 is January of the next year.
func firstOf(year int, month time.Month) Day {
	return DayOf(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
}
