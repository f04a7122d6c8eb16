package candidates

import (
	"strings"
	"unicode/utf8"

	"portside/documents/offline/index"
	"portside/documents/offline/scan"
)

const (
	TickedBoxes = "☒☑✓✔✅🗹"
	EmptyBoxes  = "☐□✗✘❌"
)

// boxIn finds the first box of a text.
func FindBox(text string) (at scan.Span, ticked, ok bool) {
	for i, c := range text {
		size := utf8.RuneLen(c)
		switch {
		case strings.ContainsRune(TickedBoxes, c):
			return scan.Span{Start: i, End: i + size}, true, true
		case strings.ContainsRune(EmptyBoxes, c):
			return scan.Span{Start: i, End: i + size}, false, true
		case c == '[' && len(text) > i+2 && text[i+2] == ']' && strings.IndexByte("xX ", text[i+1]) >= 0:
			return scan.Span{Start: i, End: i + 3}, text[i+1] != ' ', true
		case c == '[' && len(text) > i+1 && text[i+1] == ']':
			return scan.Span{Start: i, End: i + 2}, false, true
		}
	}
	return scan.Span{}, false, false
}

// boxLine is a line with one box, and the rest of it.
type CheckBox struct {
	At, Label scan.Span
	Ticked    bool
}

// boxLines are the lines that have one box and no more.
func boxLines(r *index.Index) []CheckBox {
	var lines []CheckBox
	for i := range r.Blocks {
		at := r.Blocks[i].Start
		for line := range strings.Lines(r.Blocks[i].Text) {
			if r.Watch.Stopped() {
				return nil
			}
			if b, ok := readBoxLine(r.Text, scan.Span{Start: at, End: at + len(line)}); ok && len(line) <= scan.MaxStretch {
				lines = append(lines, b)
			}
			at += len(line)
		}
	}
	return lines
}

func readBoxLine(text string, s scan.Span) (CheckBox, bool) {
	s = scan.TrimSpace(text, s)
	part := text[s.Start:s.End]
	at, ticked, ok := FindBox(part)
	if !ok {
		return CheckBox{}, false
	}
	if _, _, more := FindBox(part[at.End:]); more {
		return CheckBox{}, false
	}
	rest := scan.Span{Start: s.Start + at.End, End: s.End}
	if at.Start > 0 {
		rest = scan.Span{Start: s.Start, End: s.Start + at.Start}
	}
	return CheckBox{At: s, Label: rest, Ticked: ticked}, true
}
