package questions

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"portside/documents/offline/lexicon"
)

// isAbout reports that the document is of a kind that the pattern is meant for.
func (p *Pattern) AppliesTo(topic []string) bool {
	return len(p.topics) == 0 || slices.ContainsFunc(p.topics, func(t string) bool { return slices.Contains(topic, t) })
}

//go:embed concepts.txt
var conceptsText string

// shape is what a value looks like, beyond its type.
type Shape string

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
)

// pattern is a label that would answer, with how well it would.
type Pattern struct {
	Terms           []string
	Weight          float64
	topics          []string // kinds of document, one of which it must be; empty for all
	FromDescription bool     // a description's, which may have words that no label has
}

// concept is something that documents of business say under many names.
type concept struct {
	name     string
	shape    Shape
	not      []string
	patterns []Pattern
}

var theConcepts = sync.OnceValue(func() []concept {
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

func conceptHead(line string) concept {
	name, rest, _ := strings.Cut(line[1:], "]")
	c := concept{name: name}
	for setting := range strings.FieldsSeq(rest) {
		key, value, _ := strings.Cut(setting, "=")
		if key == "shape" {
			c.shape = Shape(value)
		} else {
			c.not = strings.Split(value, ",")
		}
	}
	return c
}

// patternsOf reads "weight: TERMS | TERMS" and "weight TOPIC,TOPIC: TERMS".
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

func conceptOf(terms []string) *concept {
	all := theConcepts()
	for i := range all {
		if all[i].has(terms) {
			return &all[i]
		}
	}
	if less := lexicon.Without(terms, lexicon.DocumentTerms); len(less) > 0 && len(less) < len(terms) {
		return conceptOf(less)
	}
	return nil
}

func (c *concept) has(terms []string) bool {
	const leastWeight = 0.8 // the weaker patterns answer, they do not name
	return slices.ContainsFunc(c.patterns, func(p Pattern) bool {
		return p.Weight >= leastWeight && len(p.topics) == 0 && lexicon.SameTerms(p.Terms, terms)
	})
}

// conceptWithin finds the concept of the longest pattern within a description that has the named terms too.
func conceptWithin(told, named []string) *concept {
	const leastWeight = 0.9
	var best *concept
	size := 0
	all := theConcepts()
	for i := range all {
		for _, p := range all[i].patterns {
			longer := p.Weight >= leastWeight && len(p.topics) == 0 && len(p.Terms) > size
			if longer && lexicon.Subset(p.Terms, told) && !lexicon.AllGeneric(p.Terms) && sharesTerm(p.Terms, named) {
				best, size = &all[i], len(p.Terms)
			}
		}
	}
	return best
}

func sharesTerm(terms, named []string) bool {
	known := slices.ContainsFunc(named, lexicon.IsTerm)
	return !known || slices.ContainsFunc(named, func(t string) bool { return slices.Contains(terms, t) })
}

// nearest prefers the pattern that has the very terms of a name, by little.
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
