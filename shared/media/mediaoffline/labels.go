package mediaoffline

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"portside/shared/media"
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
)

// pattern is a label that would answer, with how well it would.
type pattern struct {
	terms  []string
	weight float64
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

func patternsOf(line string) []pattern {
	weight, forms, _ := strings.Cut(line, ":")
	w, err := strconv.ParseFloat(weight, 64)
	if err != nil {
		return nil
	}
	var all []pattern
	for form := range strings.SplitSeq(forms, "|") {
		all = append(all, pattern{strings.Fields(form), w})
	}
	return all
}

// query is a variable, understood.
type query struct {
	variable media.Variable
	concept  string
	shape    shape
	not      []string
	patterns []pattern
	soft     []string // terms that a label may lack, because the type says as much
	told     []string // terms of the description
}

// understand finds out what a variable means: by its name, and by its description where the name says little.
func understand(v media.Variable) *query {
	named := termsOfName(v.Name)
	own := named
	told := labelTerms(theLexicon().mentions(wordsOf(boundedText(v.Description))))
	q := &query{variable: v, told: told, soft: softTerms[v.Type]}
	c := conceptOf(named)
	if c == nil && saysLittle(named) {
		if c = conceptWithin(told, named); c == nil && len(told) > 0 {
			named = told
		}
	} else if c != nil && len(named) == 1 && len(told) > 1 {
		if better := conceptWithin(told, named); better != nil && fits(better.shape, v.Type) {
			c = better
		}
	}
	if c == nil || !fits(c.shape, v.Type) {
		q.patterns = []pattern{{named, 1}}
		if len(without(own, generic)) > 0 && !sameSet(own, named) {
			q.patterns = append(q.patterns, pattern{own, 1})
		}
		q.shape = guessedShape(named, v.Type)
		q.soften()
		return q
	}
	q.concept, q.shape, q.not, q.patterns = c.name, c.shape, c.not, c.patterns
	q.soften()
	return q
}

// soften notes what the shape of the value says already.
func (q *query) soften() {
	switch q.shape {
	case idShape:
		q.soft = []string{"NUMBER"}
	case moneyShape:
		q.soft = []string{"AMOUNT", "COST"}
	case durationShape:
		q.soft = slices.Concat(q.soft, units)
	}
}

// softTerms are said by the type already.
var softTerms = map[media.Type][]string{
	media.String:  {"NAME"},
	media.Number:  {"AMOUNT", "NUMBER"},
	media.Date:    {"DATE"},
	media.Boolean: {"INCLUDED", "STATUS", "REQUIRED", "ALLOWED"},
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
	return slices.ContainsFunc(c.patterns, func(p pattern) bool { return p.weight >= leastWeight && sameSet(p.terms, terms) })
}

// conceptWithin finds the concept of the longest pattern within a description that has the named terms too.
func conceptWithin(told, named []string) *concept {
	const leastWeight = 0.9
	var best *concept
	size := 0
	all := theConcepts()
	for i := range all {
		for _, p := range all[i].patterns {
			if p.weight >= leastWeight && len(p.terms) > size && subset(p.terms, told) && !saysLittle(p.terms) && touches(p.terms, named) {
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

func fits(s shape, t media.Type) bool {
	switch t {
	case media.Date:
		return s == dateShape
	case media.Number:
		return slices.Contains([]shape{moneyShape, percentShape, plainShape, durationShape, idShape, anyShape}, s)
	case media.Boolean:
		return false
	}
	return true
}

func guessedShape(named []string, t media.Type) shape {
	has := func(terms ...string) bool {
		return slices.ContainsFunc(terms, func(x string) bool { return slices.Contains(named, x) })
	}
	switch {
	case t == media.Date:
		return dateShape
	case t == media.Number && has("RATE", "MARGIN", "GROWTH"):
		return percentShape
	case t == media.Number && has("AMOUNT", "PRICE", "COST", "FEE", "RENT", "SALARY", "REVENUE", "PROFIT", "BUDGET", "DEPOSIT", "DISCOUNT"):
		return moneyShape
	case has("TERM", "DAYS", "MONTHS", "YEARS", "WEEKS", "NOTICE"):
		return durationShape
	case t == media.String && has("NUMBER"):
		return idShape
	case t == media.String && has("NAME", "RESPONSIBLE", "CUSTOMER", "SUPPLIER", "EMPLOYER", "EMPLOYEE", "PARTY", "SECRETARY"):
		return nameShape
	}
	return anyShape
}

const mostToldBytes = 300

func boundedText(description string) string {
	return description[:min(len(description), mostToldBytes)]
}

// termsOfName splits a name as programmers write them.
func termsOfName(name string) []string {
	var out strings.Builder
	var before rune
	runes := []rune(boundedText(name))
	for i, r := range runes {
		upperNext := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsUpper(before) && upperNext) {
			out.WriteByte(' ')
		}
		if r == '_' || r == '-' || r == '.' {
			r = ' '
		}
		out.WriteRune(r)
		before = r
	}
	return labelTerms(theLexicon().mentions(wordsOf(out.String())))
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
