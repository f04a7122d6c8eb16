package einvoice

import (
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/en16931"
)

// Invoice has the terms of the e-invoice in a document.
type Invoice struct {
	values map[en16931.Code][]place
	places []termPlace                         // of all terms, in the order of the text
	tables map[string][]map[en16931.Code]place // the records of the lines and of the VAT breakdown
}

// place is where the text of a document has a value.
type place struct {
	text        string
	start, page int
}

// termPlace is a place of a term.
type termPlace struct {
	place
	code en16931.Code
}

// Read returns the e-invoice in a document, or nil if it has none.
func Read(d *documents.Document) *Invoice {
	found := &Invoice{values: map[en16931.Code][]place{}, tables: map[string][]map[en16931.Code]place{}}
	for i := range d.Blocks {
		b := &d.Blocks[i]
		line := map[en16931.Code]place{}
		for _, c := range b.Cells {
			if c.Term == 0 || c.Text == "" {
				continue
			}
			p := place{c.Text, c.Start, b.Page}
			found.values[c.Term] = append(found.values[c.Term], p)
			found.places = append(found.places, termPlace{p, c.Term})
			if b.Kind == documents.Row {
				line[c.Term] = p
			} else if en16931.IsInBreakdown(c.Term) {
				found.addToBreakdown(c.Term, p)
			}
		}
		if len(line) > 0 {
			found.tables[lineGroup] = append(found.tables[lineGroup], line)
		}
	}
	if len(found.values) == 0 {
		return nil
	}
	return found
}

// addToBreakdown adds a value to the last record of the VAT breakdown. A record has its terms in the order of their
// codes, so another one begins where the codes do not grow.
func (i *Invoice) addToBreakdown(code en16931.Code, p place) {
	all := i.tables[breakdownGroup]
	if n := len(all); n > 0 && slices.Max(slices.Collect(maps.Keys(all[n-1]))) < code {
		all[n-1][code] = p
		return
	}
	i.tables[breakdownGroup] = append(all, map[en16931.Code]place{code: p})
}

// Answer is what an e-invoice says about a variable.
type Answer struct {
	Code       en16931.Code // 0 without a value
	Value      answers.Value
	Evidence   answers.Evidence
	Candidates []answers.Candidate // of a question that does not say which of them it asks for
}

// confidence is the confidence of a value that was read at the path of its term.
const confidence = 0.99

// Answer returns the value of the term that a variable asks for. isTerm is false if the variable asks for no term of
// the standard, or if its question is not understood.
func (i *Invoice) Answer(v answers.Variable) (a Answer, isTerm bool) {
	asked := understand(v, "")
	if asked.score == 0 {
		return Answer{}, false
	}
	found := i.distinct(asked.terms, v.Type)
	if len(found) == 1 && asked.isClear {
		return found[0], true
	}
	for _, other := range found {
		other.Evidence.Confidence /= float64(len(found) + 1)
		a.Candidates = append(a.Candidates, answers.Candidate{Value: other.Value, Evidence: other.Evidence})
	}
	return a, true
}

// distinct returns the different values of terms, but not more than anybody would choose from.
func (i *Invoice) distinct(terms target, t answers.Type) (found []Answer) {
	const maxFound = 20
	for _, code := range terms.codes {
		for _, p := range i.values[code] {
			value, isTyped := valueOf(p.text, code, t)
			isKnown := slices.ContainsFunc(found, func(other Answer) bool { return other.Value == value })
			if !isTyped || isKnown {
				continue
			}
			if found = append(found, Answer{Code: code, Value: value, Evidence: p.evidence(confidence)}); len(found) == maxFound {
				return found
			}
		}
		if len(found) > 0 && !terms.mustAgree {
			break
		}
	}
	return found
}

// MayAnswer reports whether the text at an offset may answer a variable that Answer does not understand. The value of a
// term answers only questions that ask for this term if words without a known meaning are left out.
func (i *Invoice) MayAnswer(v answers.Variable, at int) bool {
	n := sort.Search(len(i.places), func(n int) bool { return i.places[n].start > at }) - 1
	if n < 0 || at >= i.places[n].start+len(i.places[n].text) || v.Type == answers.Boolean {
		return true
	}
	return slices.Contains(understandKnown(v).terms.codes, i.places[n].code)
}

func (p place) evidence(confidence float64) answers.Evidence {
	return answers.Evidence{Quote: p.text, Start: p.start, Page: p.page, Confidence: confidence}
}

var (
	decimal = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]*)?$`) // a number in XML
	day     = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
)

// valueOf reads a text as a type. The text of an amount ends with its currency, and that of a percentage with its sign.
func valueOf(text string, code en16931.Code, t answers.Type) (answers.Value, bool) {
	switch t {
	case answers.String:
		return answers.Value{Type: t, Text: text}, true
	case answers.Date:
		return answers.Value{Type: t, Text: text}, day.MatchString(text)
	case answers.Number:
		if en16931.TermOf(code).Kind.IsNumber() {
			text, _, _ = strings.Cut(text, " ")
		}
		return answers.Value{Type: t, Text: plain(text)}, decimal.MatchString(text)
	}
	return answers.Value{}, false
}

// plain returns a number without a plus sign and needless zeros.
func plain(number string) string {
	sign, rest := "", strings.TrimPrefix(number, "+")
	if negative, is := strings.CutPrefix(rest, "-"); is {
		sign, rest = "-", negative
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		return sign + whole + "." + fraction
	}
	if whole == "0" {
		return whole
	}
	return sign + whole
}
