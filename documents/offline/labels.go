package offline

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"portside/documents/answers"
)

//go:embed concepts.txt
var conceptsText string

// shape is what a value looks like, beyond its type.
type shape string

const (
	anyShape      shape = ""
	moneyShape    shape = "money"
	percentShape  shape = "percent"
	plainShape    shape = "plain"
	durationShape shape = "duration"
	dateShape     shape = "date"
	idShape       shape = "id"
	nameShape     shape = "name"
	listShape     shape = "list"
	textShape     shape = "text"
	lawShape      shape = "law"
	ibanShape     shape = "iban"
	emailShape    shape = "email"
	phoneShape    shape = "phone"
	currencyShape shape = "currency"
	timeShape     shape = "time"
)

// pattern is a label that would answer, with how well it would.
type pattern struct {
	terms  []string
	weight float64
	topics []string // kinds of document, one of which it must be; empty for all
	loose  bool     // a description's, which may have words that no label has
}

// concept is something that documents of business say under many names.
type concept struct {
	name     string
	shape    shape
	not      []string
	patterns []pattern
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
			c.shape = shape(value)
		} else {
			c.not = strings.Split(value, ",")
		}
	}
	return c
}

// patternsOf reads "weight: TERMS | TERMS" and "weight TOPIC,TOPIC: TERMS".
func patternsOf(line string) []pattern {
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
	var all []pattern
	for form := range strings.SplitSeq(forms, "|") {
		all = append(all, pattern{terms: strings.Fields(form), weight: w, topics: topics})
	}
	return all
}

// softTerms are said by the type already.
var softTerms = map[answers.Type][]string{
	answers.String:  {"NAME"},
	answers.Number:  {"AMOUNT", "NUMBER", "QUANTITY"},
	answers.Date:    {"DATE"},
	answers.Boolean: {"INCLUDED", "STATUS", "REQUIRED", "ALLOWED"},
}

// generic are terms that need others to mean something.
var generic = []string{
	"DATE", "NUMBER", "AMOUNT", "NAME", "ITEM", "DAYS", "MONTHS", "YEARS", "STATUS", "TITLE", "TERMS", "PLACE", "PERIOD", "TIME",
}

func saysLittle(named []string) bool {
	for _, t := range named {
		if isTerm(t) && !slices.Contains(generic, t) {
			return false
		}
	}
	return true
}

// isQualified reports that a variable says of what it asks the date.
func (q *query) isQualified() bool { return !saysLittle(q.named) || !saysLittle(q.told) }

// qualifies reports a term that says of what a label has the date, if it is not what the variable asks of.
func qualifies(t string, extra float64) bool {
	return (extra == otherTermExtra || extra == otherWordExtra) && !slices.Contains(generic, t) && !slices.Contains(anyDate, t)
}

// anyDate are what labels of dates say besides of what they have it: that it is that of the document itself.
var anyDate = []string{"DOCUMENT", "doc"}

// isTerm reports a term of the lexicon, not a word of its own.
func isTerm(t string) bool { return t[0] >= 'A' && t[0] <= 'Z' }

// docNouns say what kind of document something is about, which its labels rarely repeat.
var docNouns = []string{"INVOICE", "CONTRACT", "MEETING", "OFFER", "ORDER", "RECEIPT"}

func conceptOf(terms []string) *concept {
	all := theConcepts()
	for i := range all {
		if all[i].has(terms) {
			return &all[i]
		}
	}
	if less := without(terms, docNouns); len(less) > 0 && len(less) < len(terms) {
		return conceptOf(less)
	}
	return nil
}

func (c *concept) has(terms []string) bool {
	const leastWeight = 0.8 // the weaker patterns answer, they do not name
	return slices.ContainsFunc(c.patterns, func(p pattern) bool {
		return p.weight >= leastWeight && len(p.topics) == 0 && sameSet(p.terms, terms)
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
			longer := p.weight >= leastWeight && len(p.topics) == 0 && len(p.terms) > size
			if longer && subset(p.terms, told) && !saysLittle(p.terms) && touches(p.terms, named) {
				best, size = &all[i], len(p.terms)
			}
		}
	}
	return best
}

func touches(terms, named []string) bool {
	known := slices.ContainsFunc(named, isTerm)
	return !known || slices.ContainsFunc(named, func(t string) bool { return slices.Contains(terms, t) })
}

func subset(of, in []string) bool {
	return !slices.ContainsFunc(of, func(t string) bool { return !slices.Contains(in, t) })
}

func sameSet(a, b []string) bool { return subset(a, b) && subset(b, a) }

func without(terms, less []string) []string {
	var kept []string
	for _, t := range terms {
		if !slices.Contains(less, t) {
			kept = append(kept, t)
		}
	}
	return kept
}

func fits(s shape, t answers.Type) bool {
	switch t {
	case answers.Date:
		return s == dateShape
	case answers.Number:
		return slices.Contains([]shape{moneyShape, percentShape, plainShape, durationShape, idShape, anyShape}, s)
	case answers.Boolean:
		return false
	}
	return true
}

// labelTerms are the terms of a label, each once, small words left out unless there is nothing else.
func labelTerms(all []mention) []string {
	const most = 64 // no label has as many
	var terms []string
	for _, m := range all[:min(len(all), most)] {
		if (!m.small || len(all) == 1) && !slices.Contains(terms, m.term) {
			terms = append(terms, m.term)
		}
	}
	return terms
}
