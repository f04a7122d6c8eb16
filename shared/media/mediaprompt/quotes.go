package mediaprompt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestQuote is in bytes. A longer one would prove little, being most of a page.
const longestQuote = 2_000

// stretch is part of a text.
type stretch struct{ from, to int }

// locate finds a quote. Models change spaces, line breaks, quotation marks, dashes and letter case when they copy; so those are
// not compared, and what counts is the text as it stands there.
func (p part) locate(quote string) (stretch, bool) {
	if len(quote) > longestQuote || !strings.ContainsFunc(quote, isWord) {
		return stretch{}, false
	}
	if at, ok := find(p.text, strings.TrimSpace(quote)); ok {
		return at, true
	}
	return p.folded().locate(quote)
}

// find finds a text where it does not begin or end within a word.
func find(text, sought string) (stretch, bool) {
	for from := 0; sought != ""; {
		i := strings.Index(text[from:], sought)
		if i < 0 {
			break
		}
		at := stretch{from + i, from + i + len(sought)}
		if !within(text, at.from) && !within(text, at.to) {
			return at, true
		}
		_, size := utf8.DecodeRuneInString(text[at.from:])
		from = at.from + size
	}
	return stretch{}, false
}

// within reports whether a word or a figure goes on at the place. Scripts of East Asia write no gaps between words.
func within(text string, at int) bool {
	const eastAsia = 0x2E80
	before, width := utf8.DecodeLastRuneInString(text[:at])
	after, size := utf8.DecodeRuneInString(text[at:])
	switch {
	case isWord(before) && isWord(after):
		return before < eastAsia && after < eastAsia
	case separates(before) && unicode.IsDigit(after):
		earlier, _ := utf8.DecodeLastRuneInString(text[:at-width])
		return unicode.IsDigit(earlier)
	case separates(after) && unicode.IsDigit(before):
		later, _ := utf8.DecodeRuneInString(text[at+size:])
		return unicode.IsDigit(later)
	}
	return false
}

// separates reports whether a sign may stand between the digits of one figure.
func separates(r rune) bool { return strings.ContainsRune(".,'’", r) }

func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// folded is a text in the form in which quotes are compared; from says for each byte where its character begins in the text.
type folded struct {
	source string
	text   string
	from   []int32
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
			from = append(from, int32(at))
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
			add(plain(r), at)
		}
	}
	return folded{source, text.String(), from}
}

// plain is the one form of characters that are written in several.
func plain(r rune) rune {
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

// locate finds a quote and says where it stands in the source.
func (f folded) locate(quote string) (stretch, bool) {
	at, ok := find(f.text, fold(quote).text)
	if !ok {
		return stretch{}, false
	}
	last := int(f.from[at.to-1])
	_, size := utf8.DecodeRuneInString(f.source[last:])
	return stretch{int(f.from[at.from]), last + size}, true
}
