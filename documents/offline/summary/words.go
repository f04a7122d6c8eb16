package summary

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"portside/documents/answers"
	"portside/documents/offline/language"
)

//go:embed words.txt
var summaryText string

// summaryWords has the words that summaries look for and write. Openings refer to the sentence
// before. Pronouns begin sentences that need the one before. Cues are in sentences about decisions,
// causes, debts and ends. Boilerplate is in every document of a company. Concepts are business
// words in the same order for every language, so that a hint in one language finds sentences in
// another. In the texts, {is} and {asked} are languages.
var summaryWords = sync.OnceValue(func() language.WordLists { return language.ParseLists(summaryText) })

// hintConcepts maps each word to the indexes of its concepts.
var hintConcepts = sync.OnceValue(func() map[string][]int {
	found := map[string][]int{}
	for _, lang := range answers.Langs() {
		for i, forms := range strings.Split(summaryWords()["concepts"][lang], " | ") {
			for word := range strings.SplitSeq(forms, ",") {
				if !slices.Contains(found[word], i) {
					found[word] = append(found[word], i)
				}
			}
		}
	}
	return found
})

// translations returns the words for a common business word in a language.
func translations(word string, lang answers.Lang) []string {
	concepts := strings.Split(summaryWords()["concepts"][lang], " | ")
	var words []string
	for _, i := range hintConcepts()[word] {
		if i < len(concepts) {
			words = append(words, strings.Split(concepts[i], ",")...)
		}
	}
	return words
}

// languageWarning returns a warning, in the requested language, that the summary is in another
// language.
func languageWarning(is, asked answers.Lang) []string {
	if asked == "" || is == asked || language.Supported(asked) == "" {
		return nil
	}
	section := "untranslated"
	if is == "" {
		section = "untranslated from unknown"
	}
	sentence := summaryWords()[section][asked]
	return []string{strings.NewReplacer("{is}", languageName(is, asked), "{asked}", languageName(asked, asked)).
		Replace(sentence)}
}

func languageName(lang, in answers.Lang) string {
	if at := slices.Index(answers.Langs(), lang); at >= 0 {
		return strings.Fields(summaryWords()["language names"][in])[at]
	}
	return ""
}
