package daycounts

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"portside/shared/core/calendar"
)

// History lists the counters that have included one resource. It has one entry for each day on which
// they changed, oldest first.
type History []DayEntry

// DayEntry has the counters that included a resource at the end of a day, and the day's events.
type DayEntry struct {
	Day       calendar.Day
	CountedAs []string         // counters that include it; empty after its deletion
	Events    map[string]int64 // counters of events, and how often each event happened
}

// Append returns the history after a change: what the resource counts as from then on, and the
// events. The entry's day is the day of the change, but never before the day of the last entry,
// because clocks differ. [History.ChangesSince] returns what to add to the counters.
func (l History) Append(at time.Time, as []string, events ...string) History {
	mark := DayEntry{Day: calendar.DayOf(at), CountedAs: slices.Clone(as), Events: map[string]int64{}}
	kept := slices.Clone(l)
	if n := len(kept); n > 0 && kept[n-1].Day >= mark.Day {
		mark.Day, mark.Events = kept[n-1].Day, maps.Clone(kept[n-1].Events)
		kept = kept[:n-1]
	}
	for _, event := range events {
		mark.Events[event]++
	}
	return append(kept, mark)
}

// Changes returns what the history adds to each day.
func (l History) Changes() Changes {
	all := Changes{}
	var before []string
	for _, mark := range l {
		change := Change{}
		change.Add(1, mark.CountedAs...)
		change.Add(-1, before...)
		for event, n := range mark.Events {
			change.Add(n, event)
		}
		all.Add(mark.Day, change)
		before = mark.CountedAs
	}
	return all
}

// ChangesSince returns what to add to the counters when the earlier history has become this one.
func (l History) ChangesSince(earlier History) Changes {
	all := l.Changes()
	for day, change := range earlier.Changes() {
		for name, n := range change {
			all.Add(day, Change{name: -n})
		}
	}
	maps.DeleteFunc(all, func(_ calendar.Day, c Change) bool { return len(c) == 0 })
	return all
}

// String returns the stored form, with one line per entry such as "2026-11-21 users role:admin
// +created".
func (l History) String() string {
	lines := make([]string, len(l))
	for i, mark := range l {
		words := append([]string{mark.Day.String()}, mark.CountedAs...)
		for _, event := range slices.Sorted(maps.Keys(mark.Events)) {
			word := "+" + event
			if n := mark.Events[event]; n != 1 {
				word += "*" + strconv.FormatInt(n, 10)
			}
			words = append(words, word)
		}
		lines[i] = strings.Join(words, " ")
	}
	return strings.Join(lines, "\n")
}

// ParseHistory is the inverse of String.
func ParseHistory(text string) (History, error) {
	var l History
	for line := range strings.Lines(text) {
		mark, err := parseDayEntry(strings.Fields(line))
		if err != nil {
			return nil, fmt.Errorf("read a history: %w", err)
		}
		l = append(l, mark)
	}
	return l, nil
}

func parseDayEntry(words []string) (DayEntry, error) {
	if len(words) == 0 {
		return DayEntry{}, fmt.Errorf("empty line")
	}
	day, err := calendar.ParseDay(words[0])
	if err != nil {
		return DayEntry{}, err
	}
	mark := DayEntry{Day: day, Events: map[string]int64{}}
	for _, word := range words[1:] {
		event, is := strings.CutPrefix(word, "+")
		if !is {
			mark.CountedAs = append(mark.CountedAs, word)
			continue
		}
		event, times, many := strings.Cut(event, "*")
		n := int64(1)
		if many {
			var err error
			if n, err = strconv.ParseInt(times, 10, 64); err != nil {
				return DayEntry{}, fmt.Errorf("%q is not a number", times)
			}
		}
		mark.Events[event] = n
	}
	return mark, nil
}
