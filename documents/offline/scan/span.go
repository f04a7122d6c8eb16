package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
)

// wordsIn are all words of a stretch, those too that are no mention.
func WordsIn(text string, s Span) []Word { return Words(text[s.Start:s.End]) }

// trim takes spaces, tabs and line breaks off both ends.
func TrimSpace(text string, s Span) Span {
	const blank = " \t\n"
	for s.Start < s.End && strings.IndexByte(blank, text[s.Start]) >= 0 {
		s.Start++
	}
	for s.End > s.Start && strings.IndexByte(blank, text[s.End-1]) >= 0 {
		s.End--
	}
	return s
}

func LineSpans(b *documents.Block) []Span {
	var all []Span
	at := b.Start
	for line := range strings.Lines(b.Text) {
		all = append(all, Span{at, at + len(strings.TrimSuffix(line, "\n"))})
		at += len(line)
	}
	return all
}

// cutWord cuts a word off the beginning, whatever its case.
func CutWord(text, word string) (rest string, ok bool) {
	if len(text) <= len(word) || !strings.EqualFold(text[:len(word)], word) {
		return text, false
	}
	if next, _ := utf8.DecodeRuneInString(text[len(word):]); IsWordRune(next) {
		return text, false
	}
	return text[len(word):], true
}

// clauseFrom ends at the first comma or semicolon.
func CutAtComma(text string, s Span) Span {
	if i := strings.IndexAny(text[s.Start:s.End], ",;"); i >= 0 {
		s.End = s.Start + i
	}
	return s
}

// stretches cuts a stretch of a text where it is too long to be a sentence or a value, between words where it has any.
func SplitLong(text string, s Span) []Span {
	var parts []Span
	for s.End-s.Start > MaxStretch {
		cut := Shorten(text, s, MaxStretch).End
		parts = append(parts, Span{s.Start, cut})
		s.Start = cut + len(text[cut:s.End]) - len(strings.TrimLeft(text[cut:s.End], " \n\t"))
	}
	return append(parts, s)
}

// beforeGap is where the last word of a stretch begins that may go on behind it; its whole length if it is one word.
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

// firstStretch keeps what of a stretch lies within so many bytes, between words where it has any.
func Shorten(text string, s Span, most int) Span {
	if s.End-s.Start <= most {
		return s
	}
	return Span{s.Start, s.Start + lastBreak(text[s.Start:s.Start+most])}
}

const MaxStretch = 4 << 10

// span is a stretch of a text, in bytes.
type Span struct{ Start, End int }

func TrimUnicodeSpace(text string, s Span) Span {
	cut := strings.TrimLeftFunc(text[s.Start:s.End], unicode.IsSpace)
	start := s.End - len(cut)
	return Span{start, start + len(strings.TrimRightFunc(cut, unicode.IsSpace))}
}
