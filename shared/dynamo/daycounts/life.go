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

// Life is what one thing has counted as: a mark for each day on which that changed, the oldest first.
type Life []Mark

// Mark is what a thing counted as at the end of a day, and what happened to it on that day.
type Mark struct {
	Day    calendar.Day
	As     []string         // counters that count it; none: it is gone
	Events map[string]int64 // counters that count what happens, and how often it did
}

// On returns the life after a change: what the thing counts as from then on, and what happened. The day of the change is that of
// the time, but never before the last mark's, since two machines do not agree on when midnight is. What the counters have to
// be changed by is the difference; see [Life.Since].
func (l Life) On(at time.Time, as []string, events ...string) Life {
	mark := Mark{Day: calendar.DayOf(at), As: slices.Clone(as), Events: map[string]int64{}}
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

// Changes returns what the life adds to each day.
func (l Life) Changes() Changes {
	all := Changes{}
	var before []string
	for _, mark := range l {
		change := Change{}
		change.Add(1, mark.As...)
		change.Add(-1, before...)
		for event, n := range mark.Events {
			change.Add(n, event)
		}
		all.Add(mark.Day, change)
		before = mark.As
	}
	return all
}

// Since returns what has to be added to the counters when an earlier life has become this one.
func (l Life) Since(earlier Life) Changes {
	all := l.Changes()
	for day, change := range earlier.Changes() {
		for name, n := range change {
			all.Add(day, Change{name: -n})
		}
	}
	maps.DeleteFunc(all, func(_ calendar.Day, c Change) bool { return len(c) == 0 })
	return all
}

// String writes the life for an item: a line for each mark, "2026-11-21 users role:admin +created".
func (l Life) String() string {
	lines := make([]string, len(l))
	for i, mark := range l {
		words := append([]string{mark.Day.String()}, mark.As...)
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

// ParseLife is the way back.
func ParseLife(text string) (Life, error) {
	var l Life
	for line := range strings.Lines(text) {
		mark, err := parseMark(strings.Fields(line))
		if err != nil {
			return nil, fmt.Errorf("read a life: %w", err)
		}
		l = append(l, mark)
	}
	return l, nil
}

func parseMark(words []string) (Mark, error) {
	if len(words) == 0 {
		return Mark{}, fmt.Errorf("an empty line")
	}
	day, err := calendar.ParseDay(words[0])
	if err != nil {
		return Mark{}, err
	}
	mark := Mark{Day: day, Events: map[string]int64{}}
	for _, word := range words[1:] {
		event, is := strings.CutPrefix(word, "+")
		if !is {
			mark.As = append(mark.As, word)
			continue
		}
		event, times, many := strings.Cut(event, "*")
		n := int64(1)
		if many {
			var err error
			if n, err = strconv.ParseInt(times, 10, 64); err != nil {
				return Mark{}, fmt.Errorf("%q is no number", times)
			}
		}
		mark.Events[event] = n
	}
	return mark, nil
}
