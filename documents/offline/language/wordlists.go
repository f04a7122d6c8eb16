package language

import (
	_ "embed"
	"strings"
	"sync"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

// WordLists holds lists of words by section and language.
type WordLists map[string]map[answers.Lang]string

// ParseLists parses a text with one section name in brackets per section, and below it one line
// "language: words" for each language.
func ParseLists(text string) WordLists {
	lists, section := WordLists{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, is := strings.CutPrefix(line, "["); is {
			section = strings.TrimSuffix(name, "]")
			lists[section] = map[answers.Lang]string{}
			continue
		}
		if lang, words, ok := strings.Cut(line, ": "); ok && section != "" {
			lists[section][answers.Lang(lang)] = words
		}
	}
	return lists
}

//go:embed words.txt
var languageText string

// languageWords has three sections. Stop words hold a sentence together and do not say what a text
// is about. Business words identify the language of invoices and forms, which have few stop words.
// Neighbors are words of related languages that are not supported (Danish and Norwegian, Czech and
// Slovak, Catalan), so that those are not mistaken for a supported one.
var languageWords = sync.OnceValue(func() WordLists { return ParseLists(languageText) })

// stopWords returns the stop words of a supported language. It builds the set of a language when it is first needed.
func stopWords(lang answers.Lang) map[string]bool {
	if set := stopWordSets()[lang]; set != nil {
		return set()
	}
	return nil
}

var stopWordSets = sync.OnceValue(func() map[answers.Lang]func() map[string]bool {
	sets := map[answers.Lang]func() map[string]bool{}
	for lang, list := range languageWords()["stop words"] {
		sets[lang] = scan.LazySet(list)
	}
	return sets
})

// AllStopWords returns the stop words of all supported languages together.
var AllStopWords = sync.OnceValue(func() map[string]bool {
	every := map[string]bool{}
	for _, list := range languageWords()["stop words"] {
		scan.AddWords(every, list)
	}
	return every
})

// Prepare builds the word list that every document needs. Calling it early is optional.
func Prepare() { distinctiveWords() }
