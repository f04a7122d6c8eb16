package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// tongue is a language as it looks in an encoding of one byte per letter.
type tongue struct {
	letters string // beyond ASCII, small
	words   string // frequent ones within ASCII, for when the letters do not decide
}

var (
	western = []tongue{
		{"äöüß", " der die und das ist nicht mit von "}, {"éèêëàâçîïôûùüœ", " le la les des est que pour dans "},
		{"áéíóúñü¿¡", " el los las que una por con para "}, {"ãõáâàéêíóôúç", " que os uma com para por dos em "},
		{"àèéìòù", " il che per una con del sono della "}, {"åäöé", " och att det som en av "}, {"ëéïöü", " de het een van dat niet "},
	}
	polish   = tongue{"ąćęłńóśźż", " jest oraz na do od nie dla przez z w i "}
	romanian = tongue{"ăâîșțşţ", " este pentru din cu nu sunt prin la care si "}
)

// candidate is an encoding with the languages that use it.
type candidate struct {
	charmap *charmap.Charmap
	tongues []tongue
}

// byLetters picks the encoding in which the letters beyond ASCII are those of one language. In doubt it is the western one,
// which most texts are in.
func byLetters(data []byte) encoding.Encoding {
	sample := data[:min(len(data), 256<<10)]
	words := commonWords(sample)
	best, bestScore := charmap.Windows1252, -1.0
	for _, c := range []candidate{
		{charmap.Windows1252, western},
		{charmap.Windows1250, []tongue{polish, romanian}},
		{charmap.ISO8859_2, []tongue{polish, romanian}},
		{charmap.ISO8859_16, []tongue{romanian}},
	} {
		for _, t := range c.tongues {
			if score := share(sample, c.charmap, t.letters) + words(t)/100; score > bestScore+1e-9 {
				best, bestScore = c.charmap, score
			}
		}
	}
	return best
}

// share is how many of the bytes beyond ASCII that touch a letter stand for a letter of the language, from 0 to 1.
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

// commonWords returns a function that tells how much of the text's words are frequent ones of a language.
func commonWords(data []byte) func(tongue) float64 {
	words := strings.Fields(strings.ToLower(string(data[:min(len(data), 16<<10)])))
	return func(t tongue) float64 {
		found := 0
		for _, w := range words {
			if strings.Contains(t.words, " "+w+" ") {
				found++
			}
		}
		return float64(found) / float64(max(1, len(words)))
	}
}
