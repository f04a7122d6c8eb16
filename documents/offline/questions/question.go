package questions

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"portside/documents/answers"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// Question is what a variable asks for.
type Question struct {
	Variable         answers.Variable
	Concept          string // name of a known concept; empty for other questions
	Shape            Shape
	Excluded         []string        // terms that give a label another meaning
	Patterns         []Pattern       // labels that would answer
	Optional         []string        // terms that a label may lack
	NameTerms        []string        // terms of the name
	DescriptionTerms []string        // terms of the description
	AcceptsStart     bool            // the answer may be the date with which a period begins
	End              End             // the end of a range that the variable asks for
	WithoutEnd       *Question       // the question without the words for an end; nil if it has none
	Relevant         map[string]bool // terms of the document that match a pattern; set when the question is fitted to a document
	words            map[string]bool // of the name and the description
}

// The weights of the words of a description. Words of the name have weight 1.
const (
	descriptionWeight = 0.97
	remarkWeight      = 0.95 // in brackets: often the name in the language of the document
)

const maxTextBytes = 300

// New works out what a variable asks for: by its name, and by its description if the name says
// little. A range has two ends, so the words that ask for one of them are separated from the rest.
func New(v answers.Variable) *Question {
	q := newQuestion(v)
	rest, asked := cutEnd(v)
	named := cmp.Or(endOfTerms(q.NameTerms), endOfConcept[q.Concept])
	if q.End = asked; asked == NoEnd || named != NoEnd && v.Type == answers.Date {
		q.End = named // "end of the initial term" asks for the end, although "initial" asks for the first of two values
	}
	if asked != NoEnd && (rest.Name != "" || rest.Description != "") {
		q.WithoutEnd = newQuestion(rest)
	}
	if q.AcceptsStart = q.asksForBeginning(); q.WithoutEnd != nil {
		q.WithoutEnd.AcceptsStart = q.AcceptsStart
	}
	return q
}

// newQuestion works out what a variable asks for, without separating words for an end.
func newQuestion(v answers.Variable) *Question {
	description, remark := cutRemark(Shorten(v.Description))
	q := &Question{Variable: v, NameTerms: termsOfName(v.Name, v.Type), DescriptionTerms: termsAsked(description, v.Type),
		Optional: impliedTerms[v.Type], words: map[string]bool{}}
	for _, w := range scan.Words(SplitName(v.Name) + " " + description) {
		q.words[w.Text] = true
	}
	if len(q.DescriptionTerms) > 0 && IsUninformative(v.Name) {
		q.NameTerms = q.DescriptionTerms
	}
	c, terms := q.meaning()
	if c != nil && fitsType(c.shape, v.Type) {
		q.Concept, q.Shape, q.Excluded, q.Patterns = c.name, c.shape, c.excluded, c.nearest(q.NameTerms)
	} else {
		q.Patterns = []Pattern{{Terms: terms, Weight: 1}}
		if v.Type == answers.Date {
			q.Optional = []string{"DATE", "DEADLINE"}
		}
		q.Shape = guessedShape(append(slices.Clone(terms), q.NameTerms...), v.Type)
		q.addPattern(q.NameTerms, 1)
		q.addPattern(q.DescriptionTerms, descriptionWeight)
	}
	q.addPattern(termsAsked(remark, v.Type), remarkWeight)
	if slices.Contains(q.DescriptionTerms, "RATE") && v.Type == answers.Number {
		q.Shape = PercentShape
	}
	q.addOptional()
	return q
}

// meaning returns the concept of a variable, or nil and the terms to look for.
func (q *Question) meaning() (*concept, []string) {
	c := conceptOf(q.NameTerms)
	described := conceptOf(q.DescriptionTerms)
	isVague := lexicon.AllGeneric(q.NameTerms) || len(q.NameTerms) < len(q.DescriptionTerms) &&
		lexicon.Subset(q.NameTerms, q.DescriptionTerms)
	switch {
	case described != nil && described != c && isVague && fitsType(described.shape, q.Variable.Type):
		return described, q.NameTerms
	case c == nil && lexicon.AllGeneric(q.NameTerms):
		if within := conceptWithin(q.DescriptionTerms, q.NameTerms); within != nil || len(q.DescriptionTerms) == 0 {
			return within, q.NameTerms
		}
		return nil, q.DescriptionTerms
	case c != nil && len(q.NameTerms) == 1 && len(q.DescriptionTerms) > 1:
		if better := conceptWithin(q.DescriptionTerms, q.NameTerms); better != nil &&
			fitsType(better.shape, q.Variable.Type) {
			return better, q.NameTerms
		}
	}
	return c, q.NameTerms
}

// addPattern adds other words for the same label, if they are specific enough.
func (q *Question) addPattern(terms []string, weight float64) {
	known := func(p Pattern) bool { return lexicon.SameTerms(p.Terms, terms) }
	if len(lexicon.Without(terms, lexicon.GenericTerms)) > 0 && !slices.ContainsFunc(q.Patterns, known) {
		q.Patterns = append(q.Patterns, Pattern{Terms: terms, Weight: weight, FromDescription: weight < 1})
	}
}

// impliedTerms are the terms that a label may lack because the type of the variable implies them.
var impliedTerms = map[answers.Type][]string{
	answers.String:  {"NAME"},
	answers.Number:  {"AMOUNT", "NUMBER", "QUANTITY"},
	answers.Date:    {"DATE"},
	answers.Boolean: {"INCLUDED", "STATUS", "REQUIRED", "ALLOWED"},
}

// addOptional adds the terms that a label may lack because the shape of the value implies them.
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

// guessedShapes are tried in order; the first with the type and one of the terms applies.
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
	{AddressShape, answers.String, []string{"ADDRESS"}},
	{TimeShape, answers.String, []string{"TIME"}},
	{NameShape, answers.String, []string{"NAME", "RESPONSIBLE", "CUSTOMER", "SUPPLIER", "EMPLOYER", "EMPLOYEE", "PARTY", "SECRETARY"}},
}

// guessedShape returns the shape of the value by the terms of the variable, if no concept is known.
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

// fitsType reports whether a value of a shape can have a type.
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

// IsSpecific reports whether the variable says which date, number or name it asks for.
func (q *Question) IsSpecific() bool {
	return !lexicon.AllGeneric(q.NameTerms) || !lexicon.AllGeneric(q.DescriptionTerms)
}

// asksForBeginning reports whether the answer may be the date with which a period begins.
func (q *Question) asksForBeginning() bool {
	return q.End == FirstEnd || q.Concept == "contract start" ||
		slices.Contains(q.NameTerms, "START") || slices.Contains(q.DescriptionTerms, "START")
}

// AsksForCount reports whether the question asks how many things there are, and not for an amount, a time or a measure.
func (q *Question) AsksForCount() bool {
	measures := append([]string{"WEIGHT", "AREA", "AMOUNT", "PRICE"}, lexicon.TimeUnits...)
	return slices.Contains(q.NameTerms, "QUANTITY") && !lexicon.Overlap(measures, q.NameTerms)
}

// AsksForAccount reports whether the question asks for the number of a bank account.
func (q *Question) AsksForAccount() bool {
	return lexicon.Overlap([]string{"IBAN", "ACCOUNT", "BANK", "HOLDER"}, q.NameTerms)
}

// AsksWhenSent reports whether the answer may be the date on which a mail was sent. A question
// about a more specific date is about the content of the mail.
func (q *Question) AsksWhenSent() bool {
	return len(lexicon.Without(q.NameTerms, []string{"DATE", "DOCUMENT", "EMAIL", "ISSUE", "SENDER", "SHIPPED"})) == 0
}

// Unit returns the unit of time in the name of the variable, or an empty string.
func (q *Question) Unit() string {
	for _, t := range termsOfName(q.Variable.Name, q.Variable.Type) {
		if slices.Contains(lexicon.TimeUnits, t) {
			return t
		}
	}
	return ""
}

// cutRemark separates the part of a description that is in brackets.
func cutRemark(description string) (rest, remark string) {
	before, after, found := strings.Cut(description, "(")
	remark, end, closed := strings.Cut(after, ")")
	if !found || !closed {
		return description, ""
	}
	return before + " " + end, remark
}

// Shorten limits a text of the caller to the bytes that are looked at.
func Shorten(description string) string {
	return description[:min(len(description), maxTextBytes)]
}

// termsOfName returns the terms of a name in snake_case, camelCase and similar styles.
func termsOfName(name string, of answers.Type) []string { return termsAsked(SplitName(name), of) }

// shortWords have a capital within a word.
var shortWords = strings.NewReplacer("MwSt", "Mwst", "USt", "Ust")

// emptyNames are names of variables that say nothing.
var emptyNames = scan.LazySet("answer col column data field info input item key output param q question result val value var " +
	"variable x y z")

// IsUninformative reports whether a name has only single letters, fillers and words such as "field 3", so that the
// description must be used.
func IsUninformative(name string) bool {
	isInformative := func(w scan.Word) bool {
		word := strings.TrimRight(w.Text, "0123456789")
		return len([]rune(word)) > 1 && !lexicon.IsFiller(word) && !emptyNames()[word]
	}
	return !slices.ContainsFunc(scan.Words(SplitName(name)), isInformative)
}

// SplitName returns the words of a name with spaces between them.
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

// termsAsked returns the terms of a question without the words that only make it a question: "When
// does it end?" asks for an end.
func termsAsked(text string, of answers.Type) []string {
	return slices.DeleteFunc(questionGrammar().read(text, of), func(t string) bool { return t[0] == '?' })
}

// Text returns the name and the description of the variable.
func (q *Question) Text() string { return q.Variable.Name + " " + q.Variable.Description }

// HasWords reports whether the name or the description of the variable has all words of a text.
func (q *Question) HasWords(text string) bool {
	wanted := scan.Words(text)
	return len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w scan.Word) bool { return !q.words[w.Text] })
}

// HasAnyWord reports whether the name or the description of the variable has one of the words.
func (q *Question) HasAnyWord(words map[string]bool) bool {
	for w := range q.words {
		if words[w] {
			return true
		}
	}
	return false
}
