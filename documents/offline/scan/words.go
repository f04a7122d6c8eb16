package scan

import (
	"strings"
	"unicode/utf8"
)

// Word is a word of a text, folded by [Fold].
type Word struct {
	Text       string
	At         Span
	AfterBreak bool // a line break or punctuation comes before it, and no phrase continues across
}

// Words returns the runs of letters and digits of a text.
func Words(text string) []Word {
	r := WordReader{Text: text}
	return r.Read(len(text), len(text))
}

// WordReader reads the words of a long text in parts.
type WordReader struct {
	Text   string
	Offset int
	breaks bool // there was a break since the last word
}

// FirstWord returns the first word of a text, folded; it looks at the first bytes only.
func FirstWord(text string) string {
	const maxBytes = 24
	words := Words(text[:min(len(text), maxBytes)])
	if len(words) == 0 {
		return ""
	}
	return words[0].Text
}

// LastWord returns the last word of a text, folded.
func LastWord(text string) string {
	words := Words(text)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1].Text
}

// Read returns the next words: at least enough, and then more up to the next break, but never more
// than most.
func (r *WordReader) Read(enough, maxWords int) []Word {
	words := make([]Word, 0, min(enough, (len(r.Text)-r.Offset)/6+1))
	for r.Offset < len(r.Text) && len(words) < maxWords && (len(words) < enough || !r.breaks) {
		end := WordEnd(r.Text, r.Offset)
		if end == r.Offset {
			r.breaks = r.breaks || strings.IndexByte("\n\t:;|()[],", r.Text[r.Offset]) >= 0
			_, size := utf8.DecodeRuneInString(r.Text[r.Offset:])
			r.Offset += size
			continue
		}
		if folded := Fold(r.Text[r.Offset:end]); folded != "" { // a combining mark alone is not a word
			words = append(words, Word{folded, Span{r.Offset, end}, r.breaks})
			r.breaks = false
		}
		r.Offset = end
	}
	return words
}

// WordEnd returns the end of the word that begins at offset i, or i if no word begins there.
func WordEnd(text string, i int) int {
	for i < len(text) {
		if b := text[i]; b < utf8.RuneSelf {
			if !IsLetterOrDigit(b) && b != '#' {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !IsWordRune(r) {
			return i
		}
		i += size
	}
	return i
}

// Key returns the folded words of a text. Texts that differ only in case, accents and punctuation
// have the same key.
func Key(text string) string {
	var key strings.Builder
	for _, w := range Words(text) {
		key.WriteString(w.Text)
		key.WriteByte(' ')
	}
	return key.String()
}

// HasWord reports whether a text has a letter or a digit.
func HasWord(text string) bool { return strings.IndexFunc(text, IsWordRune) >= 0 }
