package index

import (
	"slices"
	"strconv"
	"strings"

	"portside/documents/offline/lexicon"
	"portside/documents/offline/numbers"
	"portside/documents/offline/scan"
)

// lasting is a stretch of time where a text says it: 30 days, three (3) months.
type Duration struct {
	At    scan.Span
	Value string
	Unit  string
}

// durationsIn finds the stretches of time in a text: a unit with a number shortly before.
func (r *Index) DurationsIn(s scan.Span) []Duration {
	var found []Duration
	words := r.MentionsIn(s)
	for i, m := range words {
		if !slices.Contains(lexicon.TimeUnits, m.Term) || i > 0 && words[i-1].At == m.At {
			continue
		}
		if l, ok := r.durationAt(s, m); ok {
			found = append(found, l)
		}
	}
	return found
}

func (r *Index) durationAt(s scan.Span, unit lexicon.Mention) (Duration, bool) {
	const between = 16 // bytes of words such as "calendar"
	l := Duration{At: unit.At, Unit: unit.Term}
	figures := r.NumbersIn(scan.Span{Start: max(s.Start, unit.At.Start-2*between), End: unit.At.Start})
	before, from := r.wordBefore(s, unit.At.Start)
	if len(figures) > 0 {
		f := figures[len(figures)-1]
		if unit.At.Start-f.At.End <= between && f.Currency == "" && !f.Percent && !strings.ContainsAny(r.Text[f.At.End:unit.At.Start], ",.;:") {
			l.Value, l.At.Start = f.Value, f.At.Start
			l.At.Start = r.writtenOut(s, f.At.Start)
			return l, true
		}
	}
	if n := numbers.SmallNumbers()[before]; n > 0 {
		l.Value, l.At.Start = strconv.Itoa(n), from
		return l, true
	}
	return Duration{}, false
}

// writtenOut takes in the word before a number in brackets: three (3) months.
func (r *Index) writtenOut(s scan.Span, at int) int {
	if at > s.Start && r.Text[at-1] == '(' {
		if word, from := r.wordBefore(s, at-1); numbers.SmallNumbers()[word] > 0 {
			return from
		}
	}
	return at
}

func (r *Index) wordBefore(s scan.Span, at int) (word string, from int) {
	const longest = 24
	window := scan.Span{Start: max(s.Start, at-longest), End: at}
	for window.Start < window.End && r.Text[window.Start]&0xC0 == 0x80 {
		window.Start++
	}
	words := scan.Words(r.Text[window.Start:window.End])
	if len(words) == 0 {
		return "", at
	}
	last := words[len(words)-1]
	return last.Text, window.Start + last.At.Start
}
