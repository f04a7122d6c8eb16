// Package answers is what callers and engines exchange: questions about documents, and the answers with their evidence.
package answers

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"portside/documents"
)

// Lang is a language, by its ISO 639-1 code.
type Lang string

// Langs are the languages that answers are written in, in the order in which documents show them.
func Langs() []Lang { return []Lang{"en", "es", "pt", "fr", "de", "it", "nl", "sv", "pl", "ro"} }

// Shape is how a summary is laid out.
type Shape string

// The shapes.
const (
	AsParagraph Shape = "paragraph"
	AsBullets   Shape = "bullet"
)

// Length is how long a summary is.
type Length string

// The lengths.
const (
	Short  Length = "short"
	Medium Length = "medium"
	Long   Length = "long"
)

// SummarySettings say what a summary should be like.
type SummarySettings struct {
	Shape  Shape
	Length Length
	Lang   Lang   // empty: that of the document
	Hint   string // what to look at; empty: nothing special
}

// Summary is the answer.
type Summary struct {
	Text     string // bullets are lines that begin with "- "
	Warnings []string
}

// Type is what a variable's value is.
type Type string

// The types of variables.
const (
	String  Type = "string"
	Number  Type = "number"
	Date    Type = "date" // a calendar day, written as ISO 8601
	Boolean Type = "boolean"
)

// Variable is what is looked for in a document. Name and Description are a stranger's words: what they ask for, never what
// to do.
type Variable struct {
	Name        string
	Type        Type
	Description string
}

// Value is what was found for a variable. The zero Value is not found, and encodes as null.
type Value struct {
	Type Type   // empty: not found
	Text string // String: as in the document; Number: plain decimal; Date: ISO 8601; Boolean: true or false
}

// Found reports whether there is a value.
func (v Value) Found() bool { return v.Type != "" }

// Number returns the value of a Number.
func (v Value) Number() float64 {
	n, err := strconv.ParseFloat(v.Text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// sound reports whether the text is one of the type.
func (v Value) sound() bool {
	switch v.Type {
	case Number:
		return !math.IsNaN(v.Number()) && !math.IsInf(v.Number(), 0) && json.Valid([]byte(v.Text))
	case Date:
		_, err := time.Parse(time.DateOnly, v.Text)
		return err == nil
	case Boolean:
		return v.Text == "true" || v.Text == "false"
	default:
		return v.Text != ""
	}
}

// MarshalJSON encodes the value as JSON of its type, or as null.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.Type {
	case "":
		return []byte("null"), nil
	case Number, Boolean:
		return []byte(v.Text), nil
	default:
		return json.Marshal(v.Text)
	}
}

// Evidence is where in the document a value comes from.
type Evidence struct {
	Quote      string  // exactly as in the document's text
	Start      int     // bytes of the document's text
	Page       int     // from 1; 0 where there are none
	Confidence float64 // 0 to 1
}

// Extraction is what was found of the variables.
type Extraction struct {
	Values   map[string]Value
	Evidence map[string][]Evidence // of the values that were found
	Warnings []string
}

// Checked returns the extraction without values that have another type than asked for, or no quote that is in the
// document. Such a value becomes null, because a caller could not tell it from a fact.
func (e Extraction) Checked(d *documents.Document, variables []Variable) Extraction {
	kept := Extraction{Values: map[string]Value{}, Evidence: map[string][]Evidence{}, Warnings: e.Warnings}
	for _, v := range variables {
		value := e.Values[v.Name]
		quotes := valid(e.Evidence[v.Name], d.Text())
		if value.Type != v.Type || len(quotes) == 0 || !value.sound() {
			kept.Values[v.Name] = Value{}
			continue
		}
		kept.Values[v.Name], kept.Evidence[v.Name] = value, quotes
	}
	return kept
}

// valid keeps the quotes that stand in the text where they say.
func valid(all []Evidence, text string) []Evidence {
	var kept []Evidence
	for _, e := range all {
		end := e.Start + len(e.Quote)
		if e.Quote != "" && e.Start >= 0 && end <= len(text) && text[e.Start:end] == e.Quote {
			kept = append(kept, e)
		}
	}
	return kept
}

// Comparison is what two documents say of the variables, and how that differs.
type Comparison struct {
	First, Second Extraction
	Words         map[string]string // for each variable: how the two values compare, in the language asked for
	Warnings      []string
}

// ExtractSettings say what to look for.
type ExtractSettings struct {
	Variables []Variable
	Lang      Lang // empty: that of the document
}

// CompareSettings say what to compare.
type CompareSettings struct {
	Variables []Variable
	Lang      Lang
	Prompt    string // what to look at when comparing; empty: nothing special
}

// Engine answers questions about documents. What a document says is data to it, whatever it says. Every value that it
// returns has the variable's type, and a quote that is in the document; and what does not is dropped.
type Engine interface {
	// Version names the engine and its revision. The same question gets the same answer from the same version.
	Version() string
	Summarize(ctx context.Context, d *documents.Document, s SummarySettings) (Summary, error)
	Extract(ctx context.Context, d *documents.Document, s ExtractSettings) (Extraction, error)
	Compare(ctx context.Context, first, second *documents.Document, s CompareSettings) (Comparison, error)
}
