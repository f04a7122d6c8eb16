package lexicon

import (
	"slices"
	"strings"
	"sync"

	"portside/documents/offline/scan"
)

// Mention is a term and where a text mentions it.
type Mention struct {
	Term   string
	At     scan.Span
	Filler bool // see [IsFiller]
}

// maxWordBytes limits the words that the lexicon looks up. Splitting a longer one into parts would
// take quadratic time.
const maxWordBytes = 64

// Mentions returns the terms of a text in order. A word that is not in the lexicon is its own term,
// in lower case.
func (l *Lexicon) Mentions(words []scan.Word) []Mention {
	found := make([]Mention, 0, len(words))
	singles := map[string][]string{}
	for i := 0; i < len(words); {
		terms, used := l.longest(ignoreFirstBreak(words[i:]))
		if used <= 1 {
			terms, used = l.single(words[i].Text, terms, singles), 1
		}
		at := scan.Between(words[i].At.Start, words[i+used-1].At.End)
		for _, t := range terms {
			found = append(found, Mention{t, at, used == 1 && IsFiller(words[i].Text)})
		}
		i += used
	}
	return found
}

// ignoreFirstBreak returns words without the break before the first one, because a form may begin
// after a break.
func ignoreFirstBreak(words []scan.Word) []scan.Word {
	if !words[0].AfterBreak {
		return words
	}
	const maxFormWords = 6
	first := slices.Clone(words[:min(len(words), maxFormWords)])
	first[0].AfterBreak = false
	return first
}

// single returns the terms of one word. known are its terms if the lexicon has the word or a stem
// of it. A compound comes before an inflection of its first part: Rechnungsnummer is not a form of
// Rechnung.
func (l *Lexicon) single(text string, known []string, seen map[string][]string) []string {
	if terms, ok := seen[text]; ok {
		return terms
	}
	if len(text) > maxWordBytes {
		return []string{text}
	}
	terms := known
	if l.form(text).terms == nil {
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
		if terms = l.single(plain, l.part(plain), seen); len(terms) == 1 && !IsTerm(terms[0]) {
			terms = nil
		}
	}
	if terms == nil && !IsFiller(text) {
		terms = []string{cutShort(withoutUmlauts(text))}
	}
	seen[text] = terms
	return terms
}

// LabelTerms returns each term of a label once. It leaves out fillers, unless the label is nothing
// but one filler.
func LabelTerms(all []Mention) []string {
	const maxMentions = 64 // far more than any label has
	var terms []string
	for _, m := range all[:min(len(all), maxMentions)] {
		if (!m.Filler || len(all) == 1) && !slices.Contains(terms, m.Term) {
			terms = append(terms, m.Term)
		}
	}
	return terms
}

var fillers = sync.OnceValue(func() map[string]bool {
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

// IsFiller reports a word such as "the" or "of" that mostly means nothing in a label.
func IsFiller(word string) bool { return fillers()[word] }
