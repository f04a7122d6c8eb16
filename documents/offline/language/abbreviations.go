package language

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

//go:embed abbreviations.txt
var abbreviationText string

// abbreviations are those that do not end sentences: something always follows them, or does if it is a number.
var abbreviations = sync.OnceValue(func() WordLists { return ParseLists(abbreviationText) })

// abbreviated reports whether the full stop between the two belongs to what stands before it.
func (s *Splitter) abbreviated(left, right string) bool {
	words := strings.Fields(left)
	if len(words) == 0 {
		return false
	}
	last := strings.TrimLeft(words[len(words)-1], openers)
	if s.isAbbreviation(words, s.always) {
		return true
	}
	if s.isAbbreviation(words, s.beforeNumbers) && numberFollows(right) {
		return true
	}
	return s.isInitial(last, right) || s.isOrdinal(words, right)
}

// isAbbreviation looks the last words up, together too: "z. B" is z.b.
func (s *Splitter) isAbbreviation(words []string, list map[string]bool) bool {
	key := ""
	for i := len(words) - 1; i >= max(0, len(words)-3); i-- {
		key = strings.ToLower(strings.TrimLeft(words[i], openers)) + key
		if list[key] || list[withoutArticle(key)] {
			return true
		}
	}
	return s.lang == "de" && strings.HasSuffix(key, "str")
}

// withoutArticle makes art of l'art.
func withoutArticle(word string) string {
	if _, bare, found := strings.Cut(strings.ReplaceAll(word, "’", "'"), "'"); found {
		return bare
	}
	return word
}

// numberFollows takes Roman numbers and references like "A-12" for numbers.
func numberFollows(right string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(right, openers), " ")
	word = strings.TrimRight(word, ".,;:)]")
	return strings.ContainsAny(word, "0123456789") || (word != "" && strings.Trim(word, "IVXLC") == "")
}

// isInitial reports whether a word is one letter, or letters with full stops, of a name that goes on. A small word that
// begins with a capital begins a sentence.
func (s *Splitter) isInitial(last, right string) bool {
	if last == "" || (s.lang == "en" && last == "I") {
		return false
	}
	for part := range strings.SplitSeq(last, ".") {
		r, size := utf8.DecodeRuneInString(part)
		if size == 0 || size != len(part) || !unicode.IsLetter(r) {
			return false
		}
	}
	next := FirstWord(right)
	single := utf8.RuneCountInString(next) == 1
	if first, _ := utf8.DecodeRuneInString(last); unicode.IsLower(first) {
		return single // the z of "z. B."
	}
	first, _ := utf8.DecodeRuneInString(next)
	return unicode.IsUpper(first) && (single || !s.stops[strings.ToLower(next)])
}

func FirstWord(text string) string {
	text = strings.TrimLeft(text, openers)
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		return text
	}
	return text[:end]
}

// countedNouns follow an ordinal with its full stop: months in every language, and what Germans count.
var countedNouns = sync.OnceValue(func() map[string]bool { return scan.SetOf(abbreviations()["ordinals"]["all"]) })

// ordinalArticles stand before a German ordinal.
var ordinalArticles = sync.OnceValue(func() map[string]bool { return scan.SetOf(abbreviations()["ordinals"]["de"]) })

// isOrdinal reports whether a number with its full stop counts what follows: "3. März", "im 2. Halbjahr".
func (s *Splitter) isOrdinal(words []string, right string) bool {
	number := strings.TrimLeft(words[len(words)-1], openers)
	if len(number) > 2 || number == "" || strings.Trim(number, "0123456789") != "" {
		return false
	}
	next := strings.ToLower(FirstWord(right))
	if countedNouns()[next] || s.lang != "de" || next == "" || s.stops[next] || len(words) == 1 {
		return countedNouns()[next]
	}
	return ordinalArticles()[strings.ToLower(words[len(words)-2])]
}
