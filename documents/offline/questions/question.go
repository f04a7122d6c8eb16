package questions

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"portside/documents/answers"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// asksForBeginning reports that the day with which a stretch of time begins may be meant.
func (q *Question) asksForBeginning() bool {
	return q.End == FirstEnd || q.AsksForStart() || slices.Contains(q.NameTerms, "START") || slices.Contains(q.DescriptionTerms, "START")
}

// asksWhenSent reports that the day on which a mail was sent may be meant: that of nothing that the mail speaks of.
func (q *Question) AsksWhenSent() bool {
	return len(lexicon.Without(q.NameTerms, []string{"DATE", "DOCUMENT", "EMAIL", "ISSUE", "SENDER", "SHIPPED"})) == 0
}

// softTerms are said by the type already.
var softTerms = map[answers.Type][]string{
	answers.String:  {"NAME"},
	answers.Number:  {"AMOUNT", "NUMBER", "QUANTITY"},
	answers.Date:    {"DATE"},
	answers.Boolean: {"INCLUDED", "STATUS", "REQUIRED", "ALLOWED"},
}

// isQualified reports that a variable says of what it asks the date.
func (q *Question) IsSpecific() bool {
	return !lexicon.AllGeneric(q.NameTerms) || !lexicon.AllGeneric(q.DescriptionTerms)
}

func fitsType(s Shape, t answers.Type) bool {
	switch t {
	case answers.Date:
		return s == DateShape
	case answers.Number:
		return slices.Contains([]Shape{MoneyShape, PercentShape, PlainShape, DurationShape, IDShape, AnyShape}, s)
	case answers.Boolean:
		return false
	}
	return true
}

// query is a variable, understood.
type Question struct {
	Variable         answers.Variable
	Concept          string
	Shape            Shape
	Excluded         []string
	Patterns         []Pattern
	Optional         []string        // terms that a label may lack, because the type says as much
	NameTerms        []string        // terms of the name
	DescriptionTerms []string        // terms of the description
	AcceptsStart     bool            // the day with which a stretch of time begins is asked for
	End              End             // of a range or change that is asked for
	WithoutEnd       *Question       // the same without the words that ask for an end; nil if nothing is left
	Relevant         map[string]bool // terms of the document that meet any of the patterns
}

// How much the words of a description count beside those of a name.
const (
	byDescription = 0.97
	byRemark      = 0.95 // in brackets: often the name in the document's own language
)

// understand finds out what a variable means: by its name, and by its description where the name says little.
func New(v answers.Variable) *Question {
	q := newQuestion(v)
	rest, asked := cutEnd(v)
	if q.End = asked; asked == NoEnd {
		q.End = endOfConcept[q.Concept]
	} else if rest.Name != "" || rest.Description != "" {
		q.WithoutEnd = newQuestion(rest)
	}
	if q.AcceptsStart = q.asksForBeginning(); q.WithoutEnd != nil {
		q.WithoutEnd.AcceptsStart = q.AcceptsStart
	}
	return q
}

func newQuestion(v answers.Variable) *Question {
	description, remark := cutRemark(Shorten(v.Description))
	q := &Question{Variable: v, NameTerms: termsOfName(v.Name), DescriptionTerms: termsAsked(description), Optional: softTerms[v.Type]}
	if len(q.DescriptionTerms) > 0 && IsUninformative(v.Name) {
		q.NameTerms = q.DescriptionTerms
	}
	c, terms := q.meaning()
	if c != nil && fitsType(c.shape, v.Type) {
		q.Concept, q.Shape, q.Excluded, q.Patterns = c.name, c.shape, c.not, c.nearest(q.NameTerms)
	} else {
		q.Patterns = []Pattern{{Terms: terms, Weight: 1}}
		if v.Type == answers.Date {
			q.Optional = []string{"DATE", "DEADLINE"}
		}
		q.Shape = guessedShape(append(slices.Clone(terms), q.NameTerms...), v.Type)
		q.addPattern(q.NameTerms, 1)
		q.addPattern(q.DescriptionTerms, byDescription)
	}
	q.addPattern(termsAsked(remark), byRemark)
	if slices.Contains(q.DescriptionTerms, "RATE") && v.Type == answers.Number {
		q.Shape = PercentShape
	}
	q.addOptional()
	return q
}

// meaning is the concept of a variable, or the terms that it has to be looked for by.
func (q *Question) meaning() (*concept, []string) {
	c := conceptOf(q.NameTerms)
	told := conceptOf(q.DescriptionTerms)
	isVague := lexicon.AllGeneric(q.NameTerms) || len(q.NameTerms) < len(q.DescriptionTerms) && lexicon.Subset(q.NameTerms, q.DescriptionTerms)
	switch {
	case told != nil && told != c && isVague && fitsType(told.shape, q.Variable.Type):
		return told, q.NameTerms
	case c == nil && lexicon.AllGeneric(q.NameTerms):
		if within := conceptWithin(q.DescriptionTerms, q.NameTerms); within != nil || len(q.DescriptionTerms) == 0 {
			return within, q.NameTerms
		}
		return nil, q.DescriptionTerms
	case c != nil && len(q.NameTerms) == 1 && len(q.DescriptionTerms) > 1:
		if better := conceptWithin(q.DescriptionTerms, q.NameTerms); better != nil && fitsType(better.shape, q.Variable.Type) {
			return better, q.NameTerms
		}
	}
	return c, q.NameTerms
}

// also takes other words for the same, if they say enough by themselves.
func (q *Question) addPattern(terms []string, weight float64) {
	known := func(p Pattern) bool { return lexicon.SameTerms(p.Terms, terms) }
	if len(lexicon.Without(terms, lexicon.GenericTerms)) > 0 && !slices.ContainsFunc(q.Patterns, known) {
		q.Patterns = append(q.Patterns, Pattern{Terms: terms, Weight: weight, FromDescription: weight < 1})
	}
}

// soften notes what the shape of the value says already.
func (q *Question) addOptional() {
	switch q.Shape {
	case IDShape:
		q.Optional = []string{"NUMBER"}
	case MoneyShape:
		q.Optional = []string{"AMOUNT", "COST"}
	case PercentShape:
		q.Optional = []string{"RATE", "AMOUNT"}
	case DurationShape:
		q.Optional = slices.Concat(q.Optional, lexicon.TimeUnits)
	}
}

// guessedShapes are tried in this order.
var guessedShapes = []struct {
	shape Shape
	of    answers.Type
	terms []string
}{
	{PercentShape, answers.Number, []string{"RATE", "MARGIN", "GROWTH"}},
	{AnyShape, answers.Number, []string{"QUANTITY"}},
	{MoneyShape, answers.Number, []string{"AMOUNT", "PRICE", "COST", "FEE", "RENT", "SALARY", "REVENUE", "PROFIT", "BUDGET", "DEPOSIT",
		"DISCOUNT", "PREMIUM", "BALANCE", "SUBSIDY", "BONUS"}},
	{DurationShape, answers.Number, []string{"TERM", "DAYS", "MONTHS", "YEARS", "WEEKS", "NOTICE"}},
	{DurationShape, answers.String, []string{"TERM", "DAYS", "MONTHS", "YEARS", "WEEKS", "NOTICE"}},
	{IDShape, answers.String, []string{"NUMBER", "TAXID"}},
	{TimeShape, answers.String, []string{"TIME"}},
	{NameShape, answers.String, []string{"NAME", "RESPONSIBLE", "CUSTOMER", "SUPPLIER", "EMPLOYER", "EMPLOYEE", "PARTY", "SECRETARY"}},
}

func guessedShape(named []string, t answers.Type) Shape {
	if t == answers.Date {
		return DateShape
	}
	for _, g := range guessedShapes {
		if g.of == t && slices.ContainsFunc(g.terms, func(x string) bool { return slices.Contains(named, x) }) {
			return g.shape
		}
	}
	return AnyShape
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

const maxTextBytes = 300

func Shorten(description string) string {
	return description[:min(len(description), maxTextBytes)]
}

// termsOfName splits a name as programmers write them.
func termsOfName(name string) []string { return termsAsked(SplitName(name)) }

// shortWords have capitals within a word.
var shortWords = strings.NewReplacer("MwSt", "Mwst", "USt", "Ust")

// isNoise reports a name that says nothing beside a description: single letters and the small words of any language.
func IsUninformative(name string) bool {
	return !slices.ContainsFunc(scan.Words(SplitName(name)), func(w scan.Word) bool { return len([]rune(w.Text)) > 1 && !lexicon.IsFiller(w.Text) })
}

// spaced writes a name with spaces between its words.
func SplitName(name string) string {
	var out strings.Builder
	var before rune
	runes := []rune(shortWords.Replace(Shorten(name)))
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
	all := lexicon.Business().Mentions(scan.Words(text))
	matter := slices.DeleteFunc(slices.Clone(all), func(m lexicon.Mention) bool {
		return !lexicon.IsTerm(m.Term) && questionWords()[scan.Fold(text[m.At.Start:m.At.End])]
	})
	if len(matter) == 0 {
		matter = all
	}
	return lexicon.LabelTerms(matter)
}

var questionWords = sync.OnceValue(func() map[string]bool {
	return scan.SetOf(`when does do did is are was were be been what which who whom whose where how many much long it its this that there has
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

func (q *Question) AsksForStart() bool { return q.asksFor("START", "contract start") }

func (q *Question) AsksForEnd() bool { return q.asksFor("END", "contract end") }

// asksFor reports that a variable asks for one end of a period.
func (q *Question) asksFor(end, concept string) bool {
	return q.Concept == concept || q.Variable.Type == answers.Date && slices.Contains(q.NameTerms, end) && len(lexicon.Without(q.NameTerms,
		[]string{end, "DATE", "TERM"})) == 0
}

// unit is the one that the variable's name asks for.
func (q *Question) Unit() string {
	for _, t := range termsOfName(q.Variable.Name) {
		if slices.Contains(lexicon.TimeUnits, t) {
			return t
		}
	}
	return ""
}
