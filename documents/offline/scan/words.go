package scan

import (
	"strings"
	"unicode/utf8"
)

func FirstWord(text string) string {
	words := Words(text[:min(len(text), 24)])
	if len(words) == 0 {
		return ""
	}
	return words[0].Text
}

func LastWord(text string) string {
	words := Words(text)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1].Text
}

// word is a word of a text, folded: without marks over letters, in small letters.
type Word struct {
	Text       string
	At         Span
	AfterBreak bool // something stands before it that no phrase goes across
}

// wordsOf splits a text at everything that is neither letter nor digit.
func Words(text string) []Word {
	r := WordReader{Text: text}
	return r.Read(len(text), len(text))
}

// wordReader reads the words of a text some at a time.
type WordReader struct {
	Text   string
	Offset int
	breaks bool // since the last word
}

// read reads enough words, and from then on to the next break or the most.
func (r *WordReader) Read(enough, most int) []Word {
	words := make([]Word, 0, min(enough, (len(r.Text)-r.Offset)/6+1))
	for r.Offset < len(r.Text) && len(words) < most && (len(words) < enough || !r.breaks) {
		end := WordEnd(r.Text, r.Offset)
		if end == r.Offset {
			r.breaks = r.breaks || strings.IndexByte("\n\t:;|()[],", r.Text[r.Offset]) >= 0
			_, size := utf8.DecodeRuneInString(r.Text[r.Offset:])
			r.Offset += size
			continue
		}
		if folded := Fold(r.Text[r.Offset:end]); folded != "" { // marks alone are no word
			words = append(words, Word{folded, Span{r.Offset, end}, r.breaks})
			r.breaks = false
		}
		r.Offset = end
	}
	return words
}

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

// keyOf makes texts alike that differ in case, marks and punctuation only.
func Key(text string) string {
	var key strings.Builder
	for _, w := range Words(text) {
		key.WriteString(w.Text)
		key.WriteByte(' ')
	}
	return key.String()
}

func HasWord(text string) bool { return strings.IndexFunc(text, IsWordRune) >= 0 }
