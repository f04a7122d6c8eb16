// Package schema reads the JSON Schemas that ask for structured values. They are a subset of draft 2020-12.
//
// The keywords are type (also an array of one type and null), properties, required, items, enum, const, title,
// description, format (date), minimum, maximum, minItems and maxItems. additionalProperties may be false, because an
// answer has no others, and $schema may name the draft. Parse refuses all other keywords, because a keyword that has no
// effect would promise a check that does not happen.
package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
)

// Limits of a schema, which bound the size of an answer and the work for it.
const (
	MaxBytes      = 64 << 10
	MaxDepth      = 8
	MaxProperties = 200
	MaxRows       = 1000
	MaxNameChars  = 100  // of a property
	MaxTextChars  = 1000 // of a title or description
	MaxValues     = 1000 // of an enum
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
	Type        string
	Nullable    bool
	Title       string
	Description string
	Format      string
	Properties  []Property // in the order of the text
	Items       *Schema
	Enum        []single
	Const       *single
	Minimum     *big.Rat
	Maximum     *big.Rat
	MinItems    int
	MaxItems    int // MaxRows if the schema does not say
}

// Property is one named value of an object.
type Property struct {
	Name     string
	Required bool
	Schema   *Schema
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

// Parse reads a schema. All its errors are a *Problem, or several joined ones.
func Parse(text []byte) (*Schema, error) {
	if len(text) > MaxBytes {
		return nil, &Problem{Reason: fmt.Sprintf("has more than %d bytes", MaxBytes)}
	}
	if !json.Valid(text) {
		return nil, &Problem{Reason: "is not JSON"}
	}
	r := &reader{}
	return r.readSchema(text, "", 1)
}
