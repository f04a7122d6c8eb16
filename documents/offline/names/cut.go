package names

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

// finalForms are legal forms that end the name of a company. They do not begin one.
var finalForms = scan.LazySet("gmbh ag kg kgaa ohg ug mbh inc llc ltd llp plc")

// IsCut reports whether a span has only a part of the name of a company: it begins with the legal form after the name's
// first words, or ends before the legal form. Words in other lines or after punctuation do not belong to the name.
func IsCut(text string, s scan.Span) bool {
	if s.IsEmpty() {
		return false
	}
	return beginsAtForm(text, s) || endsBeforeForm(text, s)
}

func beginsAtForm(text string, s scan.Span) bool {
	before, isNext := strings.CutSuffix(text[:s.Start], " ")
	if !isNext || !finalForms()[scan.Fold(firstWord(s.In(text)))] {
		return false
	}
	last := before[strings.LastIndexAny(before, " \n\t")+1:]
	first, _ := utf8.DecodeRuneInString(last)
	end, _ := utf8.DecodeLastRuneInString(last)
	return unicode.IsUpper(first) && unicode.IsLetter(end)
}

func endsBeforeForm(text string, s scan.Span) bool {
	rest, isNext := strings.CutPrefix(text[s.End:], " ")
	form := firstWord(rest)
	return isNext && scan.IsUpper(s.In(text)[0]) && form != "" && scan.IsUpper(form[0]) && finalForms()[scan.Fold(form)]
}

// firstWord returns the letters at the beginning of a text.
func firstWord(text string) string {
	const longest = 16 // bytes, more than any legal form
	text = text[:scan.RuneStart(text, min(len(text), longest), len(text))]
	if end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		return text[:end]
	}
	return text
}

var honorifics = scan.LazySet(`mr mrs ms miss dr sr sra senor senora don dona m mme mlle monsieur madame herr herrn frau signor signora sig
	heer mevrouw meneer de pan pani domnule doamna domnul dl dna fru`)

// IsTitle reports whether a text has only words such as "Mr." that stand before a name.
func IsTitle(text string) bool {
	words := scan.Words(text)
	for _, w := range words {
		if !honorifics()[w.Text] {
			return false
		}
	}
	return len(words) > 0
}
