package office

import (
	"strconv"
	"strings"

	"portside/documents/numerals"
)

// depth is the number of levels of a list, in Word and in OpenDocument programs.
const depth = 10

// level is the numbering of one level of a list.
type level struct {
	format  string // decimal, lowerLetter, upperLetter, lowerRoman, upperRoman, decimalZero; others have no label
	pattern string // with %1 for the number of the first level, and so on
	start   int
	style   string // the paragraph style that stands for the level
}

// list is a numbered list with its counters.
type list struct {
	levels  [depth]level
	counts  [depth]int
	running [depth]bool
}

// next counts an item and returns its label, which is empty for bullets.
func (l *list) next(at int) string {
	at = min(max(at, 0), depth-1)
	l.step(at)
	for i := at + 1; i < depth; i++ {
		l.running[i] = false
	}
	if l.levels[at].format == "" {
		return ""
	}
	label := l.levels[at].pattern
	for i := 0; i <= at; i++ {
		if strings.Contains(label, "%"+strconv.Itoa(i+1)) {
			label = strings.ReplaceAll(label, "%"+strconv.Itoa(i+1), numerals.Format(l.levels[i].format, l.value(i)))
		}
	}
	return label
}

func (l *list) step(at int) {
	if l.running[at] {
		l.counts[at]++
		return
	}
	l.running[at], l.counts[at] = true, l.levels[at].start
}

func (l *list) value(at int) int {
	if !l.running[at] {
		return l.levels[at].start
	}
	return l.counts[at]
}

// restart sets the number of the next item of a level to n.
func (l *list) restart(at, n int) {
	if at >= 0 && at < depth {
		l.running[at], l.counts[at] = true, n-1
	}
}
