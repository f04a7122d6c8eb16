package lexicon

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"portside/documents/offline/scan"
)

// The index has the words of lexicon.txt, in a form that needs no preparation: building maps of them would take longer
// than all else of the first question after a cold start. `go test -update` writes it.
var (
	//go:embed forms.index
	formsIndex string
	//go:embed stems.index
	stemsIndex string
	//go:embed terms.index
	termsIndex string
)

// Lexicon maps the words and phrases of business documents to terms in capitals, the same for all
// languages. A form is one or more folded words with a space between them.
type Lexicon struct {
	forms index      // by form: twice the number of its list of terms, and 1 if other forms begin with it
	stems index      // by form whose last word may have any ending: the number of its list of terms
	lists [][]string // of terms; the first is nil
}

type form struct {
	terms    []string // nil if it is only the beginning of other forms
	isPrefix bool     // other forms begin with it
}

// Business returns the lexicon of business documents.
var Business = sync.OnceValue(func() *Lexicon {
	l := &Lexicon{forms: index(formsIndex), stems: index(stemsIndex), lists: [][]string{nil}}
	for list := range strings.Lines(termsIndex) {
		l.lists = append(l.lists, slices.Clip(strings.Fields(list)))
	}
	return l
})

// form returns a form, or the zero value if the lexicon does not have it.
func (l *Lexicon) form(text string) form {
	value := l.forms.find(text)
	return form{terms: l.lists[value/2], isPrefix: value%2 == 1}
}

// Means reports whether one of the terms of a word is term.
func (l *Lexicon) Means(word, term string) bool { return slices.Contains(l.form(word).terms, term) }

// longest returns the terms of the longest form at the beginning of words, and its number of words.
// If a form and a stem have the same number of words, the form wins.
func (l *Lexicon) longest(words []scan.Word) (terms []string, used int) {
	text := ""
	for i, w := range words {
		if i > 0 && w.AfterBreak {
			break
		}
		text += w.Text
		if stem := l.stem(text, len(w.Text), maxEndingLetters); stem != nil {
			terms, used = stem, i+1
		}
		form := l.form(text)
		if form.terms != nil {
			terms, used = form.terms, i+1
		}
		if !form.isPrefix {
			break
		}
		text += " "
	}
	return terms, used
}

// FormWords returns the number of words of the longest form at the beginning of words, or 0.
func (l *Lexicon) FormWords(words []scan.Word) int {
	if len(words) == 0 {
		return 0
	}
	_, used := l.longest(ignoreFirstBreak(words))
	return used
}

// Alternatives returns the forms that a form with alternatives stands for, such as "(with|including) tax".
func Alternatives(form string) []string {
	head, rest, found := strings.Cut(form, "(")
	if !found {
		return []string{form}
	}
	choices, tail, _ := strings.Cut(rest, ")")
	var all []string
	for _, end := range Alternatives(tail) {
		for choice := range strings.SplitSeq(choices, "|") {
			all = append(all, head+choice+end)
		}
	}
	return all
}

const (
	maxEndingLetters = 6 // letters that inflection adds to a stem
	minStemBytes     = 3
	minPartBytes     = 4 // of a part of a compound
	maxPartEnding    = 2
)

// stem returns the terms of the longest stem that the form begins with, if at most maxEnding
// letters follow it. lastWord is the length of the form's last word.
func (l *Lexicon) stem(form string, lastWord, maxEnding int) []string {
	for n := 0; n <= maxEnding && n <= lastWord-minStemBytes; n++ {
		if terms := l.lists[l.stems.find(form[:len(form)-n])]; terms != nil {
			return terms
		}
	}
	return nil
}

// compound returns the terms of a compound such as Rechnungsnummer or förfallodatum, if both of
// its parts are known.
func (l *Lexicon) compound(word string) []string {
	for i := len(word) - minPartBytes; i >= minPartBytes; i-- {
		tail := l.part(word[i:])
		if tail == nil {
			continue
		}
		for _, joint := range []string{"", "s", "es", "n", "en", "e"} {
			head, ok := strings.CutSuffix(word[:i], joint)
			if !ok || len(head) < minPartBytes {
				continue
			}
			if terms := l.part(head); terms != nil {
				return slices.Concat(terms, tail)
			}
		}
	}
	return nil
}

// part returns the terms of one part of a compound.
func (l *Lexicon) part(word string) []string {
	if terms := l.form(word).terms; terms != nil {
		return terms
	}
	if len(word) < minPartBytes {
		return nil
	}
	return l.stem(word, len(word), maxPartEnding)
}

// numbered returns the terms of words such as kundnr and factuurnr.
func (l *Lexicon) numbered(word string) []string {
	head, ok := strings.CutSuffix(word, "nr")
	if !ok || len(head) < minPartBytes {
		return nil
	}
	for _, joint := range []string{"", "s", "n"} {
		if terms := l.part(strings.TrimSuffix(head, joint)); terms != nil {
			return slices.Concat(terms, []string{"NUMBER"})
		}
	}
	return nil
}

// withoutUmlauts replaces ae, oe and ue, which names of variables use instead of ä, ö and ü.
func withoutUmlauts(word string) string { return umlauts.Replace(word) }

var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

// endings are the articles and cases that some languages add to the end of a word.
var endings = []string{"ului", "erna", "elor", "ilor", "arna", "orna", "ens", "ets", "ul", "le", "ei", "lui", "en",
	"et", "na",
	"er", "es", "n", "l", "a", "s", "t", "e"}

// inflected returns the terms of a word that is in the lexicon without one of the endings.
func (l *Lexicon) inflected(text string) []string {
	const minBytes = 4
	for _, ending := range endings {
		stem, ok := strings.CutSuffix(text, ending)
		if !ok || len(stem) < minBytes {
			continue
		}
		if terms := l.form(stem).terms; terms != nil && !IsFiller(stem) {
			return terms
		}
	}
	return nil
}

// cutShort removes the usual endings of a word, in all languages in the same way, so that its forms
// become equal.
func cutShort(word string) string {
	const minBytes, maxCut = 4, 3
	for n := 0; n < maxCut && len(word) > minBytes && strings.IndexByte("aeiouyns", word[len(word)-1]) >= 0; n++ {
		word = word[:len(word)-1]
	}
	return word
}
