package offline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is a word of a text, folded: without marks over letters, in small letters.
type word struct {
	text   string
	at     span
	breaks bool // something stands before it that no phrase goes across
}

// wordsOf splits a text at everything that is neither letter nor digit.
func wordsOf(text string) []word {
	r := wordReader{text: text}
	return r.read(len(text), len(text))
}

// wordReader reads the words of a text some at a time.
type wordReader struct {
	text   string
	at     int
	breaks bool // since the last word
}

// read reads enough words, and from then on to the next break or the most.
func (r *wordReader) read(enough, most int) []word {
	words := make([]word, 0, min(enough, (len(r.text)-r.at)/6+1))
	for r.at < len(r.text) && len(words) < most && (len(words) < enough || !r.breaks) {
		end := wordEnd(r.text, r.at)
		if end == r.at {
			r.breaks = r.breaks || strings.IndexByte("\n\t:;|()[],", r.text[r.at]) >= 0
			_, size := utf8.DecodeRuneInString(r.text[r.at:])
			r.at += size
			continue
		}
		if folded := fold(r.text[r.at:end]); folded != "" { // marks alone are no word
			words = append(words, word{folded, span{r.at, end}, r.breaks})
			r.breaks = false
		}
		r.at = end
	}
	return words
}

func wordEnd(text string, i int) int {
	for i < len(text) {
		if b := text[i]; b < utf8.RuneSelf {
			if !isLetterOrDigit(b) && b != '#' {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isWordRune(r) {
			return i
		}
		i += size
	}
	return i
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '°' || r == '№'
}

func isLetterOrDigit(b byte) bool { return isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'z' }

// fold makes forms of a word alike that differ in case and marks only. Text of other scripts keeps its letters.
func fold(word string) string {
	plain := true
	for i := 0; i < len(word) && plain; i++ {
		plain = word[i] < utf8.RuneSelf && (word[i] < 'A' || word[i] > 'Z')
	}
	if plain {
		return word
	}
	var out strings.Builder
	out.Grow(len(word))
	for _, r := range word {
		if r = unicode.ToLower(r); r < utf8.RuneSelf {
			out.WriteByte(byte(r))
			continue
		}
		out.WriteString(foldRune(r))
	}
	return out.String()
}

func foldRune(r rune) string {
	if int(r) < len(foldings) && foldings[r] != "" {
		return foldings[r]
	}
	if unicode.IsMark(r) {
		return ""
	}
	return string(r)
}

// foldings are what stands for a letter with marks, by the letter.
var foldings = [...]string{
	'à': "a", 'á': "a", 'â': "a", 'ã': "a", 'ä': "a", 'å': "a", 'ā': "a", 'ă': "a", 'ą': "a",
	'è': "e", 'é': "e", 'ê': "e", 'ë': "e", 'ē': "e", 'ę': "e", 'ě': "e",
	'ì': "i", 'í': "i", 'î': "i", 'ï': "i", 'ī': "i",
	'ò': "o", 'ó': "o", 'ô': "o", 'õ': "o", 'ö': "o", 'ø': "o", 'ō': "o", 'ő': "o",
	'ù': "u", 'ú': "u", 'û': "u", 'ü': "u", 'ū': "u", 'ů': "u", 'ű': "u",
	'ç': "c", 'ć': "c", 'č': "c",
	'ñ': "n", 'ń': "n", 'ň': "n",
	'ś': "s", 'š': "s", 'ş': "s", 'ș': "s",
	'ß': "ss",
	'ț': "t", 'ţ': "t", 'ť': "t",
	'ł': "l", 'ľ': "l",
	'ź': "z", 'ż': "z", 'ž': "z",
	'ý': "y", 'ÿ': "y",
	'ď': "d", 'đ': "d",
	'ř': "r",
	'ğ': "g",
	'æ': "ae",
	'œ': "oe",
	'º': "o", '°': "o",
	'ª': "a",
}
