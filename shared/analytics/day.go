package analytics

import (
	"fmt"
	"time"
)

// Day is a calendar day in UTC, as the number of days since 1970-01-01.
type Day int

// length of a day. Days in UTC all have the same length.
const length = 24 * time.Hour

// DayOf returns the day of a time.
func DayOf(at time.Time) Day {
	seconds, perDay := at.Unix(), int64(length/time.Second)
	day := seconds / perDay
	if seconds%perDay < 0 {
		day--
	}
	return Day(day)
}

// ParseDay parses a date in the form 2006-01-02, of the years 1970 to 9999.
func ParseDay(text string) (Day, error) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil || at.Year() < 1970 {
		return 0, fmt.Errorf("%q is not a day", text)
	}
	return DayOf(at), nil
}

// Begin returns the first moment of the day.
func (d Day) Begin() time.Time { return time.Unix(int64(d)*int64(length/time.Second), 0).UTC() }

// String formats the day as 2006-01-02.
func (d Day) String() string { return d.Begin().Format(time.DateOnly) }

// MarshalText implements encoding.TextMarshaler.
func (d Day) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
