package lexicon

import (
	"strings"

	"portside/documents/offline/scan"
)

// verbs connect a label with its value in a sentence.
var verbs = []string{
	"is", "are", "amounts to", "es de", "es", "será de", "asciende a", "é de", "é", "est de", "est", "s'élève à", "beträgt",
	"ist", "è di", "è", "ammonta a",
	"bedraagt", "is", "är", "uppgår till", "wynosi", "to", "jest", "este de", "este",
}

// SkipVerb removes a verb such as "is" or "amounts to" from the beginning of a text.
func SkipVerb(text string) string {
	for _, v := range verbs {
		if rest, ok := scan.CutWord(text, v); ok {
			return strings.TrimLeft(rest, " ")
		}
	}
	return text
}
