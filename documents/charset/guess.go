package charset

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// language is what the texts of a language have in common.
type language struct {
	letters string // its lower-case letters beyond ASCII
	words   string // frequent words within ASCII, for texts whose letters do not decide
}

var (
	western = []language{
		{"äöüß", " der die und das ist nicht mit von "}, {"éèêëàâçîïôûùüœ", " le la les des est que pour dans "},
		{"áéíóúñü¿¡", " el los las que una por con para "}, {"ãõáâàéêíóôúç", " que os uma com para por dos em "},
		{"àèéìòù", " il che per una con del sono della "}, {"åäöé", " och att det som en av "}, {"ëéïöü", " de het een van dat niet "},
	}
	polish   = language{"ąćęłńóśźż", " jest oraz na do od nie dla przez z w i "}
	romanian = language{"ăâîșțşţ", " este pentru din cu nu sunt prin la care si "}
)

// candidate is a character set with languages that are written in it.
type candidate struct {
	charmap   *charmap.Charmap
	languages []language
}

// byLetters returns the character set in which the bytes beyond ASCII are letters of one language. Without evidence
// this is Windows-1252, which most texts have.
func byLetters(data []byte) encoding.Encoding {
	sample := data[:min(len(data), 256<<10)]
	words := commonWords(sample)
	best, bestScore := charmap.Windows1252, -1.0
	for _, c := range []candidate{
		{charmap.Windows1252, western},
		{charmap.Windows1250, []language{polish, romanian}},
		{charmap.ISO8859_2, []language{polish, romanian}},
		{charmap.ISO8859_16, []language{romanian}},
	} {
		for _, l := range c.languages {
			if score := share(sample, c.charmap, l.letters) + words(l)/100; score > bestScore+1e-9 {
				best, bestScore = c.charmap, score
			}
		}
	}
	return best
}

// share returns how many of the bytes beyond ASCII are among the letters, from 0 to 1. Only bytes beside an ASCII
// letter count, because others may be punctuation.
func share(data []byte, in *charmap.Charmap, letters string) float64 {
	known, all := 0, 0
	for i, c := range data {
		if c < utf8.RuneSelf || !besideLetter(data, i) {
			continue
		}
		all++
		if strings.ContainsRune(letters, unicode.ToLower(in.DecodeByte(c))) {
			known++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(known) / float64(all)
}

func besideLetter(data []byte, i int) bool {
	return i > 0 && isLetter(data[i-1]) || i+1 < len(data) && isLetter(data[i+1])
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// commonWords returns a function that returns which share of the words are frequent words of a language.
func commonWords(data []byte) func(language) float64 {
	words := strings.Fields(strings.ToLower(string(data[:min(len(data), 16<<10)])))
	return func(l language) float64 {
		found := 0
		for _, w := range words {
			if strings.Contains(l.words, " "+w+" ") {
				found++
			}
		}
		return float64(found) / float64(max(1, len(words)))
	}
}
