package schedule

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cron has AWS's six fields: minutes, hours, day of month, month, day of week, year. One of the two
// day fields is always "?", so only the other selects days. No cron library that we know supports
// AWS's L, W, # and years.
type cron struct {
	minutes, hours, months uint64
	years                  []int
	days                   []dayRule
}

// dayRule reports whether a day matches one part of a day field.
type dayRule func(day time.Time) bool

const firstYear, lastYear = 1970, 2199

var (
	monthNames   = []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}
	weekdayNames = []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}
)

// unit describes the values of a field. names are names of the values from lo on.
type unit struct {
	title  string
	lo, hi int
	names  []string
}

var (
	minuteUnit  = unit{"minutes", 0, 59, nil}
	hourUnit    = unit{"hours", 0, 23, nil}
	dayUnit     = unit{"day-of-month", 1, 31, nil}
	monthUnit   = unit{"month", 1, 12, monthNames}
	weekdayUnit = unit{"day-of-week", 1, 7, weekdayNames}
	yearUnit    = unit{"year", firstYear, lastYear, nil}
)

func parseCron(body string) (*cron, error) {
	f := strings.Fields(strings.ToUpper(body))
	if len(f) != 6 {
		return nil, fmt.Errorf("cron has %d fields instead of six: minutes hours day-of-month month day-of-week year", len(f))
	}
	if (f[2] == "?") == (f[4] == "?") {
		return nil, fmt.Errorf("exactly one of day-of-month and day-of-week must be ?")
	}
	c := &cron{}
	for _, part := range []struct {
		into *uint64
		unit unit
		text string
	}{{&c.minutes, minuteUnit, f[0]}, {&c.hours, hourUnit, f[1]}, {&c.months, monthUnit, f[3]}} {
		values, err := part.unit.values(part.text)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			*part.into |= 1 << v
		}
	}
	return c, c.parseDays(f)
}

func (c *cron) parseDays(f []string) (err error) {
	if c.years, err = yearUnit.values(f[5]); err != nil {
		return err
	}
	slices.Sort(c.years)
	field, rule := f[2], dayOfMonth
	if f[2] == "?" {
		field, rule = f[4], dayOfWeek
	}
	for part := range strings.SplitSeq(field, ",") {
		matches, err := rule(part)
		if err != nil {
			return err
		}
		c.days = append(c.days, matches)
	}
	return nil
}

// values parses a comma-separated field of numbers, names, ranges and steps.
func (u unit) values(field string) ([]int, error) {
	var all []int
	for part := range strings.SplitSeq(field, ",") {
		lo, hi, step, err := u.span(part)
		if err != nil {
			return nil, err
		}
		for v := lo; v <= hi; v += step {
			if !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	return all, nil
}

// span parses "*", "5", "1-5", "*/2", "0/15" and "1-30/5". A step from a single value continues to
// the field's maximum.
func (u unit) span(part string) (lo, hi, step int, err error) {
	base, every, stepped := strings.Cut(part, "/")
	step = 1
	if stepped {
		if step, err = strconv.Atoi(every); err != nil || step < 1 || step > u.hi {
			return 0, 0, 0, u.errorFor(part)
		}
	}
	from, to, ranged := strings.Cut(base, "-")
	if base == "*" {
		return u.lo, u.hi, step, nil
	}
	if lo, err = u.value(from); err != nil {
		return 0, 0, 0, u.errorFor(part)
	}
	hi = lo
	if stepped {
		hi = u.hi
	}
	if ranged {
		hi, err = u.value(to)
	}
	if err != nil || hi < lo {
		return 0, 0, 0, u.errorFor(part)
	}
	return lo, hi, step, nil
}

func (u unit) value(s string) (int, error) {
	if i := slices.Index(u.names, s); i >= 0 {
		return u.lo + i, nil
	}
	v, err := strconv.ParseUint(s, 10, 16)
	if err != nil || int(v) < u.lo || int(v) > u.hi {
		return 0, u.errorFor(s)
	}
	return int(v), nil
}

func (u unit) errorFor(part string) error {
	return fmt.Errorf("%q is invalid for the field %s, whose values are %d to %d", part, u.title, u.lo, u.hi)
}

// dayOfMonth parses a part of the day-of-month field: numbers, L (the last day), LW (the last
// weekday) or 15W (the weekday nearest to the 15th within the month).
func dayOfMonth(part string) (dayRule, error) {
	switch part {
	case "L":
		return func(d time.Time) bool { return d.Day() == lastDay(d) }, nil
	case "LW":
		return func(d time.Time) bool { return d.Day() == nearestWeekday(d, lastDay(d)) }, nil
	}
	if number, ok := strings.CutSuffix(part, "W"); ok {
		want, err := dayUnit.value(number)
		return func(d time.Time) bool { return want <= lastDay(d) && d.Day() == nearestWeekday(d, want) }, err
	}
	values, err := dayUnit.values(part)
	return func(d time.Time) bool { return slices.Contains(values, d.Day()) }, err
}

// dayOfWeek parses a part of the day-of-week field: numbers from 1 (Sunday), L (Saturday), 5L (the
// month's last Thursday) or 3#2 (the month's second Tuesday).
func dayOfWeek(part string) (dayRule, error) {
	if part == "L" {
		part = "SAT"
	}
	if name, ok := strings.CutSuffix(part, "L"); ok {
		want, err := weekdayUnit.value(name)
		return func(d time.Time) bool { return weekday(d) == want && d.Day() > lastDay(d)-7 }, err
	}
	if name, nth, ok := strings.Cut(part, "#"); ok {
		want, err := weekdayUnit.value(name)
		n, bad := strconv.Atoi(nth)
		if err != nil || bad != nil || n < 1 || n > 5 {
			return nil, fmt.Errorf("%q is invalid for the field day-of-week; write 3#2 for the second Tuesday", part)
		}
		return func(d time.Time) bool { return weekday(d) == want && (d.Day()-1)/7+1 == n }, nil
	}
	values, err := weekdayUnit.values(part)
	return func(d time.Time) bool { return slices.Contains(values, weekday(d)) }, err
}

func weekday(d time.Time) int { return int(d.Weekday()) + 1 }

func lastDay(d time.Time) int {
	return time.Date(d.Year(), d.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// nearestWeekday returns the day from Monday to Friday in d's month that is nearest to want.
func nearestWeekday(d time.Time, want int) int {
	switch time.Date(d.Year(), d.Month(), want, 0, 0, 0, 0, time.UTC).Weekday() {
	case time.Saturday:
		if want == 1 {
			return want + 2
		}
		return want - 1
	case time.Sunday:
		if want == lastDay(d) {
			return want - 2
		}
		return want + 1
	}
	return want
}

func (c *cron) next(after time.Time) (time.Time, bool) {
	from := after.Truncate(time.Minute).Add(time.Minute)
	for _, year := range c.years {
		if year < from.Year() {
			continue
		}
		for months := c.months; months != 0; months &= months - 1 {
			if due, ok := c.inMonth(year, time.Month(bits.TrailingZeros64(months)), from); ok {
				return due, true
			}
		}
	}
	return time.Time{}, false
}

func (c *cron) inMonth(year int, month time.Month, from time.Time) (time.Time, bool) {
	for day := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC); day.Month() == month; day = day.AddDate(0, 0, 1) {
		if day.AddDate(0, 0, 1).After(from) && c.onDay(day) {
			if due, ok := c.inDay(day, from); ok {
				return due, true
			}
		}
	}
	return time.Time{}, false
}

func (c *cron) onDay(day time.Time) bool {
	return slices.ContainsFunc(c.days, func(matches dayRule) bool { return matches(day) })
}

func (c *cron) inDay(day, from time.Time) (time.Time, bool) {
	for hours := c.hours; hours != 0; hours &= hours - 1 {
		for minutes := c.minutes; minutes != 0; minutes &= minutes - 1 {
			due := day.Add(time.Duration(bits.TrailingZeros64(hours))*time.Hour + time.Duration(bits.TrailingZeros64(minutes))*time.Minute)
			if !due.Before(from) {
				return due, true
			}
		}
	}
	return time.Time{}, false
}
