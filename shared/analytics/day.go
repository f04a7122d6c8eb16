package analytics

import (
	"fmt"
	"time"
)

// Day is a calendar day, UTC, as days since 1970-01-01.
type Day int

// length of a day; UTC has no others.
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

// ParseDay reads a day as 2006-01-02, of the years 1970 to 9999.
func ParseDay(text string) (Day, error) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil || at.Year() < 1970 {
		return 0, fmt.Errorf("%q is no day", text)
	}
	return DayOf(at), nil
}

// Begin is the day's first moment.
func (d Day) Begin() time.Time { return time.Unix(int64(d)*int64(length/time.Second), 0).UTC() }

// String writes the day as 2006-01-02.
func (d Day) String() string { return d.Begin().Format(time.DateOnly) }

// MarshalText implements encoding.TextMarshaler.
func (d Day) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
