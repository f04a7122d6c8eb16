package lexicon

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"portside/documents/offline/scan"
)

//go:embed lexicon.txt
var lexiconText string

// lexicon tells what words and phrases of business documents mean, in any of the languages: a meaning is one or more terms
// in capitals, the same for all languages. Words that it does not know stand for themselves, cut short.
//
// A form is its words with a space between them. Both maps are made at once, in one piece each, because the first question
// after a cold start waits for them.
type Lexicon struct {
	forms map[string]form
	stems map[string][]string // terms of the forms whose last word may go on
}

type form struct {
	terms    []string // nil if it is only the beginning of others
	isPrefix bool     // others begin with it
}

var Business = sync.OnceValue(func() *Lexicon {
	const forms, stems = 4_500, 700
	l := &Lexicon{make(map[string]form, forms), make(map[string][]string, stems)}
	for line := range strings.Lines(lexiconText) {
		if meaning, forms, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && !strings.HasPrefix(line, "#") {
			l.add(slices.Clip(strings.Fields(meaning)), forms)
		}
	}
	return l
})

// add reads forms, each of which begins after a comma; a star ends a stem.
func (l *Lexicon) add(terms []string, forms string) {
	for words := scan.Words(forms); len(words) > 0; {
		n := 1
		for n < len(words) && !words[n].AfterBreak {
			n++
		}
		l.addForm(terms, words[:n], strings.HasPrefix(forms[words[n-1].At.End:], "*"))
		words = words[n:]
	}
}

func (l *Lexicon) addForm(terms []string, words []scan.Word, isStem bool) {
	text := words[0].Text
	for _, w := range words[1:] {
		l.forms[text] = form{l.forms[text].terms, true}
		text += " " + w.Text
	}
	if isStem {
		l.stems[text] = union(l.stems[text], terms)
		return
	}
	l.forms[text] = form{union(l.forms[text].terms, terms), l.forms[text].isPrefix}
}

// union may return either of the two, but changes neither.
func union(known, more []string) []string {
	if known == nil {
		return more
	}
	for _, t := range more {
		if !slices.Contains(known, t) {
			known = append(slices.Clip(known), t)
		}
	}
	return known
}

// longest returns the terms of the longest form at the beginning of words, and how many words it has. Of a form and a stem
// with as many, the form counts.
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
		form := l.forms[text]
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

const (
	maxEndingLetters = 6 // letters that inflection may add to a stem
	minStemBytes     = 3
	minPartBytes     = 4 // letters of a part of a compound
	maxPartEnding    = 2
)

// stem returns the terms of the longest stem that a form begins with, if no more than so many letters follow it. Last is how
// long the form's last word is.
func (l *Lexicon) stem(form string, last, most int) []string {
	for n := 0; n <= most && n <= last-minStemBytes; n++ {
		if terms := l.stems[form[:len(form)-n]]; terms != nil {
			return terms
		}
	}
	return nil
}

// compound splits a word such as Rechnungsnummer or förfallodatum into two that are known.
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

func (l *Lexicon) part(word string) []string {
	if terms := l.forms[word].terms; terms != nil {
		return terms
	}
	if len(word) < minPartBytes {
		return nil
	}
	return l.stem(word, len(word), maxPartEnding)
}

// means reports that a word has a term.
func (l *Lexicon) Means(word, term string) bool { return slices.Contains(l.forms[word].terms, term) }

// numbered reads words such as kundnr and factuurnr.
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

// withoutUmlauts undoes the writing of ä, ö and ü with an e, as in names of variables.
func withoutUmlauts(word string) string { return umlauts.Replace(word) }

var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

// endings are articles and cases that some languages write at the end of a word.
var endings = []string{"ului", "erna", "elor", "ilor", "arna", "orna", "ens", "ets", "ul", "le", "ei", "lui", "en", "et", "na",
	"er", "es", "n", "l", "a", "s", "t", "e"}

// inflected finds a word of the lexicon below an ending.
func (l *Lexicon) inflected(text string) []string {
	const least = 4
	for _, ending := range endings {
		stem, ok := strings.CutSuffix(text, ending)
		if !ok || len(stem) < least {
			continue
		}
		if terms := l.forms[stem].terms; terms != nil && !IsFiller(stem) {
			return terms
		}
	}
	return nil
}

// cutShort makes the forms of a word alike, in all languages in the same coarse way.
func cutShort(word string) string {
	const keep, most = 4, 3
	for n := 0; n < most && len(word) > keep && strings.IndexByte("aeiouyns", word[len(word)-1]) >= 0; n++ {
		word = word[:len(word)-1]
	}
	return word
}
