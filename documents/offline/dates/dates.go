package dates

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

// dated is a calendar day where a text says it. Of a day written as two small numbers and a year it is open which of them
// is the month; the whole document decides.
type Date struct {
	At                 scan.Span
	Year, Month, Day   int
	swappable, slashed bool
	Ambiguous          bool // day and month may be the other way round, and nothing in the document tells
	Invalid            bool // written as a day, but none, or left open which
	Anchor             Anchor
}

func (d Date) ISO() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

func (d Date) hasYear() bool { return d.Year >= 1800 && d.Year <= 2200 }

func (d Date) Exists() bool {
	if !d.hasYear() || d.Month < 1 || d.Month > 12 || d.Day < 1 {
		return false
	}
	return time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC).Day() == d.Day
}

// datesOf finds the days that a text names, in order and without overlaps. Days are read before months unless the document
// shows that it writes months first. English is written both ways: where nothing tells, a swappable day is doubtful, and left out
// where the document looks American.
// days are those of a text, and what is written as one but is none, such as 30 February, or may be either of two: no other
// number either.
type Found struct{ Dates, Invalid []Date }

func Find(w *scan.Watch, text string, lang answers.Lang) Found {
	all := scanDates(w, text)
	kept, open := ordered(text, all.Dates, lang)
	all.Dates, all.Invalid = kept, markInvalid(all.Invalid, withoutRepeated(open, kept))
	return all
}

// ordered settles which number of a day is its month, as far as it can.
func ordered(text string, found []Date, lang answers.Lang) (kept, open []Date) {
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
			kept = append(kept, d)
		} else {
			open = append(open, d)
		}
	}
	return kept, open
}

type order int

const (
	dayFirst order = iota
	likelyDayFirst
	monthFirst
	unknownOrder
)

func dayOrder(text string, found []Date, lang answers.Lang) order {
	var days, months int
	for _, d := range found {
		if d.slashed && !d.swappable {
			if strings.HasPrefix(strings.TrimLeft(text[d.At.Start:d.At.End], "0"), fmt.Sprint(d.Day)) {
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

// looksAmerican makes a day such as 3/4/2026 doubtful; it proves nothing.
func looksAmerican(text string) bool {
	return strings.Contains(text, "$") && !strings.ContainsAny(text, "£€") || strings.Contains(text, "USD")
}

// counting tells whether a day is said for itself or only to count from: 30 days after 5 May 2026 is not 5 May.
type Anchor int

const (
	NotAnchor    Anchor = iota
	PeriodStart         // a stretch of time begins with it
	PeriodOffset        // what is meant lies so long after or before it
)

// notSaidAgain leaves out the days of which another one tells how they are read.
func withoutRepeated(open, kept []Date) []Date {
	said := make(map[string]bool, len(kept))
	for _, d := range kept {
		said[d.ISO()] = true
	}
	return slices.DeleteFunc(open, func(d Date) bool {
		other := Date{Year: d.Year, Month: d.Day, Day: d.Month}
		return said[d.ISO()] || said[other.ISO()]
	})
}

// voided joins what is no day with what may be either of two, in order.
func markInvalid(impossible, open []Date) []Date {
	all := slices.Concat(impossible, open)
	slices.SortFunc(all, func(a, b Date) int { return a.At.Start - b.At.Start })
	for i := range all {
		all[i].Invalid = true
	}
	return all
}
