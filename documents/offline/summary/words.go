package summary

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"portside/documents/answers"
	"portside/documents/offline/language"
)

//go:embed words.txt
var summaryText string

// summaryWords has what summaries go by and what they say. Openings refer to the sentence before; pronouns begin sentences
// that need it; cues are in sentences that others are about: what was decided, caused, owed, ended; boilerplate comes with
// every document of a house and says nothing of this one. Concepts are common business words, the same in every language's
// line, so that a hint in one language finds sentences in another. In the texts, {is} and {asked} are languages.
var summaryWords = sync.OnceValue(func() language.WordLists { return language.ParseLists(summaryText) })

// hintConcepts are the concepts of each word, by their place in the list.
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

// translations are what a common business word is called in a language.
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

// languageWarning says, in the language asked for, that the summary is in another.
func languageWarning(is, asked answers.Lang) []string {
	if asked == "" || is == asked || language.Supported(asked) == "" {
		return nil
	}
	section := "untranslated"
	if is == "" {
		section = "untranslated from unknown"
	}
	sentence := summaryWords()[section][asked]
	return []string{strings.NewReplacer("{is}", languageName(is, asked), "{asked}", languageName(asked, asked)).Replace(sentence)}
}

func languageName(lang, in answers.Lang) string {
	if at := slices.Index(answers.Langs(), lang); at >= 0 {
		return strings.Fields(summaryWords()["language names"][in])[at]
	}
	return ""
}

// line says what the tables are, in the language asked for, else in the document's, else in English. Names are the file's.
func (t *tables) line(is, asked answers.Lang) string {
	spoken := answers.Lang("en")
	for _, lang := range []answers.Lang{is, asked} {
		if language.Supported(lang) != "" {
			spoken = lang
		}
	}
	say := func(section string) string { return summaryWords()[section][spoken] + " " }
	line := say("tables") + strconv.Itoa(t.count) + "; " + say("rows") + strconv.Itoa(t.rows)
	columns := "; " + say("columns")
	if t.count == 0 {
		line, columns = say("fields")+strconv.Itoa(t.fields), "; "
	}
	if names := t.shortNames(); names != "" {
		line += columns + names
	}
	return line + "."
}

// shortNames lists the first names, without those that are sentences.
func (t *tables) shortNames() string {
	const most, longest = 6, 3
	var names []string
	for _, name := range t.names[:min(len(t.names), most)] {
		if name = oneLine(name); name != "" && wordCount(name) <= longest {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
