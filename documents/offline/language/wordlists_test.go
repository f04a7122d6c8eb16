package language

import (
	"testing"

	"portside/documents/answers"
)

func TestEveryLanguageHasItsWordLists(t *testing.T) {
	const minStopWords = 60
	for _, lang := range answers.Langs() {
		if n := len(stopWords(lang)); n < minStopWords {
			t.Errorf("%s: %d stop words", lang, n)
		}
		if languageWords()["business"][lang] == "" {
			t.Errorf("%s: no business words", lang)
		}
		if abbreviations()["always"][lang] == "" {
			t.Errorf("%s: no abbreviations", lang)
		}
	}
}
