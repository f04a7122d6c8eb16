// Package schema reads the JSON Schemas that ask for structured values, as programs write them: of the drafts 4 to
// 2020-12, and of OpenAPI 3.
//
// Parse accepts a schema that says what to look for. It follows $ref within the schema and allOf. Of several types, or
// of several schemas in anyOf or oneOf, the first one determines the question, and a value may fit any of them. Parse
// refuses what no question can ask for, such as an object whose names are unknown, and schemas that contain themselves.
// Warnings name the keywords that have no effect.
package schema

import (
	"errors"
	"fmt"
	"math/big"
)

// Limits of a schema, which bound the size of an answer and the work for it.
const (
	MaxBytes      = 64 << 10
	MaxDepth      = 16
	MaxProperties = 200 // with those of referenced schemas, each time that they are referenced
	MaxRows       = 1000
	MaxNameChars  = 100  // of a property
	MaxTextChars  = 1000 // of a title or description
	MaxProblems   = 20   // that are reported
)

// The types of values.
const (
	Object  = "object"
	Array   = "array"
	String  = "string"
	Number  = "number"
	Integer = "integer"
	Boolean = "boolean"
)

// Schema describes one value.
type Schema struct {
	Type        string // the type that is asked for
	Title       string
	Description string
	Properties  []Property // in the order of the text
	Items       *Schema
	MinItems    int
	MaxItems    int // MaxRows if the schema does not say
	UniqueItems bool

	types    []string // that a value may have, without null; nil for any
	formats  []string
	patterns []pattern
	allowed  *enumeration
	lower    *bound
	upper    *bound
	factors  []*big.Rat // of which a number must be a multiple
	length   lengths
	choices  []choice
	required []*node // names of properties
	keys     []*node // names that propertyNames allows
	others   *node   // the schema of properties that properties does not mention; nil for any
	at       *node   // where the schema begins
	budget   *budget // of all checks for an answer
}

// Property is one named value of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// choice has the schemas of an anyOf or oneOf.
type choice struct {
	schemas []*Schema
	onlyOne bool // a value must fit exactly one of them
}

// Problem says why a schema is refused, and where.
type Problem struct {
	Place   string // a JSON Pointer to the schema that holds the keyword
	Keyword string // empty if the problem is the schema itself
	Reason  string
}

func (p *Problem) Error() string {
	place := p.Place
	if place == "" {
		place = "the root"
	}
	if p.Keyword == "" {
		return fmt.Sprintf("schema: at %s: %s", place, p.Reason)
	}
	return fmt.Sprintf("schema: %q at %s: %s", p.Keyword, place, p.Reason)
}

// Problems returns the problems in an error of Parse or NewPlan, up to MaxProblems of them.
func Problems(err error) []*Problem {
	if p, ok := err.(*Problem); ok { //nolint:errorlint // errors.As would return only the first of several
		return []*Problem{p}
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var all []*Problem
	for _, one := range joined.Unwrap() {
		all = append(all, Problems(one)...)
	}
	return all[:min(len(all), MaxProblems)]
}

// Parse reads a schema. The warnings name the keywords that have no effect. All its errors are a *Problem, or several
// joined ones.
func Parse(text []byte) (s *Schema, warnings []string, err error) {
	root, problem := parseNode(text)
	if problem != nil {
		return nil, nil, problem
	}
	r := newReader(root)
	s = r.read(root)
	if len(r.problems) > 0 {
		return nil, nil, errors.Join(r.problems...)
	}
	return s, r.notes.warnings(), nil
}
