// Package en16931 has the business terms of EN 16931, the European standard for electronic invoices: their codes,
// their kinds, and where they stand in the two syntaxes of the standard, CII (UN/CEFACT Cross Industry Invoice; also in
// ZUGFeRD and Factur-X) and UBL 2.1 (OASIS). The terms are in terms.txt.
package en16931

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed terms.txt
var termsText string

// Code is the number of a business term, such as 115 for BT-115. A group of terms, such as BG-5 for an address, has the
// negative number.
type Code int16

// String returns the code as the standard writes it.
func (c Code) String() string {
	if c < 0 {
		return "BG-" + strconv.Itoa(int(-c))
	}
	return "BT-" + strconv.Itoa(int(c))
}

// ParseCode reads a code such as BT-115, or returns 0.
func ParseCode(text string) Code {
	number, isTerm := strings.CutPrefix(text, "BT-")
	group, isGroup := strings.CutPrefix(text, "BG-")
	if isGroup {
		number = group
	}
	const bits = 16
	n, err := strconv.ParseInt(number, 10, bits)
	switch {
	case err != nil || !isTerm && !isGroup:
		return 0
	case isGroup:
		return Code(-n)
	}
	return Code(n)
}

// Kind is what the values of a term are.
type Kind string

// The kinds.
const (
	Text     Kind = "text" // also a code or an identifier
	Date     Kind = "date"
	Amount   Kind = "amount" // in a currency
	Percent  Kind = "percent"
	Quantity Kind = "quantity" // any other number
	Address  Kind = "address"  // composed of other terms
)

// IsNumber reports whether the values are numbers.
func (k Kind) IsNumber() bool { return k == Amount || k == Percent || k == Quantity }

// Term is a business term.
type Term struct {
	Code     Code
	Name     string // which documents use for it
	Kind     Kind
	CII, UBL []Path   // below the elements of the group
	Parts    [][]Code // of an address: its lines
}

// Group is terms that have an element in common, which may repeat.
type Group struct {
	Name     string
	CII, UBL []Path // below the root; a path without steps is the root
	Terms    []Term
}

// Path is the names of elements, one below the other.
type Path []Step

// Step is a name of an element or an attribute, with conditions.
type Step struct {
	Name       string
	Conditions []Condition
}

// Condition compares the value at a path below an element.
type Condition struct {
	Path  Path
	Value string
	Term  Code // if not 0, the value is that of the term
	Not   bool // the value must differ
	VATID bool // the element itself must have the shape of a VAT number
}

// Groups returns the groups and terms of an invoice, in the order in which documents have them.
var Groups = sync.OnceValue(func() []Group {
	groups := parse(termsText)
	return groups[:len(groups)-1]
})

// Lines returns the terms of the lines of an invoice.
var Lines = sync.OnceValue(func() Group {
	groups := parse(termsText)
	return groups[len(groups)-1]
})

// IsInBreakdown reports whether a term is one of the VAT breakdown, which has a record for each category and rate.
func IsInBreakdown(c Code) bool {
	const first, last = 116, 121
	return first <= c && c <= last
}

// terms has all terms by their code.
var terms = sync.OnceValue(func() map[Code]Term {
	all := map[Code]Term{}
	for _, g := range parse(termsText) {
		for _, t := range g.Terms {
			all[t.Code] = t
		}
	}
	return all
})

// TermOf returns the term with the code. Its name is empty if there is none.
func TermOf(c Code) Term { return terms()[c] }

func parse(text string) []Group {
	var groups []Group
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			cells := cellsOf(line[1 : len(line)-1])
			groups = append(groups, Group{Name: cells[0], CII: pathsOf(cells[1]), UBL: pathsOf(cells[2])})
			continue
		}
		cells := cellsOf(line)
		term := Term{Code: ParseCode(cells[0]), Name: cells[1], Kind: Kind(cells[2])}
		if term.Kind == Address {
			term.Parts = partsOf(cells[3])
		} else {
			term.CII, term.UBL = pathsOf(cells[3]), pathsOf(cells[4])
		}
		last := &groups[len(groups)-1]
		last.Terms = append(last.Terms, term)
	}
	return groups
}

// cellsOf returns the five cells of a line; missing ones are empty.
func cellsOf(line string) [5]string {
	var cells [5]string
	for i, cell := range strings.SplitN(line, "|", len(cells)) {
		cells[i] = strings.TrimSpace(cell)
	}
	return cells
}

// partsOf parses the lines of an address: "BT-35 BT-38+BT-37".
func partsOf(text string) [][]Code {
	var all [][]Code
	for line := range strings.FieldsSeq(text) {
		var codes []Code
		for code := range strings.SplitSeq(line, "+") {
			codes = append(codes, ParseCode(code))
		}
		all = append(all, codes)
	}
	return all
}

// pathsOf parses paths with semicolons between them. An empty text is no path.
func pathsOf(text string) []Path {
	var all []Path
	for path := range strings.SplitSeq(text, ";") {
		if path = strings.TrimSpace(path); path != "" {
			all = append(all, pathOf(path))
		}
	}
	return all
}

// pathOf parses "A/B[C/D=value]/E".
func pathOf(text string) Path {
	var path Path
	depth, from := 0, 0
	for i := range len(text) + 1 {
		switch {
		case i == len(text), text[i] == '/' && depth == 0:
			path = append(path, stepOf(text[from:i]))
			from = i + 1
		case text[i] == '[':
			depth++
		case text[i] == ']':
			depth--
		}
	}
	return path
}

func stepOf(text string) Step {
	parts := strings.Split(text, "[")
	step := Step{Name: parts[0]}
	for _, part := range parts[1:] {
		part = strings.TrimSuffix(part, "]")
		if part == "~vat" {
			step.Conditions = append(step.Conditions, Condition{VATID: true})
			continue
		}
		path, value, _ := strings.Cut(part, "=")
		positive := strings.TrimSuffix(path, "!")
		c := Condition{Path: pathOf(positive), Value: value, Not: positive != path}
		if term, isTerm := strings.CutPrefix(value, "@"); isTerm {
			c.Term = ParseCode(term)
		}
		step.Conditions = append(step.Conditions, c)
	}
	return step
}
