package flow

import (
	"strconv"
	"strings"

	"portside/documents/numerals"
)

// Depth is the number of levels of a list, in Word and in OpenDocument programs.
const Depth = 10

// Level is the numbering of one level of a list.
type Level struct {
	Format  string // decimal, lowerLetter, upperLetter, lowerRoman, upperRoman, decimalZero; others have no label
	Pattern string // with %1 for the number of the first level, and so on
	Start   int
	Style   string // the paragraph style that stands for the level
}

// List is a numbered list with its counters.
type List struct {
	Levels  [Depth]Level
	counts  [Depth]int
	running [Depth]bool
}

// Next counts an item and returns its label, which is empty for bullets.
func (l *List) Next(at int) string {
	at = min(max(at, 0), Depth-1)
	l.step(at)
	for i := at + 1; i < Depth; i++ {
		l.running[i] = false
	}
	if l.Levels[at].Format == "" {
		return ""
	}
	label := l.Levels[at].Pattern
	for i := 0; i <= at; i++ {
		if strings.Contains(label, "%"+strconv.Itoa(i+1)) {
			label = strings.ReplaceAll(label, "%"+strconv.Itoa(i+1), numerals.Format(l.Levels[i].Format, l.value(i)))
		}
	}
	return label
}

func (l *List) step(at int) {
	if l.running[at] {
		l.counts[at]++
		return
	}
	l.running[at], l.counts[at] = true, l.Levels[at].Start
}

func (l *List) value(at int) int {
	if !l.running[at] {
		return l.Levels[at].Start
	}
	return l.counts[at]
}

// Restart sets the number of the next item of a level to n.
func (l *List) Restart(at, n int) {
	if at >= 0 && at < Depth {
		l.running[at], l.counts[at] = true, n-1
	}
}
