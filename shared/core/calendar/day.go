// Package calendar defines Day, the type for calendar days in UTC, by which Portside counts and reports.
package calendar

import (
	"fmt"
	"time"
)

// Day is a calendar day in UTC, as the number of days since 1970-01-01. Days compare and add as integers do: d+1 is
// the day after d.
type Day int

// length of a day. All days in UTC have 24 hours, because time.Time has no leap seconds.
const length = 24 * time.Hour

// DayOf returns the day in UTC to which a moment belongs.
func DayOf(at time.Time) Day {
	seconds, perDay := at.Unix(), int64(length/time.Second)
	day := seconds / perDay
	if seconds%perDay < 0 { // before 1970, round down
		day--
	}
	return Day(day)
}

// ParseDay reads a day in the form 2006-01-02, from the years 1970 to 9999.
func ParseDay(text string) (Day, error) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil || at.Year() < 1970 {
		return 0, fmt.Errorf("%q is not a day such as 2006-01-02", text)
	}
	return DayOf(at), nil
}

// Begin returns the first moment of the day.
func (d Day) Begin() time.Time { return time.Unix(int64(d)*int64(length/time.Second), 0).UTC() }

// String returns the day in the form 2006-01-02.
func (d Day) String() string { return d.Begin().Format(time.DateOnly) }

// MarshalText implements encoding.TextMarshaler.
func (d Day) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
