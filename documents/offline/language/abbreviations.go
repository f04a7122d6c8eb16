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

// abbreviations has two sections of abbreviations that do not end a sentence: always, and only
// before a number.
var abbreviations = sync.OnceValue(func() WordLists { return ParseLists(abbreviationText) })

// abbreviated reports whether the full stop between left and right belongs to an abbreviation, an
// initial or an ordinal.
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

// isAbbreviation reports whether the last word, or the last two or three words together, are in the
// list: "z. B" is listed as "z.b".
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

// withoutArticle removes an article with an apostrophe: "l'art" becomes "art".
func withoutArticle(word string) string {
	if _, bare, found := strings.Cut(strings.ReplaceAll(word, "’", "'"), "'"); found {
		return bare
	}
	return word
}

// numberFollows reports whether right begins with a number. Roman numerals and references such as
// "A-12" count.
func numberFollows(right string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(right, openers), " ")
	word = strings.TrimRight(word, ".,;:)]")
	return strings.ContainsAny(word, "0123456789") || (word != "" && strings.Trim(word, "IVXLC") == "")
}

// isInitial reports whether last is one letter of a name, or letters with full stops, and the name
// continues. A stop word with a capital begins a new sentence instead.
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

// FirstWord returns the letters that a text begins with, after any opening quotes and brackets.
func FirstWord(text string) string {
	text = strings.TrimLeft(text, openers)
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		return text
	}
	return text[:end]
}

// countedNouns are words that follow an ordinal: months in every language, and nouns that Germans
// number.
var countedNouns = sync.OnceValue(func() map[string]bool { return scan.SetOf(abbreviations()["ordinals"]["all"]) })

// ordinalArticles are the words that come before a German ordinal.
var ordinalArticles = sync.OnceValue(func() map[string]bool { return scan.SetOf(abbreviations()["ordinals"]["de"]) })

// isOrdinal reports whether the last word is an ordinal with a full stop: "3. März", "im 2.
// Halbjahr".
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
