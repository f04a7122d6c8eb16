package names

import (
	"strings"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

func CutClause(text string, s scan.Span) scan.Span {
	part := text[s.Start:s.End]
	end := len(part)
	for _, stop := range []string{",", ";", ".", "(", " and ", " und ", " y ", " e ", " et ", " en ", " och ", " i ", " și ",
		" applies", " without", " unter ", " ohne ", "\n", " with ", " shall "} {
		i := strings.Index(part, stop)
		joinsNames := i > 0 && strings.HasPrefix(stop, " ") && i+len(stop) < len(part) && scan.IsUpper(part[i+len(stop)])
		if i > 0 && !joinsNames {
			end = min(end, i)
		}
	}
	return Trim(text, scan.Span{Start: s.Start, End: s.Start + end})
}

// bare takes spaces, closing punctuation and quotes around it off.
func Trim(text string, s scan.Span) scan.Span {
	s = scan.TrimSpace(text, s)
	for s.End > s.Start {
		last, size := utf8.DecodeLastRuneInString(text[s.Start:s.End])
		if !strings.ContainsRune(" ,;:\t\n", last) && (last != '.' || endsWithAbbreviation(text, s)) {
			break
		}
		s.End -= size
	}
	for s.Start < s.End && strings.IndexByte(" ,;:.-#", text[s.Start]) >= 0 {
		s.Start++
	}
	for _, sign := range []string{"º", "°"} { // of n.º, which is no word
		if rest, ok := strings.CutPrefix(text[s.Start:s.End], sign+" "); ok {
			s.Start = s.End - len(rest)
		}
	}
	return trimQuotes(text, s)
}

func trimQuotes(text string, s scan.Span) scan.Span {
	part := text[s.Start:s.End]
	for _, marks := range [][2]string{{"\"", "\""}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"«", "»"}, {"‘", "’"}} {
		inner, ok := strings.CutPrefix(part, marks[0])
		if inner, end := strings.CutSuffix(inner, marks[1]); ok && end && inner != "" {
			return scan.Span{Start: s.Start + len(marks[0]), End: s.End - len(marks[1])}
		}
	}
	return s
}

// endsShort reports that the last point belongs to an abbreviation, such as Inc. and S.A.
func endsWithAbbreviation(text string, s scan.Span) bool {
	part := text[s.Start : s.End-1]
	lastWord := part[strings.LastIndexAny(part, " ,\n\t")+1:]
	switch scan.Fold(lastWord) {
	case "inc", "ltd", "co", "corp", "s.a", "s.l", "s.r.l", "s.p.a", "sp. z o.o", "o.o", "b.v", "n.v", "lda", "s.c", "bros", "jr",
		"s.a.s", "k.k", "r.l":
		return true
	}
	return false
}
