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

// Stemmer maps the forms of a word to one stem. It caches stems, because texts repeat words. It is
// not safe for concurrent use.
type Stemmer struct {
	Lang  answers.Lang
	stops map[string]bool
	cache map[string]string
}

// NewStemmer returns a Stemmer. If the language is not supported, it removes the stop words of all
// languages and does not change other words.
func NewStemmer(lang answers.Lang) *Stemmer {
	stops := stopWords(lang)
	if stops == nil {
		stops = AllStopWords()
	}
	return &Stemmer{lang, stops, map[string]string{}}
}

// Stem returns the stem of a word in lower case. It is empty for stop words and single letters.
func (s *Stemmer) Stem(word string) string {
	stem, known := s.cache[word]
	if !known {
		stem = s.cut(word)
		s.cache[word] = stem
	}
	return stem
}

// Stems returns the stems of a text in their order, with repetitions.
func (s *Stemmer) Stems(text string) []string {
	var stems []string
	EachWord(text, func(word string) {
		if stem := s.Stem(word); stem != "" {
			stems = append(stems, stem)
		}
	})
	return stems
}

func (s *Stemmer) cut(word string) string {
	const maxWordBytes = 96
	switch {
	case s.stops[word] || (utf8.RuneCountInString(word) < 2 && !scan.IsDigit(word[0])):
		return ""
	case len(word) > maxWordBytes || scan.IsDigit(word[0]):
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

// cedillas replaces the Romanian letters with a comma below, because the stemmer knows only those
// with a cedilla.
var cedillas = strings.NewReplacer("ș", "ş", "ț", "ţ")

// polishEndings are the endings of cases and numbers. The longest that leaves a stem is removed
// once. Words of one family keep different stems.
var polishEndings = sync.OnceValue(func() map[string]bool {
	return scan.SetOf(`owaniami owaniach owaniem owania owaniu owanie owany owana owane owanych owanej owanego owaną
		aniami aniach aniem ania aniu anie eniami eniach eniem enia eniu enie
		ościami ościach ościom ością ości ość ami ach ach owi owie owej owych owego owym owa owe owy
		iego iemu ego emu iach iami iom ymi imi ych ich iej ej ów om em iem ym im ie ia ią ię iu
		ować ywać ować ać eć ić yć ał ała ało ali ały ił iła iło ili iły ył yła yło yli yły
		uje ują ujemy a ą e ę i y o u`)
})

func stemPolish(word string) string {
	const minStemRunes, maxEndingBytes = 3, 10
	for at := max(1, len(word)-maxEndingBytes); at < len(word); at++ {
		if polishEndings()[word[at:]] && utf8.RuneCountInString(word[:at]) >= minStemRunes {
			word = word[:at]
			break
		}
	}
	return strings.ReplaceAll(word, "ó", "o") // umów is a form of umowa
}
