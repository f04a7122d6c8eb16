package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
)

// Span is a part of a text: the bytes from Start up to, but not including, End.
type Span struct{ Start, End int }

// In returns the part of the text that the span covers.
func (s Span) In(text string) string { return text[s.Start:s.End] }

// Between returns the span from start up to, but not including, end.
func Between(start, end int) Span { return Span{start, end} }

// Len returns the number of bytes.
func (s Span) Len() int { return s.End - s.Start }

// IsEmpty reports whether the span covers no text.
func (s Span) IsEmpty() bool { return s.End <= s.Start }

// MaxStretch limits the bytes of a sentence, and of the text beside a label.
const MaxStretch = 4 << 10

// WordsIn returns the words of a span. Their positions count from the start of the span.
func WordsIn(text string, s Span) []Word { return Words(s.In(text)) }

// CellSpan returns the span of a cell of a table.
func CellSpan(c documents.Cell) Span { return Between(c.Start, c.Start+len(c.Text)) }

// LineSpans returns the lines of a block, without their line breaks.
func LineSpans(b *documents.Block) []Span {
	var all []Span
	at := b.Start
	for line := range strings.Lines(b.Text) {
		all = append(all, Span{at, at + len(strings.TrimSuffix(line, "\n"))})
		at += len(line)
	}
	return all
}

// TrimSpace removes spaces, tabs and line breaks from both ends of a span.
func TrimSpace(text string, s Span) Span {
	const blank = " \t\n"
	for !s.IsEmpty() && strings.IndexByte(blank, text[s.Start]) >= 0 {
		s.Start++
	}
	for !s.IsEmpty() && strings.IndexByte(blank, text[s.End-1]) >= 0 {
		s.End--
	}
	return s
}

// TrimUnicodeSpace removes all white space that Unicode defines from both ends of a span.
func TrimUnicodeSpace(text string, s Span) Span {
	cut := strings.TrimLeftFunc(s.In(text), unicode.IsSpace)
	start := s.End - len(cut)
	return Span{start, start + len(strings.TrimRightFunc(cut, unicode.IsSpace))}
}

// CutWord removes a word from the beginning of a text, in upper or lower case. ok is false if the
// text begins with another word or ends with this one.
func CutWord(text, word string) (rest string, ok bool) {
	if len(text) <= len(word) || !strings.EqualFold(text[:len(word)], word) {
		return text, false
	}
	if next, _ := utf8.DecodeRuneInString(text[len(word):]); IsWordRune(next) {
		return text, false
	}
	return text[len(word):], true
}

// Shorten returns at most maxBytes of a span and does not cut a word, unless the span begins with a
// longer one.
func Shorten(text string, s Span, maxBytes int) Span {
	if s.Len() <= maxBytes {
		return s
	}
	return Span{s.Start, s.Start + lastBreak(text[s.Start:s.Start+maxBytes])}
}

// SplitLong splits a span into parts of at most MaxStretch bytes, between words where there are
// any.
func SplitLong(text string, s Span) []Span {
	var parts []Span
	for s.Len() > MaxStretch {
		cut := Shorten(text, s, MaxStretch).End
		parts = append(parts, Span{s.Start, cut})
		s.Start = cut + len(text[cut:s.End]) - len(strings.TrimLeft(text[cut:s.End], " \n\t"))
	}
	return append(parts, s)
}

// lastBreak returns the offset of the last white space. A text of one word is not split within a
// character.
func lastBreak(text string) int {
	if i := strings.LastIndexAny(text, " \n\t"); i > 0 {
		return i
	}
	end := len(text)
	for end > 0 && len(text)-end < utf8.UTFMax {
		if last, size := utf8.DecodeLastRuneInString(text[:end]); last != utf8.RuneError || size != 1 {
			break
		}
		end--
	}
	return max(end, 1)
}
