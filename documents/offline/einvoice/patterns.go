package einvoice

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"portside/documents/answers"
	"portside/documents/en16931"
)

//go:embed questions.txt
var questionsText string

// pattern is the meanings that ask for terms.
type pattern struct {
	terms    target
	kind     answers.Type // the only type of the variable; empty: any
	required [][]string   // of each list, the question has one or more meanings
	optional []string
	table    string // the table whose columns it is for, such as lineGroup; empty: it is for single values
}

// target is the terms that answer a question.
type target struct {
	codes     []en16931.Code
	mustAgree bool // all terms must have the same value; otherwise the first term with a value counts
}

func (t target) equals(other target) bool {
	return t.mustAgree == other.mustAgree && slices.Equal(t.codes, other.codes)
}

// rewrite replaces meanings by others.
type rewrite struct{ from, to []string }

type rules struct {
	rewrites []rewrite
	patterns []pattern
}

// The groups of questions.txt whose names are not meanings.
const (
	rewriteGroup   = "REWRITES"
	lineGroup      = "LINE"
	breakdownGroup = "BREAKDOWN"
	sellerGroup    = "SELLER"
	buyerGroup     = "BUYER"
	deliveryGroup  = "DELIVERY"
)

var allRules = sync.OnceValue(func() rules {
	var r rules
	group := ""
	for line := range strings.Lines(questionsText) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			group = strings.Trim(line, "[]")
		case group == rewriteGroup:
			from, to, _ := strings.Cut(line, " >")
			r.rewrites = append(r.rewrites, rewrite{strings.Fields(from), strings.Fields(to)})
		default:
			r.patterns = append(r.patterns, parsePattern(line, group))
		}
	}
	return r
})

// parsePattern parses "BT-1>BT-2 string: A/B C?" below the name of a group.
func parsePattern(line, group string) pattern {
	head, meanings, _ := strings.Cut(line, ": ")
	codes, kind, _ := strings.Cut(head, " ")
	p := pattern{kind: answers.Type(kind), optional: []string{"INVOICE"}}
	p.terms.mustAgree = strings.Contains(codes, "=")
	for code := range strings.FieldsFuncSeq(codes, func(r rune) bool { return r == '>' || r == '=' }) {
		p.terms.codes = append(p.terms.codes, en16931.ParseCode(code))
	}
	switch group {
	case lineGroup:
		p.table, p.optional = group, append(p.optional, "LINE", "ITEM")
	case breakdownGroup:
		p.table = group
	case "":
	default:
		p.required = append(p.required, []string{group})
		p.optional = append(p.optional, "COMPANY")
		switch group {
		case sellerGroup:
			p.optional = append(p.optional, "ISSUE", "GOODS")
		case buyerGroup:
			p.optional = append(p.optional, "GOODS")
		case deliveryGroup:
			p.optional = append(p.optional, "RECIPIENT")
		}
	}
	for item := range strings.FieldsSeq(meanings) {
		if optional, is := strings.CutSuffix(item, "?"); is {
			p.optional = append(p.optional, optional)
		} else {
			p.required = append(p.required, strings.Split(item, "/"))
		}
	}
	return p
}

// score returns how many meanings of the pattern the question needs, or 0 if it does not match.
func (p pattern) score(a asked, t answers.Type) int {
	if p.kind != "" && p.kind != t || !canBe(en16931.TermOf(p.terms.codes[0]).Kind, t) {
		return 0
	}
	for _, choice := range p.required {
		if !slices.ContainsFunc(choice, a.has) {
			return 0
		}
	}
	if !p.allows(a.meanings) {
		return 0
	}
	return len(p.required)
}

// allows reports whether the pattern mentions all of the meanings.
func (p pattern) allows(meanings []string) bool {
	known := slices.Concat(append(p.required, p.optional)...)
	return !slices.ContainsFunc(meanings, func(m string) bool { return !slices.Contains(known, m) })
}

// canBe reports whether values of a kind can be read as a type.
func canBe(k en16931.Kind, t answers.Type) bool {
	switch t {
	case answers.Number:
		return k.IsNumber() || k == en16931.Text
	case answers.Date:
		return k == en16931.Date
	case answers.String:
		return true
	}
	return false
}

// match is the terms that a question asks for. If isClear is false, the question asks for one of several terms, without
// saying which.
type match struct {
	terms   target
	score   int
	isClear bool
	pattern pattern // the first one that matches best
}

// ofLines are the meanings that only lines have.
var ofLines = []string{"LINE", "ITEM", "QUANTITY", "STANDARD", "CLASSIFICATION", "ORIGIN", "ATTRIBUTE"}

// find returns the terms that a question asks for. A table makes it a question about a column of the table. A question
// about a single value may mention the lines.
func (r rules) find(a asked, t answers.Type, table string) (best match) {
	a = r.rewritten(a)
	if len(a.meanings) == 0 {
		return match{}
	}
	if t == answers.Date {
		a.add("DATE")
	}
	mentionsLines := table == "" && slices.ContainsFunc(ofLines, a.has)
	for _, p := range r.patterns {
		if isForLines := mentionsLines && p.table == lineGroup; p.table != table && !isForLines {
			continue
		}
		score := p.score(a, t)
		switch {
		case score > best.score:
			best = match{p.terms, score, true, p}
		case score == best.score && score > 0 && !p.terms.equals(best.terms):
			best.isClear = false
		}
	}
	return best
}

// rewritten applies the rewrites to a copy of the meanings.
func (r rules) rewritten(a asked) asked {
	a.meanings = slices.Clone(a.meanings)
	for _, rule := range r.rewrites {
		if slices.ContainsFunc(rule.from, func(m string) bool { return !a.has(m) }) {
			continue
		}
		a.meanings = slices.DeleteFunc(a.meanings, func(m string) bool { return slices.Contains(rule.from, m) })
		for _, m := range rule.to {
			a.add(m)
		}
	}
	return a
}
