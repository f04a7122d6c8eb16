package names

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

// withoutTitle cuts off the small words in front of a name: il signor, mevrouw.
func SkipTitle(text string, s scan.Span) scan.Span {
	for _, w := range scan.Words(text[s.Start:s.End]) {
		if scan.IsUpper(text[s.Start+w.At.Start]) || text[s.Start+w.At.Start] >= 0x80 {
			return scan.Span{Start: s.Start + w.At.Start, End: s.End}
		}
	}
	return s
}

var particles = scan.LazySet("van de der den von zu af av da do dos della di del du la le los ter ten y")

// capitalized is the run of words with capitals at the beginning of a stretch, and the small words within it.
func CapitalizedRun(text string, s scan.Span) scan.Span {
	end, next := s.Start, s.Start
	for _, w := range scan.Words(text[s.Start:s.End]) {
		at := scan.Span{Start: s.Start + w.At.Start, End: s.Start + w.At.End}
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
	return Trim(text, scan.Span{Start: s.Start, End: end})
}

// isShortWord reports that a text ends in an initial or an abbreviation, whose point ends no sentence.
func isShortWord(text string) bool {
	const most = 3
	return len(text)-strings.LastIndexByte(text, ' ')-1 <= most
}

// isCode reports letters that belong to a number, such as INV or FT.
func IsCode(part string) bool {
	const most = 5
	return part != "" && len(part) <= most && strings.IndexFunc(part, unicode.IsLower) < 0
}

// legalForms may follow the comma after a company's name.
var legalForms = []string{"inc", "ltd", "llc", "lp", "llp", "plc", "gmbh", "ag", "kg", "sa", "s", "sl", "lda", "srl", "spa", "bv",
	"nv", "ab", "sp"}

// name keeps a name and its legal form, and leaves out the address, role or remark behind it.
func CutAddress(text string, s scan.Span) scan.Span {
	part := text[s.Start:s.End]
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
			return Trim(text, scan.Span{Start: s.Start, End: s.Start + i})
		}
		i += size
	}
	return s
}

// isName reports that a text may be a name: it has a capital, few words, and is no label itself.
func LooksLikeName(text string, s scan.Span) bool {
	const mostWords = 9
	part := text[s.Start:s.End]
	first, _ := utf8.DecodeRuneInString(part)
	return len(strings.Fields(part)) <= mostWords && (unicode.IsUpper(first) || unicode.IsDigit(first)) && !strings.ContainsRune(part, ':')
}

// law leaves out "the laws of" and the like.
func CutLawPrefix(text string, s scan.Span) scan.Span {
	for _, w := range []string{"the", "laws", "law", "of", "las", "leyes", "la", "ley", "lei", "leis", "legea", "legile", "le",
		"droit", "das", "recht", "der", "het", "van", "de", "legge", "prawu", "prawo", "droit"} {
		if rest, ok := scan.CutWord(text[s.Start:s.End], w); ok && strings.HasPrefix(rest, " ") {
			s.Start = s.End - len(rest) + 1
		}
	}
	return s
}
