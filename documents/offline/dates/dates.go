package dates

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

// Date is a calendar day in a text.
type Date struct {
	At                 scan.Span
	Year, Month, Day   int
	swappable, slashed bool // two parts may be the month; written with a slash or hyphen
	Ambiguous          bool // day and month may be the other way round
	Invalid            bool // the day does not exist, or has two readings
	Anchor             Anchor
}

// Anchor says whether a date is given as such, or only as a point from which a period is counted:
// "30 days after 5 May 2026" is not 5 May.
type Anchor int

// The kinds of anchors.
const (
	NotAnchor    Anchor = iota
	PeriodStart         // a period begins with it
	PeriodOffset        // the day that is meant is a period after or before it
)

// ISO returns the date as YYYY-MM-DD.
func (d Date) ISO() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

func (d Date) hasYear() bool { return d.Year >= 1800 && d.Year <= 2200 }

// Exists reports whether the calendar has this day.
func (d Date) Exists() bool {
	if !d.hasYear() || d.Month < 1 || d.Month > 12 || d.Day < 1 {
		return false
	}
	return time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC).Day() == d.Day
}

// Found is the result of [Find]. Invalid dates do not exist, such as 30 February, or have two
// readings. They are no answer, but their digits are no numbers either.
type Found struct{ Dates, Invalid []Date }

// Find returns the dates of a text. Days come before months, unless another date shows that the
// text writes months first. In English both are usual: if nothing decides, a date with two readings
// is ambiguous, and it is invalid if the text looks American.
func Find(w *scan.Watch, text string, lang answers.Lang) Found {
	all := scanDates(w, text)
	decided, undecided := ordered(text, all.Dates, lang)
	all.Dates, all.Invalid = decided, markInvalid(all.Invalid, withoutRepeated(undecided, decided))
	return all
}

// ordered decides which part of each date is the month. undecided are the dates that have two
// readings.
func ordered(text string, found []Date, lang answers.Lang) (decided, undecided []Date) {
	switch dayOrder(text, found, lang) {
	case dayFirst:
		return found, nil
	case likelyDayFirst:
		for i, d := range found {
			found[i].Ambiguous = d.slashed && d.swappable && d.Day != d.Month
		}
		return found, nil
	case monthFirst:
		for i, d := range found {
			if d.slashed && d.swappable {
				found[i].Month, found[i].Day = d.Day, d.Month
			}
		}
		return found, nil
	}
	for _, d := range found {
		if !d.slashed || !d.swappable || d.Day == d.Month {
			decided = append(decided, d)
		} else {
			undecided = append(undecided, d)
		}
	}
	return decided, undecided
}

type order int

const (
	dayFirst order = iota
	likelyDayFirst
	monthFirst
	unknownOrder
)

// dayOrder decides which part of a date comes first, by the dates that have one reading only.
func dayOrder(text string, found []Date, lang answers.Lang) order {
	var days, months int
	for _, d := range found {
		if d.slashed && !d.swappable {
			if strings.HasPrefix(strings.TrimLeft(d.At.In(text), "0"), fmt.Sprint(d.Day)) {
				days++
			} else {
				months++
			}
		}
	}
	switch {
	case months > 0 && days > 0:
		return unknownOrder
	case months > 0:
		return monthFirst
	case days > 0 || lang != "en":
		return dayFirst
	case !looksAmerican(text):
		return likelyDayFirst
	}
	return unknownOrder
}

// looksAmerican reports whether a text gives amounts in US dollars only. This does not prove that
// it writes months first.
func looksAmerican(text string) bool {
	return strings.Contains(text, "$") && !strings.ContainsAny(text, "£€") || strings.Contains(text, "USD")
}

// withoutRepeated removes the undecided dates that another date of the text decides.
func withoutRepeated(undecided, decided []Date) []Date {
	known := make(map[string]bool, len(decided))
	for _, d := range decided {
		known[d.ISO()] = true
	}
	return slices.DeleteFunc(undecided, func(d Date) bool {
		other := Date{Year: d.Year, Month: d.Day, Day: d.Month}
		return known[d.ISO()] || known[other.ISO()]
	})
}

// markInvalid marks dates that do not exist or have two readings, and returns them in order.
func markInvalid(impossible, open []Date) []Date {
	all := slices.Concat(impossible, open)
	slices.SortFunc(all, func(a, b Date) int { return a.At.Start - b.At.Start })
	for i := range all {
		all[i].Invalid = true
	}
	return all
}
