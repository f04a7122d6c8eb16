package index

import (
	"slices"
	"strconv"
	"strings"

	"portside/documents/offline/lexicon"
	"portside/documents/offline/numbers"
	"portside/documents/offline/scan"
)

// Duration is a period of time in a text: 30 days, three (3) months.
type Duration struct {
	At    scan.Span
	Value string // plain decimal
	Unit  string // one of [lexicon.TimeUnits]
}

// DurationsIn returns the durations within a span: units with a number shortly before them.
func (ix *Index) DurationsIn(s scan.Span) []Duration {
	var found []Duration
	words := ix.MentionsIn(s)
	for i, m := range words {
		if !slices.Contains(lexicon.TimeUnits, m.Term) || i > 0 && words[i-1].At == m.At {
			continue
		}
		if l, ok := ix.durationAt(s, m); ok {
			found = append(found, l)
		}
	}
	return found
}

// durationAt reads the number before a unit.
func (ix *Index) durationAt(s scan.Span, unit lexicon.Mention) (Duration, bool) {
	const maxGap = 16 // bytes, for words such as "calendar"
	l := Duration{At: unit.At, Unit: unit.Term}
	found := ix.NumbersIn(scan.Between(max(s.Start, unit.At.Start-2*maxGap), unit.At.Start))
	before, from := wordBefore(ix, s, unit.At.Start)
	if len(found) > 0 {
		f := found[len(found)-1]
		if unit.At.Start-f.At.End <= maxGap && f.Currency == "" && !f.Percent &&
			!strings.ContainsAny(ix.Text[f.At.End:unit.At.Start], ",.;:") {
			l.Value, l.At.Start = f.Value, f.At.Start
			l.At.Start = writtenOut(ix, s, f.At.Start)
			return l, true
		}
	}
	if n := numbers.SmallNumbers()[before]; n > 0 {
		l.Value, l.At.Start = strconv.Itoa(n), from
		return l, true
	}
	return Duration{}, false
}

// writtenOut returns the start of a number in brackets, including the same number as a word before
// it: three (3) months.
func writtenOut(ix *Index, s scan.Span, at int) int {
	if at > s.Start && ix.Text[at-1] == '(' {
		if word, from := wordBefore(ix, s, at-1); numbers.SmallNumbers()[word] > 0 {
			return from
		}
	}
	return at
}

// wordBefore returns the last word before an offset, folded, and where it begins.
func wordBefore(ix *Index, s scan.Span, at int) (word string, from int) {
	const maxBytes = 24
	window := scan.Between(scan.RuneStart(ix.Text, max(s.Start, at-maxBytes), at), at)
	words := scan.Words(window.In(ix.Text))
	if len(words) == 0 {
		return "", at
	}
	last := words[len(words)-1]
	return last.Text, window.Start + last.At.Start
}
