package language

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

var snowballs = map[answers.Lang]func(*snowballstem.Env) bool{
	"en": english.Stem, "es": spanish.Stem, "pt": portuguese.Stem, "fr": french.Stem, "de": german.Stem,
	"it": italian.Stem, "nl": dutch.Stem, "sv": swedish.Stem, "ro": romanian.Stem,
}

// stemmer brings the forms of a word together. It remembers them, for texts repeat themselves; it belongs to one call.
type Stemmer struct {
	Lang  answers.Lang
	stops map[string]bool
	cache map[string]string
}

// newStemmer returns a stemmer. Of a language that is not known, small words of all are left out and nothing is cut off.
func NewStemmer(lang answers.Lang) *Stemmer {
	stops := StopWords()[lang]
	if stops == nil {
		stops = AllStopWords()
	}
	return &Stemmer{lang, stops, map[string]string{}}
}

// stem returns the stem of a word in lower case; empty for words that say nothing: small ones, and single letters.
func (s *Stemmer) Stem(word string) string {
	stem, known := s.cache[word]
	if !known {
		stem = s.cut(word)
		s.cache[word] = stem
	}
	return stem
}

func (s *Stemmer) cut(word string) string {
	const longest = 96 // bytes
	switch {
	case s.stops[word] || (utf8.RuneCountInString(word) < 2 && !scan.IsDigit(word[0])):
		return ""
	case len(word) > longest || scan.IsDigit(word[0]):
		return word
	case s.Lang == "pl":
		return stemPolish(word)
	case s.Lang == "ro":
		word = cedillas.Replace(word)
	}
	if cut := snowballs[s.Lang]; cut != nil {
		env := snowballstem.NewEnv(word)
		cut(env)
		return env.Current()
	}
	return word
}

// cedillas: the Romanian stemmer knows the letters of old code pages only.
var cedillas = strings.NewReplacer("ș", "ş", "ț", "ţ")

// stemsOf returns the stems of a text in its order, repeated as there.
func (s *Stemmer) Stems(text string) []string {
	var stems []string
	EachWord(text, func(word string) {
		if stem := s.Stem(word); stem != "" {
			stems = append(stems, stem)
		}
	})
	return stems
}

// polishEndings are cut off once, the longest that leaves a stem. They bring cases and numbers together, not words of one
// family; that is what comparing sentences needs.
var polishEndings = sync.OnceValue(func() map[string]bool {
	return scan.SetOf(`owaniami owaniach owaniem owania owaniu owanie owany owana owane owanych owanej owanego owaną
		aniami aniach aniem ania aniu anie eniami eniach eniem enia eniu enie
		ościami ościach ościom ością ości ość ami ach ach owi owie owej owych owego owym owa owe owy
		iego iemu ego emu iach iami iom ymi imi ych ich iej ej ów om em iem ym im ie ia ią ię iu
		ować ywać ować ać eć ić yć ał ała ało ali ały ił iła iło ili iły ył yła yło yli yły
		uje ują ujemy a ą e ę i y o u`)
})

func stemPolish(word string) string {
	const shortestStem, longestEnding = 3, 10
	for at := max(1, len(word)-longestEnding); at < len(word); at++ {
		if polishEndings()[word[at:]] && utf8.RuneCountInString(word[:at]) >= shortestStem {
			word = word[:at]
			break
		}
	}
	return strings.ReplaceAll(word, "ó", "o") // umów is a form of umowa
}
