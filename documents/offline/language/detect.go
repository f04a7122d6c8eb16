package language

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

// languageOf is the language of a text, or the likeliest of the ten where it cannot be told for sure: numbers and negations
// have to be read in some language.
func Guess(text string) answers.Lang {
	if lang := Detect(text); lang != "" {
		return lang
	}
	const most = 4000
	best, votes := answers.Lang("en"), 0
	words := strings.Fields(strings.ToLower(text[:min(len(text), most)]))
	for _, lang := range answers.Langs() {
		n := 0
		for _, w := range words {
			if StopWords()[lang][w] {
				n++
			}
		}
		if n > votes {
			best, votes = lang, n
		}
	}
	return best
}

// What of a text is looked at to tell its language: as many pieces, evenly spread, of so many bytes.
const (
	samplePieces = 4
	samplePiece  = 700
)

// detectLanguage tells which of the ten languages a text is in, and is empty when it is none of them or cannot be told. Small
// words decide; trigrams settle what they leave open, which is how neighbours that are not ours (Danish, Czech, Catalan) do
// not pass for the nearest that is.
func Detect(text string) answers.Lang {
	sample := sampleOf(text)
	count := countVotes(sample)
	guess, sure := guessByTrigrams(sample)
	switch {
	case count.best == 0:
		return ""
	case count.best >= 1 && count.best >= 1.25*count.second && guess == count.lang,
		count.best >= 1.5 && count.best >= 1.6*count.second:
		return Supported(count.lang)
	case sure && guess != "" && count.of[guess] >= 0.75*count.best:
		return guess
	}
	return ""
}

func Supported(lang answers.Lang) answers.Lang {
	if slices.Contains(answers.Langs(), lang) {
		return lang
	}
	return ""
}

// sampleOf takes pieces from all over a long text, for its beginning may be an address or a list of names.
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

// votes are what the telling words of a text say. A word of several languages counts less for each.
type votes struct {
	of           map[answers.Lang]float64
	lang         answers.Lang
	best, second float64
}

func countVotes(sample string) votes {
	count := votes{of: map[answers.Lang]float64{}}
	telling := distinctiveWords()
	EachWord(sample, func(word string) {
		for _, lang := range telling[word] {
			count.of[lang] += 1 / float64(len(telling[word]))
		}
	})
	for _, lang := range votingLangs() { // in a fixed order, so that a tie has one outcome
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

// tellingWords are the languages of each small word.
var distinctiveWords = sync.OnceValue(func() map[string][]answers.Lang {
	telling := map[string][]answers.Lang{}
	for _, lang := range votingLangs() {
		every := languageWords()["small"][lang] + " " + languageWords()["business"][lang] + " " + languageWords()["neighbours"][lang]
		for word := range scan.SetOf(every) {
			telling[word] = append(telling[word], lang)
		}
	}
	return telling
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

// guessByTrigrams is sure only when there are enough letters, and then by a margin: its library breaks ties at random.
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

// eachWord gives the words of a text, in lower case: runs of letters and digits, cut at apostrophes and hyphens.
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
