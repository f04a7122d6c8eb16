package questions

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"portside/documents/answers"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

//go:embed grammar.txt
var grammarText string

// grammar is the words that only questions have, and the rules that turn them into the terms of a label.
type grammar struct {
	terms    map[string]string // by form; empty for the beginning of a longer form
	rules    []rule
	maxWords int // of the longest form
}

// rule replaces terms of a question.
type rule struct {
	of       answers.Type
	from, to []string
	isWhole  bool // all other terms are dropped
}

// questionGrammar returns the grammar of grammar.txt.
var questionGrammar = sync.OnceValue(func() *grammar {
	g := &grammar{terms: map[string]string{}}
	for line := range strings.Lines(grammarText) {
		line = strings.TrimSpace(line)
		switch head, rest, _ := strings.Cut(line, ": "); {
		case line == "" || line[0] == '#':
		case line[0] == '?':
			g.addForms(head, rest)
		default:
			g.addRule(answers.Type(head), rest)
		}
	}
	return g
})

// addForms adds the forms of a term.
func (g *grammar) addForms(term, forms string) {
	for form := range strings.SplitSeq(forms, ",") {
		for _, f := range lexicon.Alternatives(form) {
			words := scan.Words(f)
			g.maxWords = max(g.maxWords, len(words))
			g.terms[phrase(words)] = term
		}
	}
}

func (g *grammar) addRule(of answers.Type, text string) {
	from, to, _ := strings.Cut(text, "=")
	to, isWhole := strings.CutSuffix(to, "+")
	g.rules = append(g.rules, rule{of, strings.Fields(from), strings.Fields(to), isWhole})
}

// phrase returns words with a space between them.
func phrase(words []scan.Word) string {
	text := make([]string, len(words))
	for i, w := range words {
		text[i] = w.Text
	}
	return strings.Join(text, " ")
}

// longest returns the term of the longest form at the beginning of words, and its number of words.
func (g *grammar) longest(words []scan.Word) (term string, used int) {
	for n := min(g.maxWords, len(words)); n > 0; n-- {
		if term = g.terms[phrase(words[:n])]; term != "" {
			return term, n
		}
	}
	return "", 0
}

// read returns the terms of a question: those of a label with the answer, and those of the grammar that no rule used.
func (g *grammar) read(text string, of answers.Type) []string {
	terms := g.termsOf(scan.Words(text))
	for _, r := range g.rules {
		if r.of != of || !lexicon.Subset(r.from, terms) {
			continue
		}
		if r.isWhole {
			return r.to
		}
		rest := lexicon.Without(terms, r.from)
		terms = append(slices.Clone(r.to), lexicon.Without(rest, r.to)...)
	}
	return terms
}

// termsOf returns the terms of words. The forms of the grammar and of the lexicon compete: the longer one wins.
func (g *grammar) termsOf(words []scan.Word) []string {
	var own []string
	var mentions []lexicon.Mention
	business := lexicon.Business()
	for at := 0; at < len(words); {
		term, used := g.longest(words[at:])
		if used > 0 && used >= business.FormWords(words[at:]) {
			if !slices.Contains(own, term) {
				own = append(own, term)
			}
			at += used
			continue
		}
		n := max(1, business.FormWords(words[at:]))
		mentions = append(mentions, business.Mentions(words[at:at+n])...)
		at += n
	}
	return append(own, lexicon.LabelTerms(mentions)...)
}
