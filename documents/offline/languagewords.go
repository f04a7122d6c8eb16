package offline

import (
	_ "embed"
	"strings"
	"sync"

	"portside/documents/answers"
)

// wordLists are the lines of a file of words, by section and language.
type wordLists map[string]map[answers.Lang]string

func parseLists(text string) wordLists {
	lists, section := wordLists{}, ""
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

//go:embed languagewords.txt
var languageText string

// languageWords has the words that tell languages apart. Small ones hold sentences together and say nothing of what a text
// is about; business ones are for invoices and forms, which hardly have small ones; neighbours are languages near ours that
// no answer is written in (Danish and Norwegian, Czech and Slovak, Catalan).
var languageWords = sync.OnceValue(func() wordLists { return parseLists(languageText) })

// stopWords are the small words of each language, as a set.
var stopWords = sync.OnceValue(func() map[answers.Lang]map[string]bool {
	sets := map[answers.Lang]map[string]bool{}
	for lang, list := range languageWords()["small"] {
		sets[lang] = setOf(list)
	}
	return sets
})

// everySmallWord are the small words of all languages.
var everySmallWord = sync.OnceValue(func() map[string]bool {
	every := map[string]bool{}
	for _, list := range languageWords()["small"] {
		addAll(every, list)
	}
	return every
})

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	addAll(set, list)
	return set
}

func addAll(set map[string]bool, list string) {
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
}
