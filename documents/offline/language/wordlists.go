package language

import (
	_ "embed"
	"strings"
	"sync"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

// wordLists are the lines of a file of words, by section and language.
type WordLists map[string]map[answers.Lang]string

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

// languageWords has the words that tell languages apart. Small ones hold sentences together and say nothing of what a text
// is about; business ones are for invoices and forms, which hardly have small ones; neighbours are languages near ours that
// no answer is written in (Danish and Norwegian, Czech and Slovak, Catalan).
var languageWords = sync.OnceValue(func() WordLists { return ParseLists(languageText) })

// stopWords are the small words of each language, as a set.
var StopWords = sync.OnceValue(func() map[answers.Lang]map[string]bool {
	sets := map[answers.Lang]map[string]bool{}
	for lang, list := range languageWords()["small"] {
		sets[lang] = scan.SetOf(list)
	}
	return sets
})

// everySmallWord are the small words of all languages.
var AllStopWords = sync.OnceValue(func() map[string]bool {
	every := map[string]bool{}
	for _, list := range languageWords()["small"] {
		scan.AddWords(every, list)
	}
	return every
})

// prepareLists builds the word lists that every document needs.
func Prepare() {
	distinctiveWords()
	StopWords()
}
