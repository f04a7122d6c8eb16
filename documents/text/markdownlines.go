package text

import "strings"

// lineIndex is a text by its lines. A slice of strings would be four times the size of a file of short lines.
type lineIndex struct {
	text   string
	starts []uint32 // of each line; marks of a quote that were taken off are before it
}

func indexLines(text string) lineIndex {
	l := lineIndex{text: text, starts: make([]uint32, 1, 1+strings.Count(text, "\n"))}
	for at := 0; ; {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return l
		}
		at += n + 1
		l.starts = append(l.starts, uint32(at)) //nolint:gosec // files are shorter than maxFile, and letters than four bytes
	}
}

func (l *lineIndex) count() int { return len(l.starts) }

func (l *lineIndex) line(i int) string {
	line, _, _ := strings.Cut(l.text[l.starts[i]:], "\n")
	return line
}

// between are the lines from one up to another.
func (l *lineIndex) between(from, to int) []string {
	lines := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		lines = append(lines, l.line(i))
	}
	return lines
}

// unquote takes the marks of a quote off a line.
func (l *lineIndex) unquote(i int) (line string, quoted bool) {
	line = l.line(i)
	marks := len(mdQuote().FindString(line))
	l.starts[i] += uint32(marks) //nolint:gosec // within the line
	return line[marks:], marks > 0
}
