package mediaoffline

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
type lexicon struct{ root *branch }

// branch is what may follow the words that led to it.
type branch struct {
	exact map[string]*branch
	stems map[string]*branch
	terms []string // of the form that ends here; nil if none does
}

var theLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{root: &branch{}}
	for line := range strings.Lines(lexiconText) {
		if meaning, forms, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && !strings.HasPrefix(line, "#") {
			l.add(strings.Fields(meaning), forms)
		}
	}
	return l
})

func (l *lexicon) add(terms []string, forms string) {
	for form := range strings.SplitSeq(forms, ",") {
		form = strings.TrimSpace(form)
		words := wordsOf(form)
		at := l.root
		for i, w := range words {
			at = at.grow(w.text, i == len(words)-1 && strings.HasSuffix(form, "*"))
		}
		for _, t := range terms {
			if len(words) > 0 && !slices.Contains(at.terms, t) {
				at.terms = append(at.terms, t)
			}
		}
	}
}

func (b *branch) grow(word string, isStem bool) *branch {
	into := &b.exact
	if isStem {
		into = &b.stems
	}
	if *into == nil {
		*into = map[string]*branch{}
	}
	next := (*into)[word]
	if next == nil {
		next = &branch{}
		(*into)[word] = next
	}
	return next
}

// longest returns the terms of the longest form at the beginning of words, and how many words it has.
func (b *branch) longest(words []word) (terms []string, used int) {
	if len(words) == 0 || (words[0].breaks && b.terms != nil) {
		return nil, 0
	}
	if next := b.exact[words[0].text]; next != nil {
		terms, used = next.with(words)
	}
	if next := b.stem(words[0].text, mostEnding); next != nil {
		if t, n := next.with(words); n > used {
			terms, used = t, n
		}
	}
	return terms, used
}

func (b *branch) with(words []word) (terms []string, used int) {
	if len(words) > 1 && !words[1].breaks && (b.exact != nil || b.stems != nil) {
		if t, n := b.longest(words[1:]); n > 0 {
			return t, n + 1
		}
	}
	if b.terms == nil {
		return nil, 0
	}
	return b.terms, 1
}

const (
	mostEnding  = 6 // letters that inflection may add to a stem
	leastStem   = 3
	leastPart   = 4 // letters of a part of a compound
	mostPartEnd = 2
)

func (b *branch) stem(word string, most int) *branch {
	if b.stems == nil {
		return nil
	}
	for n := len(word); n >= leastStem && n >= len(word)-most; n-- {
		if next := b.stems[word[:n]]; next != nil {
			return next
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
	if b := l.root.exact[word]; b != nil && b.terms != nil {
		return b.terms
	}
	if b := l.root.stem(word, mostPartEnd); b != nil && len(word) >= leastPart {
		return b.terms
	}
	return nil
}

// means reports that a word has a term.
func (l *lexicon) means(word, term string) bool {
	b := l.root.exact[word]
	return b != nil && slices.Contains(b.terms, term)
}

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
		terms, used := l.root.longest(unbroken(words[i:]))
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
	if exact := l.root.exact[text]; exact == nil || exact.terms == nil {
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
		if b := l.root.exact[stem]; b != nil && b.terms != nil && !isSmall(stem) {
			return b.terms
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
