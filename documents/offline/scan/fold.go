package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold returns a word in lower case and without accents, so that "Ähnlich" and "ahnlich" are
// equal. It replaces letters of Latin scripts only.
func Fold(word string) string {
	plain := true
	for i := 0; i < len(word) && plain; i++ {
		plain = word[i] < utf8.RuneSelf && (word[i] < 'A' || word[i] > 'Z')
	}
	if plain {
		return word
	}
	var out strings.Builder
	out.Grow(len(word))
	for _, r := range word {
		if r = unicode.ToLower(r); r < utf8.RuneSelf {
			out.WriteByte(byte(r))
			continue
		}
		out.WriteString(foldRune(r))
	}
	return out.String()
}

func foldRune(r rune) string {
	if int(r) < len(foldings) && foldings[r] != "" {
		return foldings[r]
	}
	if unicode.IsMark(r) {
		return ""
	}
	return string(r)
}

// foldings has the replacement of each letter with an accent.
var foldings = [...]string{
	'à': "a", 'á': "a", 'â': "a", 'ã': "a", 'ä': "a", 'å': "a", 'ā': "a", 'ă': "a", 'ą': "a",
	'è': "e", 'é': "e", 'ê': "e", 'ë': "e", 'ē': "e", 'ę': "e", 'ě': "e",
	'ì': "i", 'í': "i", 'î': "i", 'ï': "i", 'ī': "i",
	'ò': "o", 'ó': "o", 'ô': "o", 'õ': "o", 'ö': "o", 'ø': "o", 'ō': "o", 'ő': "o",
	'ù': "u", 'ú': "u", 'û': "u", 'ü': "u", 'ū': "u", 'ů': "u", 'ű': "u",
	'ç': "c", 'ć': "c", 'č': "c",
	'ñ': "n", 'ń': "n", 'ň': "n",
	'ś': "s", 'š': "s", 'ş': "s", 'ș': "s",
	'ß': "ss",
	'ț': "t", 'ţ': "t", 'ť': "t",
	'ł': "l", 'ľ': "l",
	'ź': "z", 'ż': "z", 'ž': "z",
	'ý': "y", 'ÿ': "y",
	'ď': "d", 'đ': "d",
	'ř': "r",
	'ğ': "g",
	'æ': "ae",
	'œ': "oe",
	'º': "o", '°': "o",
	'ª': "a",
}
