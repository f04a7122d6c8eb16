package names

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

// legalForms may follow the comma after the name of a company.
var legalForms = []string{"inc", "ltd", "llc", "lp", "llp", "plc", "gmbh", "ag", "kg", "sa", "s", "sl", "lda", "srl",
	"spa", "bv",
	"nv", "ab", "sp"}

// IsLegalForm reports whether a text is only the legal form of a company, such as "Inc." or "S.L.".
func IsLegalForm(text string) bool {
	return slices.Contains(legalForms, strings.ReplaceAll(scan.Fold(strings.TrimSuffix(text, ".")), ".", ""))
}

// CutAddress keeps a name with its legal form and removes the address, role or remark after it.
func CutAddress(text string, s scan.Span) scan.Span {
	part := s.In(text)
	for i := 0; i < len(part); {
		c, size := utf8.DecodeRuneInString(part[i:])
		rest := part[i+size:]
		ends := c == '(' || c == ';' || c == '\n' || c == '\t' || c == '|' || c == '<'
		if c == ',' {
			next := scan.Words(rest[:min(len(rest), 12)])
			ends = len(next) == 0 || !slices.Contains(legalForms, next[0].Text)
		}
		if strings.HasPrefix(part[i:], " – ") || strings.HasPrefix(part[i:], " - ") || strings.HasPrefix(part[i:],
			" — ") || strings.HasPrefix(part[i:], " / ") {
			ends = true
		}
		if ends && i > 0 {
			return Trim(text, scan.Between(s.Start, s.Start+i))
		}
		i += size
	}
	return s
}

// LooksLikeName reports whether a span may be a name: it begins with a capital or a digit, has few
// words and is not a label.
func LooksLikeName(text string, s scan.Span) bool {
	const maxWords = 9
	part := s.In(text)
	first, _ := utf8.DecodeRuneInString(part)
	return len(strings.Fields(part)) <= maxWords && (unicode.IsUpper(first) || unicode.IsDigit(first)) &&
		!strings.ContainsRune(part, ':')
}

// CutLawPrefix removes "the laws of" and similar words before the name of a country.
func CutLawPrefix(text string, s scan.Span) scan.Span {
	for _, w := range []string{"the", "laws", "law", "of", "las", "leyes", "la", "ley", "lei", "leis", "legea",
		"legile", "le",
		"droit", "das", "recht", "der", "het", "van", "de", "legge", "prawu", "prawo", "droit"} {
		if rest, ok := scan.CutWord(s.In(text), w); ok && strings.HasPrefix(rest, " ") {
			s.Start = s.End - len(rest) + 1
		}
	}
	return s
}

// particles are words in lower case that may be part of a name.
var particles = scan.LazySet("van de der den von zu af av da do dos della di del du la le los ter ten y")

// CapitalizedRun returns the words with capitals at the beginning of a span, and the particles
// between them.
func CapitalizedRun(text string, s scan.Span) scan.Span {
	end, next := s.Start, s.Start
	for _, w := range scan.Words(s.In(text)) {
		at := scan.Between(s.Start+w.At.Start, s.Start+w.At.End)
		gap := text[next:at.Start]
		if strings.Trim(gap, " .&'’-") != "" || strings.HasSuffix(gap, ". ") && next-end == 0 && !isShortWord(text[:next]) {
			break
		}
		first, _ := utf8.DecodeRuneInString(text[at.Start:])
		if !unicode.IsUpper(first) && !particles()[w.Text] {
			break
		}
		next = at.End
		if unicode.IsUpper(first) {
			end = at.End
		}
	}
	return Trim(text, scan.Between(s.Start, end))
}

// isShortWord reports whether a text ends in an initial or an abbreviation, whose full stop does
// not end a sentence.
func isShortWord(text string) bool {
	const maxBytes = 3
	return len(text)-strings.LastIndexByte(text, ' ')-1 <= maxBytes
}

// IsCode reports capitals that may be part of an identifier, such as INV or FT.
func IsCode(part string) bool {
	const maxBytes = 5
	return part != "" && len(part) <= maxBytes && strings.IndexFunc(part, unicode.IsLower) < 0
}
