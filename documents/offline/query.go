package offline

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"portside/documents/answers"
)

// query is a variable, understood.
type query struct {
	variable answers.Variable
	concept  string
	shape    shape
	not      []string
	patterns []pattern
	soft     []string        // terms that a label may lack, because the type says as much
	named    []string        // terms of the name
	told     []string        // terms of the description
	begins   bool            // the day with which a stretch of time begins is asked for
	end      end             // of a range or change that is asked for
	plain    *query          // the same without the words that ask for an end; nil if nothing is left
	touched  map[string]bool // terms of the document that meet any of the patterns
}

// How much the words of a description count beside those of a name.
const (
	byDescription = 0.97
	byRemark      = 0.95 // in brackets: often the name in the document's own language
)

// understand finds out what a variable means: by its name, and by its description where the name says little.
func understand(v answers.Variable) *query {
	q := understandWhole(v)
	rest, asked := cutEnd(v)
	if q.end = asked; asked == noEnd {
		q.end = endOfConcept[q.concept]
	} else if rest.Name != "" || rest.Description != "" {
		q.plain = understandWhole(rest)
	}
	if q.begins = q.asksForBeginning(); q.plain != nil {
		q.plain.begins = q.begins
	}
	return q
}

func understandWhole(v answers.Variable) *query {
	description, remark := cutRemark(boundedText(v.Description))
	q := &query{variable: v, named: termsOfName(v.Name), told: termsAsked(description), soft: softTerms[v.Type]}
	if len(q.told) > 0 && isNoise(v.Name) {
		q.named = q.told
	}
	c, terms := q.meaning()
	if c != nil && fits(c.shape, v.Type) {
		q.concept, q.shape, q.not, q.patterns = c.name, c.shape, c.not, c.nearest(q.named)
	} else {
		q.patterns = []pattern{{terms: terms, weight: 1}}
		if v.Type == answers.Date {
			q.soft = []string{"DATE", "DEADLINE"}
		}
		q.shape = guessedShape(append(slices.Clone(terms), q.named...), v.Type)
		q.also(q.named, 1)
		q.also(q.told, byDescription)
	}
	q.also(termsAsked(remark), byRemark)
	if slices.Contains(q.told, "RATE") && v.Type == answers.Number {
		q.shape = percentShape
	}
	q.soften()
	return q
}

// nearest prefers the pattern that has the very terms of a name, by little.
func (c *concept) nearest(named []string) []pattern {
	const other = 0.985
	patterns := slices.Clone(c.patterns)
	is := func(p pattern) bool { return sameSet(p.terms, named) }
	if !slices.ContainsFunc(patterns, is) {
		return patterns
	}
	for i := range patterns {
		if !is(patterns[i]) {
			patterns[i].weight *= other
		}
	}
	return patterns
}

// meaning is the concept of a variable, or the terms that it has to be looked for by.
func (q *query) meaning() (*concept, []string) {
	c := conceptOf(q.named)
	told := conceptOf(q.told)
	isVague := saysLittle(q.named) || len(q.named) < len(q.told) && subset(q.named, q.told)
	switch {
	case told != nil && told != c && isVague && fits(told.shape, q.variable.Type):
		return told, q.named
	case c == nil && saysLittle(q.named):
		if within := conceptWithin(q.told, q.named); within != nil || len(q.told) == 0 {
			return within, q.named
		}
		return nil, q.told
	case c != nil && len(q.named) == 1 && len(q.told) > 1:
		if better := conceptWithin(q.told, q.named); better != nil && fits(better.shape, q.variable.Type) {
			return better, q.named
		}
	}
	return c, q.named
}

// also takes other words for the same, if they say enough by themselves.
func (q *query) also(terms []string, weight float64) {
	known := func(p pattern) bool { return sameSet(p.terms, terms) }
	if len(without(terms, generic)) > 0 && !slices.ContainsFunc(q.patterns, known) {
		q.patterns = append(q.patterns, pattern{terms: terms, weight: weight, loose: weight < 1})
	}
}

// soften notes what the shape of the value says already.
func (q *query) soften() {
	switch q.shape {
	case idShape:
		q.soft = []string{"NUMBER"}
	case moneyShape:
		q.soft = []string{"AMOUNT", "COST"}
	case percentShape:
		q.soft = []string{"RATE", "AMOUNT"}
	case durationShape:
		q.soft = slices.Concat(q.soft, units)
	}
}

// guessedShapes are tried in this order.
var guessedShapes = []struct {
	shape shape
	of    answers.Type
	terms []string
}{
	{percentShape, answers.Number, []string{"RATE", "MARGIN", "GROWTH"}},
	{anyShape, answers.Number, []string{"QUANTITY"}},
	{moneyShape, answers.Number, []string{"AMOUNT", "PRICE", "COST", "FEE", "RENT", "SALARY", "REVENUE", "PROFIT", "BUDGET", "DEPOSIT",
		"DISCOUNT", "PREMIUM", "BALANCE", "SUBSIDY", "BONUS"}},
	{durationShape, answers.Number, []string{"TERM", "DAYS", "MONTHS", "YEARS", "WEEKS", "NOTICE"}},
	{durationShape, answers.String, []string{"TERM", "DAYS", "MONTHS", "YEARS", "WEEKS", "NOTICE"}},
	{idShape, answers.String, []string{"NUMBER", "TAXID"}},
	{timeShape, answers.String, []string{"TIME"}},
	{nameShape, answers.String, []string{"NAME", "RESPONSIBLE", "CUSTOMER", "SUPPLIER", "EMPLOYER", "EMPLOYEE", "PARTY", "SECRETARY"}},
}

func guessedShape(named []string, t answers.Type) shape {
	if t == answers.Date {
		return dateShape
	}
	for _, g := range guessedShapes {
		if g.of == t && slices.ContainsFunc(g.terms, func(x string) bool { return slices.Contains(named, x) }) {
			return g.shape
		}
	}
	return anyShape
}

// cutRemark takes out what a description says in brackets.
func cutRemark(description string) (rest, remark string) {
	before, after, found := strings.Cut(description, "(")
	remark, end, closed := strings.Cut(after, ")")
	if !found || !closed {
		return description, ""
	}
	return before + " " + end, remark
}

const mostToldBytes = 300

func boundedText(description string) string {
	return description[:min(len(description), mostToldBytes)]
}

// termsOfName splits a name as programmers write them.
func termsOfName(name string) []string { return termsAsked(spaced(name)) }

// shortWords have capitals within a word.
var shortWords = strings.NewReplacer("MwSt", "Mwst", "USt", "Ust")

// isNoise reports a name that says nothing beside a description: single letters and the small words of any language.
func isNoise(name string) bool {
	return !slices.ContainsFunc(wordsOf(spaced(name)), func(w word) bool { return len([]rune(w.text)) > 1 && !isSmall(w.text) })
}

// spaced writes a name with spaces between its words.
func spaced(name string) string {
	var out strings.Builder
	var before rune
	runes := []rune(shortWords.Replace(boundedText(name)))
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
	return out.String()
}

// termsAsked are the terms of a question without the words that only make it one: what is left of "When does it end?" is its
// end.
func termsAsked(text string) []string {
	all := theLexicon().mentions(wordsOf(text))
	matter := slices.DeleteFunc(slices.Clone(all), func(m mention) bool {
		return !isTerm(m.term) && questionWords()[fold(text[m.at.start:m.at.end])]
	})
	if len(matter) == 0 {
		matter = all
	}
	return labelTerms(matter)
}

var questionWords = sync.OnceValue(func() map[string]bool {
	return setOf(`when does do did is are was were be been what which who whom whose where how many much long it its this that there has
		have will can we you must should got get if per
		cuando quien quienes que cual cuales cuanto cuanta cuantos cuantas como donde se hay ha han debe tiene esta este fue son
		quando quem qual quais quanto quanta quantos quantas onde foi sao
		qui jusquau quel quelle quels quelles combien ou comment il elle t y jusque jusqu aux sont ete
		wann wer wen wem was welche welcher welches wie viel viele wo wird werden wurde wurden muss ist sind hat haben es gibt man
		chi che cosa quale quali quanti quante dove come si sono stato stata fino
		wanneer wie wat welke hoe veel hoeveel waar wordt worden moet zijn er
		nar vem vilka vilken vilket vad hur manga mycket lange var ar finns
		kiedy kto kogo jaki jaka jakie ile czy jest sa gdzie co zostal zostala zostalo
		cand cine care ce cat cata cati cate unde sunt`)
})
