package names

import (
	"strings"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

// Trim removes spaces, punctuation and quotes around a value. It keeps the full stop of an
// abbreviation such as "Inc.".
func Trim(text string, s scan.Span) scan.Span {
	s = scan.TrimSpace(text, s)
	for !s.IsEmpty() {
		last, size := utf8.DecodeLastRuneInString(s.In(text))
		if !strings.ContainsRune(" ,;:\t\n", last) && (last != '.' || endsWithAbbreviation(text, s)) {
			break
		}
		s.End -= size
	}
	for !s.IsEmpty() && strings.IndexByte(" ,;:.-#", text[s.Start]) >= 0 {
		s.Start++
	}
	for _, sign := range []string{"º", "°"} { // the end of n.º
		if rest, ok := strings.CutPrefix(s.In(text), sign+" "); ok {
			s.Start = s.End - len(rest)
		}
	}
	return trimQuotes(text, s)
}

// trimQuotes removes a pair of quotes around the span.
func trimQuotes(text string, s scan.Span) scan.Span {
	part := s.In(text)
	for _, marks := range [][2]string{{"\"", "\""}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"«", "»"}, {"‘", "’"}} {
		inner, ok := strings.CutPrefix(part, marks[0])
		if inner, end := strings.CutSuffix(inner, marks[1]); ok && end && inner != "" {
			return scan.Between(s.Start+len(marks[0]), s.End-len(marks[1]))
		}
	}
	return s
}

// endsWithAbbreviation reports whether the full stop at the end of the span belongs to an
// abbreviation.
func endsWithAbbreviation(text string, s scan.Span) bool {
	part := text[s.Start : s.End-1]
	lastWord := part[strings.LastIndexAny(part, " ,\n\t")+1:]
	switch scan.Fold(lastWord) {
	case "inc", "ltd", "co", "corp", "s.a", "s.l", "s.r.l", "s.p.a", "sp. z o.o", "o.o", "b.v", "n.v", "lda", "s.c",
		"bros", "jr",
		"s.a.s", "k.k", "r.l":
		return true
	}
	return false
}
