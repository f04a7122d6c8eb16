package mediaprompt

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxQuoteBytes limits a quote. A longer one, most of a page, would prove little.
const maxQuoteBytes = 2_000

// span is a range of bytes in a text.
type span struct{ from, to int }

// locate finds a quote in the part. When models copy, they change spaces, line breaks, quotation
// marks, dashes and letter case, so locate ignores those. Callers use the text at the span, not the
// quote of the model.
func (p part) locate(quote string) (span, bool) {
	if len(quote) > maxQuoteBytes || !strings.ContainsFunc(quote, isWord) {
		return span{}, false
	}
	if at, ok := findWhole(p.text, strings.TrimSpace(quote)); ok {
		return at, true
	}
	return p.folded().locate(quote)
}

// findWhole finds a text that neither begins nor ends inside a word.
func findWhole(text, sought string) (span, bool) {
	for from := 0; sought != ""; {
		i := strings.Index(text[from:], sought)
		if i < 0 {
			break
		}
		at := span{from + i, from + i + len(sought)}
		if !isInsideWord(text, at.from) && !isInsideWord(text, at.to) {
			return at, true
		}
		_, size := utf8.DecodeRuneInString(text[at.from:])
		from = at.from + size
	}
	return span{}, false
}

// isInsideWord reports whether the position is inside a word or a figure. East Asian scripts have no
// spaces between words, so no position is inside a word there.
func isInsideWord(text string, at int) bool {
	const eastAsia = 0x2E80
	before, width := utf8.DecodeLastRuneInString(text[:at])
	after, size := utf8.DecodeRuneInString(text[at:])
	switch {
	case isWord(before) && isWord(after):
		return before < eastAsia && after < eastAsia
	case isSeparator(before) && unicode.IsDigit(after):
		earlier, _ := utf8.DecodeLastRuneInString(text[:at-width])
		return unicode.IsDigit(earlier)
	case isSeparator(after) && unicode.IsDigit(before):
		later, _ := utf8.DecodeRuneInString(text[at+size:])
		return unicode.IsDigit(later)
	}
	return false
}

// isSeparator reports whether the character may separate the digits of one figure.
func isSeparator(r rune) bool { return strings.ContainsRune(".,'’", r) }

func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// folded is a text in the form in which quotes are compared.
type folded struct {
	source string
	text   string
	from   []int32 // for each byte of text, where its character begins in source
}

func fold(source string) folded {
	var text strings.Builder
	text.Grow(len(source))
	from := make([]int32, 0, len(source)+1)
	gap := false
	add := func(r rune, at int) {
		before := text.Len()
		text.WriteRune(r)
		for range text.Len() - before {
			from = append(from, int32(at)) //nolint:gosec // an index in a prompt
		}
	}
	for at, r := range source {
		switch {
		case unicode.IsSpace(r):
			gap = text.Len() > 0
		case unicode.Is(unicode.Cf, r):
		default:
			if gap {
				add(' ', at)
			}
			gap = false
			add(foldRune(r), at)
		}
	}
	return folded{source, text.String(), from}
}

// foldRune returns the same character for all variants of a quotation mark, a dash or a letter.
func foldRune(r rune) rune {
	switch r {
	case '‘', '’', '‚', '‛', '′', '´', '`':
		return '\''
	case '“', '”', '„', '‟', '«', '»', '″':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	}
	return unicode.ToLower(r)
}

// after returns the rest of the text from a position in the source.
func (f folded) after(position int) folded {
	n := sort.Search(len(f.from), func(i int) bool { return int(f.from[i]) >= position })
	return folded{f.source, f.text[n:], f.from[n:]}
}

// locate finds a quote and returns its span in the source.
func (f folded) locate(quote string) (span, bool) {
	at, ok := findWhole(f.text, fold(quote).text)
	if !ok {
		return span{}, false
	}
	last := int(f.from[at.to-1])
	_, size := utf8.DecodeRuneInString(f.source[last:])
	return span{int(f.from[at.from]), last + size}, true
}
