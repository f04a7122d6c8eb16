package questions

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"portside/documents/offline/lexicon"
)

//go:embed concepts.txt
var conceptsText string

// Shape is what a value looks like, in addition to its type.
type Shape string

// The shapes.
const (
	AnyShape      Shape = ""
	MoneyShape    Shape = "money"
	PercentShape  Shape = "percent"
	PlainShape    Shape = "plain"
	DurationShape Shape = "duration"
	DateShape     Shape = "date"
	IDShape       Shape = "id"
	NameShape     Shape = "name"
	ListShape     Shape = "list"
	TextShape     Shape = "text"
	LawShape      Shape = "law"
	IBANShape     Shape = "iban"
	EmailShape    Shape = "email"
	PhoneShape    Shape = "phone"
	CurrencyShape Shape = "currency"
	TimeShape     Shape = "time"
	TitleShape    Shape = "title"
	AddressShape  Shape = "address"
)

// Pattern is the terms of a label that would answer a question, and how well it would.
type Pattern struct {
	Terms           []string
	Weight          float64
	topics          []string // the document must have one of these topics; empty: any
	FromDescription bool     // from a description, so it may have words that no label has
}

// AppliesTo reports whether the pattern is for documents with these topics.
func (p *Pattern) AppliesTo(topic []string) bool {
	return len(p.topics) == 0 || slices.ContainsFunc(p.topics, func(t string) bool { return slices.Contains(topic, t) })
}

// concept is a piece of information that business documents give under many names.
type concept struct {
	name     string
	shape    Shape
	excluded []string
	patterns []Pattern
}

// allConcepts returns the concepts of concepts.txt.
var allConcepts = sync.OnceValue(func() []concept {
	var all []concept
	for line := range strings.Lines(conceptsText) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			all = append(all, conceptHead(line))
		default:
			last := &all[len(all)-1]
			last.patterns = append(last.patterns, patternsOf(line)...)
		}
	}
	return all
})

// conceptHead parses the line with the name and the settings of a concept.
func conceptHead(line string) concept {
	name, rest, _ := strings.Cut(line[1:], "]")
	c := concept{name: name}
	for setting := range strings.FieldsSeq(rest) {
		key, value, _ := strings.Cut(setting, "=")
		if key == "shape" {
			c.shape = Shape(value)
		} else {
			c.excluded = strings.Split(value, ",")
		}
	}
	return c
}

// patternsOf parses "weight: TERMS | TERMS" and "weight TOPIC,TOPIC: TERMS".
func patternsOf(line string) []Pattern {
	head, forms, _ := strings.Cut(line, ":")
	weight, topic, conditional := strings.Cut(head, " ")
	w, err := strconv.ParseFloat(weight, 64)
	if err != nil {
		return nil
	}
	var topics []string
	if conditional {
		topics = strings.Split(topic, ",")
	}
	var all []Pattern
	for form := range strings.SplitSeq(forms, "|") {
		all = append(all, Pattern{Terms: strings.Fields(form), Weight: w, topics: topics})
	}
	return all
}

// conceptOf returns the first concept that has exactly these terms as a label, or nil. If there is
// none, it ignores terms that name a kind of document, and then generic terms.
func conceptOf(terms []string) *concept {
	all := allConcepts()
	for _, ignored := range [][]string{nil, lexicon.DocumentTerms, vagueTerms} {
		rest := lexicon.Without(terms, ignored)
		if len(rest) == 0 {
			continue
		}
		for i := range all {
			if all[i].has(rest) {
				return &all[i]
			}
		}
	}
	return nil
}

// vagueTerms are the terms that change nothing beside a more specific one: the total amount of the tax is the tax.
var vagueTerms = append([]string{"AMOUNT", "TOTAL", "DOCUMENT", "COMPANY", "NAME", "DATE"}, lexicon.DocumentTerms...)

// has reports whether terms name the concept. Patterns with a low weight can answer, but do not
// name it.
func (c *concept) has(terms []string) bool {
	const minWeight = 0.8 // weaker patterns answer, but do not name the concept
	return slices.ContainsFunc(c.patterns, func(p Pattern) bool {
		return p.Weight >= minWeight && len(p.topics) == 0 && lexicon.SameTerms(p.Terms, terms)
	})
}

// conceptWithin returns the concept of the longest pattern that a description contains and that
// shares a term with the name, or nil.
func conceptWithin(description, name []string) *concept {
	const minWeight = 0.9
	var best *concept
	size := 0
	all := allConcepts()
	for i := range all {
		for _, p := range all[i].patterns {
			longer := p.Weight >= minWeight && len(p.topics) == 0 && len(p.Terms) > size
			if longer && lexicon.Subset(p.Terms, description) && !lexicon.AllGeneric(p.Terms) && sharesTerm(p.Terms, name) {
				best, size = &all[i], len(p.Terms)
			}
		}
	}
	return best
}

// sharesTerm reports whether a pattern has one of the terms of the name. It is true if the name has
// no known term.
func sharesTerm(terms, name []string) bool {
	known := slices.ContainsFunc(name, lexicon.IsTerm)
	return !known || slices.ContainsFunc(name, func(t string) bool { return slices.Contains(terms, t) })
}

// nearest returns the patterns of the concept, with a small preference for the one that has exactly
// the terms of the name.
func (c *concept) nearest(named []string) []Pattern {
	const other = 0.985
	patterns := slices.Clone(c.patterns)
	is := func(p Pattern) bool { return lexicon.SameTerms(p.Terms, named) }
	if !slices.ContainsFunc(patterns, is) {
		return patterns
	}
	for i := range patterns {
		if !is(patterns[i]) {
			patterns[i].Weight *= other
		}
	}
	return patterns
}
