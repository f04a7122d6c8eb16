package candidates

import (
	"strings"
	"unicode/utf8"

	"portside/documents/offline/index"
	"portside/documents/offline/scan"
)

// CheckBox is a line with one check box.
type CheckBox struct {
	At, Label scan.Span // the whole line, and the line without the box
	Ticked    bool
}

// TickedBoxes and EmptyBoxes are the characters for a check box.
const (
	TickedBoxes = "☒☑✓✔✅🗹"
	EmptyBoxes  = "☐□✗✘❌"
)

// FindBox returns the first check box of a text.
func FindBox(text string) (at scan.Span, ticked, ok bool) {
	for i, c := range text {
		size := utf8.RuneLen(c)
		switch {
		case strings.ContainsRune(TickedBoxes, c):
			return scan.Between(i, i+size), true, true
		case strings.ContainsRune(EmptyBoxes, c):
			return scan.Between(i, i+size), false, true
		case c == '[' && len(text) > i+2 && text[i+2] == ']' && strings.IndexByte("xX ", text[i+1]) >= 0:
			return scan.Between(i, i+3), text[i+1] != ' ', true
		case c == '[' && len(text) > i+1 && text[i+1] == ']':
			return scan.Between(i, i+2), false, true
		}
	}
	return scan.Span{}, false, false
}

// boxLines returns the lines that have exactly one check box.
func boxLines(doc *index.Index) []CheckBox {
	var lines []CheckBox
	for i := range doc.Blocks {
		at := doc.Blocks[i].Start
		for line := range strings.Lines(doc.Blocks[i].Text) {
			if doc.Watch.Stopped() {
				return nil
			}
			if b, ok := readBoxLine(doc.Text, scan.Between(at, at+len(line))); ok && len(line) <= scan.MaxStretch {
				lines = append(lines, b)
			}
			at += len(line)
		}
	}
	return lines
}

// readBoxLine reads a line. ok is false if it does not have exactly one check box.
func readBoxLine(text string, s scan.Span) (CheckBox, bool) {
	s = scan.TrimSpace(text, s)
	part := s.In(text)
	at, ticked, ok := FindBox(part)
	if !ok {
		return CheckBox{}, false
	}
	if _, _, more := FindBox(part[at.End:]); more {
		return CheckBox{}, false
	}
	rest := scan.Between(s.Start+at.End, s.End)
	if at.Start > 0 {
		rest = scan.Between(s.Start, s.Start+at.Start)
	}
	return CheckBox{At: s, Label: rest, Ticked: ticked}, true
}
