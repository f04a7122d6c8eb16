package language

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"

	"portside/documents/answers"
)

// Detection looks at samplePieces pieces of samplePiece bytes, spread evenly over the text.
const (
	samplePieces = 4
	samplePiece  = 700
)

// Detect returns which of the ten languages a text is in, and an empty string if it is another
// language or cannot be determined. Stop words and business words decide. If they are not clear
// enough, trigrams decide.
func Detect(text string) answers.Lang {
	sample := sampleOf(text)
	count := countVotes(sample)
	switch {
	case count.best == 0:
		return ""
	case count.best >= 1.5 && count.best >= 1.6*count.second:
		return Supported(count.lang)
	}
	guess, sure := guessByTrigrams(sample)
	switch {
	case count.best >= 1 && count.best >= 1.25*count.second && guess == count.lang:
		return Supported(count.lang)
	case sure && guess != "" && count.of[guess] >= 0.75*count.best:
		return guess
	}
	return ""
}

// Guess returns the language of a text, or the most likely of the ten if [Detect] is not sure.
// Numbers and negations must be read in some language.
func Guess(text string) (lang answers.Lang, isSure bool) {
	if lang = Detect(text); lang != "" {
		return lang, true
	}
	const maxBytes = 4000
	best, votes := answers.Lang("en"), 0
	words := strings.Fields(strings.ToLower(text[:min(len(text), maxBytes)]))
	for _, lang := range answers.Langs() {
		n := 0
		for _, w := range words {
			if stopWords(lang)[w] {
				n++
			}
		}
		if n > votes {
			best, votes = lang, n
		}
	}
	return best, false
}

// Supported returns lang if it is one of the ten languages, and otherwise an empty string.
func Supported(lang answers.Lang) answers.Lang {
	if slices.Contains(answers.Langs(), lang) {
		return lang
	}
	return ""
}

// sampleOf takes pieces from the whole of a long text, because its beginning may be an address or a
// list of names.
func sampleOf(text string) string {
	if len(text) <= samplePieces*samplePiece {
		return text
	}
	var sample strings.Builder
	step := (len(text) - samplePiece) / (samplePieces - 1)
	for i := range samplePieces {
		sample.WriteString(strings.ToValidUTF8(text[i*step:i*step+samplePiece], ""))
		sample.WriteByte(' ')
	}
	return sample.String()
}

// votes counts the words that are typical of each language. A word of several languages counts as a
// fraction for each.
type votes struct {
	of           map[answers.Lang]float64
	lang         answers.Lang
	best, second float64
}

func countVotes(sample string) votes {
	count := votes{of: map[answers.Lang]float64{}}
	words, langs := distinctiveWords(), votingLangs()
	EachWord(sample, func(word string) {
		of := words[word]
		for i, lang := range langs {
			if of&(1<<i) != 0 {
				count.of[lang] += 1 / float64(bits.OnesCount16(of))
			}
		}
	})
	for _, lang := range langs { // in a fixed order, so that a tie has one outcome
		switch score := count.of[lang]; {
		case score > count.best:
			count.lang, count.best, count.second = lang, score, count.best
		case score > count.second:
			count.second = score
		}
	}
	return count
}

func votingLangs() []answers.Lang { return append(answers.Langs(), "da", "cs", "ca") }

// distinctiveWords returns the languages of each stop word and business word, as bits in the order of votingLangs.
var distinctiveWords = sync.OnceValue(func() map[string]uint16 {
	const words = 1_200 // the map gets its final size at once, because the first question after a cold start waits for it
	langs := make(map[string]uint16, words)
	for i, lang := range votingLangs() {
		for _, section := range []string{"stop words", "business", "neighbors"} {
			for word := range strings.FieldsSeq(languageWords()[section][lang]) {
				langs[word] |= 1 << i
			}
		}
	}
	return langs
})

var trigramLangs = map[whatlanggo.Lang]answers.Lang{
	whatlanggo.Eng: "en", whatlanggo.Spa: "es", whatlanggo.Por: "pt", whatlanggo.Fra: "fr", whatlanggo.Deu: "de",
	whatlanggo.Ita: "it", whatlanggo.Nld: "nl", whatlanggo.Swe: "sv", whatlanggo.Pol: "pl", whatlanggo.Ron: "ro",
}

var trigramOptions = sync.OnceValue(func() whatlanggo.Options {
	options := whatlanggo.Options{Whitelist: map[whatlanggo.Lang]bool{}}
	for lang := range trigramLangs {
		options.Whitelist[lang] = true
	}
	return options
})

// guessByTrigrams is sure only if the text has enough letters and one language leads clearly,
// because the library breaks ties at random.
func guessByTrigrams(sample string) (guess answers.Lang, sure bool) {
	const enoughLetters = 60
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return ' '
	}, sample)
	if utf8.RuneCountInString(strings.Join(strings.Fields(letters), "")) < enoughLetters/3 {
		return "", false
	}
	info := whatlanggo.DetectWithOptions(letters, trigramOptions())
	if info.Confidence < 0.02 {
		return "", false
	}
	return trigramLangs[info.Lang], info.IsReliable() && len(letters) >= enoughLetters
}

// EachWord calls do with each word of a text, in lower case. Apostrophes and hyphens separate
// words.
func EachWord(text string, do func(word string)) {
	start := -1
	for i, r := range text {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			do(strings.ToLower(text[start:i]))
			start = -1
		}
	}
	if start >= 0 {
		do(strings.ToLower(text[start:]))
	}
}
