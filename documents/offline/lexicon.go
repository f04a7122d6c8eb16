package offline

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed lexicon.txt
var lexiconText string

// lexicon tells what words and phrases of business documents mean, in any of the languages: a meaning is one or more terms
// in capitals, the same for all languages. Words that it does not know stand for themselves, cut short.
//
// A form is its words with a space between them. Both maps are made at once, in one piece each, because the first question
// after a cold start waits for them.
type lexicon struct {
	forms map[string]form
	stems map[string][]string // terms of the forms whose last word may go on
}

type form struct {
	terms  []string // nil if it is only the beginning of others
	goesOn bool     // others begin with it
}

var theLexicon = sync.OnceValue(func() *lexicon {
	const forms, stems = 4_500, 700
	l := &lexicon{make(map[string]form, forms), make(map[string][]string, stems)}
	for line := range strings.Lines(lexiconText) {
		if meaning, forms, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && !strings.HasPrefix(line, "#") {
			l.add(slices.Clip(strings.Fields(meaning)), forms)
		}
	}
	return l
})

// add reads forms, each of which begins after a comma; a star ends a stem.
func (l *lexicon) add(terms []string, forms string) {
	for words := wordsOf(forms); len(words) > 0; {
		n := 1
		for n < len(words) && !words[n].breaks {
			n++
		}
		l.mean(terms, words[:n], strings.HasPrefix(forms[words[n-1].at.end:], "*"))
		words = words[n:]
	}
}

func (l *lexicon) mean(terms []string, words []word, isStem bool) {
	text := words[0].text
	for _, w := range words[1:] {
		l.forms[text] = form{l.forms[text].terms, true}
		text += " " + w.text
	}
	if isStem {
		l.stems[text] = union(l.stems[text], terms)
		return
	}
	l.forms[text] = form{union(l.forms[text].terms, terms), l.forms[text].goesOn}
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
func (l *lexicon) longest(words []word) (terms []string, used int) {
	text := ""
	for i, w := range words {
		if i > 0 && w.breaks {
			break
		}
		text += w.text
		if stem := l.stem(text, len(w.text), mostEnding); stem != nil {
			terms, used = stem, i+1
		}
		form := l.forms[text]
		if form.terms != nil {
			terms, used = form.terms, i+1
		}
		if !form.goesOn {
			break
		}
		text += " "
	}
	return terms, used
}

const (
	mostEnding  = 6 // letters that inflection may add to a stem
	leastStem   = 3
	leastPart   = 4 // letters of a part of a compound
	mostPartEnd = 2
)

// stem returns the terms of the longest stem that a form begins with, if no more than so many letters follow it. Last is how
// long the form's last word is.
func (l *lexicon) stem(form string, last, most int) []string {
	for n := 0; n <= most && n <= last-leastStem; n++ {
		if terms := l.stems[form[:len(form)-n]]; terms != nil {
			return terms
		}
	}
	return nil
}

// compound splits a word such as Rechnungsnummer or förfallodatum into two that are known.
func (l *lexicon) compound(word string) []string {
	for i := len(word) - leastPart; i >= leastPart; i-- {
		tail := l.part(word[i:])
		if tail == nil {
			continue
		}
		for _, joint := range []string{"", "s", "es", "n", "en", "e"} {
			head, ok := strings.CutSuffix(word[:i], joint)
			if !ok || len(head) < leastPart {
				continue
			}
			if terms := l.part(head); terms != nil {
				return slices.Concat(terms, tail)
			}
		}
	}
	return nil
}

func (l *lexicon) part(word string) []string {
	if terms := l.forms[word].terms; terms != nil {
		return terms
	}
	if len(word) < leastPart {
		return nil
	}
	return l.stem(word, len(word), mostPartEnd)
}

// means reports that a word has a term.
func (l *lexicon) means(word, term string) bool { return slices.Contains(l.forms[word].terms, term) }

// mention is a term where it is said.
type mention struct {
	term  string
	at    span
	small bool // a word that mostly means nothing by itself
}

// mentions finds the terms of a text, in order. Words that are not in the lexicon are their own terms, in small letters.
func (l *lexicon) mentions(words []word) []mention {
	found := make([]mention, 0, len(words))
	singles := map[string][]string{}
	for i := 0; i < len(words); {
		terms, used := l.longest(unbroken(words[i:]))
		if used <= 1 {
			terms, used = l.single(words[i].text, terms, singles), 1
		}
		at := span{words[i].at.start, words[i+used-1].at.end}
		for _, t := range terms {
			found = append(found, mention{t, at, used == 1 && isSmall(words[i].text)})
		}
		i += used
	}
	return found
}

// unbroken lets a form begin after any break.
func unbroken(words []word) []word {
	if !words[0].breaks {
		return words
	}
	const longestForm = 6
	first := slices.Clone(words[:min(len(words), longestForm)])
	first[0].breaks = false
	return first
}

// single is what one word means: a compound before the inflection of its first part, because Rechnungsnummer is no form of
// Rechnung.
func (l *lexicon) single(text string, known []string, seen map[string][]string) []string {
	if terms, ok := seen[text]; ok {
		return terms
	}
	if len(text) > mostWord { // nothing that anybody looks for: splitting it would take as long as it is, squared
		return []string{text}
	}
	terms := known
	if l.forms[text].terms == nil {
		if parts := l.compound(text); parts != nil {
			terms = parts
		} else if parts := l.numbered(text); parts != nil {
			terms = parts
		}
	}
	if terms == nil {
		terms = l.inflected(text)
	}
	if plain := withoutUmlauts(text); terms == nil && plain != text {
		if terms = l.single(plain, l.part(plain), seen); len(terms) == 1 && !isTerm(terms[0]) {
			terms = nil
		}
	}
	if terms == nil && !isSmall(text) {
		terms = []string{cutShort(withoutUmlauts(text))}
	}
	seen[text] = terms
	return terms
}

// numbered reads words such as kundnr and factuurnr.
func (l *lexicon) numbered(word string) []string {
	head, ok := strings.CutSuffix(word, "nr")
	if !ok || len(head) < leastPart {
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
func (l *lexicon) inflected(text string) []string {
	const least = 4
	for _, ending := range endings {
		stem, ok := strings.CutSuffix(text, ending)
		if !ok || len(stem) < least {
			continue
		}
		if terms := l.forms[stem].terms; terms != nil && !isSmall(stem) {
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

var smallForms = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`the a an of for and or in on at by to is are with be as from
		el la los las de del al y o en con por para un una es su se lo que
		os do da dos das e em na ao pelo pela com um uma ou
		le les du des au aux et un une dans sur pour par d l est ce sa son avec
		der die das den dem des und oder im am zu zum zur von vom fur mit ein eine einer ist auf bei an
		il gli di dei delle della dell dello nel nella sul per tra e ed alla al un uno con i
		het een van op te voor met aan der is en of ter bij
		och att av till for med pa ett den det ar som i fran
		w z ze na od i oraz dla o u po jest do za r
		si al ale a in din pe cu la prin un o este pentru lui ei cel cea s t
		your our its unser unsere ihr ihre notre votre nuestra nuestro nossa vossa nostro nostra vostro onze uw var vart nasz nasza noastra
		has have hat tiene tem`) {
		set[w] = true
	}
	return set
})

func isSmall(word string) bool { return smallForms()[word] }
