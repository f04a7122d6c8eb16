// Package answers has the types of questions about documents and of their answers. An [Engine] summarizes a document,
// extracts the values of variables from it with the quotes that prove them, or compares two documents. Package offline
// has an engine that needs no model.
package answers

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"portside/documents"
)

// Lang is the ISO 639-1 code of a language.
type Lang string

// Langs returns the languages that answers are written in, in the order in which they are listed for people.
func Langs() []Lang { return []Lang{"en", "es", "pt", "fr", "de", "it", "nl", "sv", "pl", "ro"} }

// Shape is the layout of a summary.
type Shape string

// The shapes.
const (
	AsParagraph Shape = "paragraph"
	AsBullets   Shape = "bullet"
)

// Length is the length of a summary.
type Length string

// The lengths.
const (
	Short  Length = "short"
	Medium Length = "medium"
	Long   Length = "long"
)

// SummarySettings are the settings of a summary.
type SummarySettings struct {
	Shape  Shape
	Length Length
	Lang   Lang   // if empty, the language of the document
	Hint   string // what the summary should focus on; optional
}

// Summary is a summary of a document.
type Summary struct {
	Text     string // bullets are lines that begin with "- "
	Warnings []string
}

// Type is the type of a variable.
type Type string

// The types of variables.
const (
	String  Type = "string"
	Number  Type = "number"
	Date    Type = "date" // a calendar day in ISO 8601
	Boolean Type = "boolean"
)

// Variable is a value to look for in a document. Name and Description come from clients and are untrusted: an engine
// takes them as a question and never as an instruction.
type Variable struct {
	Name        string
	Type        Type
	Description string
}

// Table is a list of records to look for in a document, such as the line items of an invoice. Its texts are as
// untrusted as those of a Variable.
type Table struct {
	Name        string
	Description string
	Columns     []Variable
	MaxRows     int
}

// Row is a record of a Table.
type Row struct {
	Values   map[string]Value      // by column; columns without a value are missing
	Evidence map[string][]Evidence // for each value
}

// Value is the value of a variable. The zero Value means that it was not found, and is encoded as null.
type Value struct {
	Type Type   // empty if not found
	Text string // a String as in the document, a Number in plain decimals, a Date in ISO 8601, a Boolean as true or false
}

// Found reports whether there is a value.
func (v Value) Found() bool { return v.Type != "" }

// Number returns a Number as a float, or NaN if the text is not a number.
func (v Value) Number() float64 {
	n, err := strconv.ParseFloat(v.Text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// isValid reports whether the text fits the type.
func (v Value) isValid() bool {
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

// Evidence is the place in the document that a value comes from.
type Evidence struct {
	Quote      string  // exactly as in the document's text
	Start      int     // offset in the document's text, in bytes
	Page       int     // from 1; 0 if the format has no pages
	Confidence float64 // from 0 to 1
}

// Candidate is a value that may be the one of a variable, and its place.
type Candidate struct {
	Value    Value
	Evidence Evidence
}

// Extraction holds the values of variables.
type Extraction struct {
	Values     map[string]Value
	Evidence   map[string][]Evidence  // for the values that were found
	Candidates map[string][]Candidate // if the settings ask for them: the likeliest values, the best first
	Rows       map[string][]Row       // the records of tables, in the order of the document
	Warnings   []string
}

// Checked returns the extraction that the settings ask for. It replaces a value by null if the value does not have the
// variable's type, has no quote that the document contains, or has less confidence than the settings ask for, because a
// caller could not tell such a value from a fact. A value with too little confidence is a candidate.
//
// The confidence of a value is at most the OCR confidence of its words. If the settings set no minimum, a value whose
// words are hard to read is also null.
func (e Extraction) Checked(d *documents.Document, s ExtractSettings) Extraction {
	kept := Extraction{
		Values: map[string]Value{}, Evidence: map[string][]Evidence{}, Candidates: map[string][]Candidate{},
		Warnings: e.Warnings,
	}
	for _, t := range s.Tables {
		if kept.Rows == nil {
			kept.Rows = map[string][]Row{}
		}
		kept.Rows[t.Name] = checkedRows(e.Rows[t.Name], d, t, s.MinConfidence)
	}
	for _, v := range s.Variables {
		all := validCandidates(e.Candidates[v.Name], d, v.Type)
		value, quotes := e.Values[v.Name], validQuotes(e.Evidence[v.Name], d)
		switch {
		case value.Type != v.Type || len(quotes) == 0 || !value.isValid():
			value, quotes = Value{}, nil
		case !quotes[0].suffices(d, s.MinConfidence):
			if len(all) == 0 {
				all = []Candidate{{value, quotes[0]}}
			}
			value, quotes = Value{}, nil
		}
		kept.Values[v.Name] = value
		if quotes != nil {
			kept.Evidence[v.Name] = quotes
		}
		if len(all) > 0 && s.MaxCandidates > 0 {
			kept.Candidates[v.Name] = all[:min(len(all), s.MaxCandidates)]
		}
	}
	return kept
}

// checkedRows returns the rows with only the values that pass the checks of Checked. It leaves out rows without values.
func checkedRows(rows []Row, d *documents.Document, t Table, minConfidence float64) []Row {
	var kept []Row
	for _, row := range rows[:min(len(rows), t.MaxRows)] {
		checked := Row{map[string]Value{}, map[string][]Evidence{}}
		for _, column := range t.Columns {
			value, quotes := row.Values[column.Name], validQuotes(row.Evidence[column.Name], d)
			if value.Type == column.Type && value.isValid() && len(quotes) > 0 && quotes[0].suffices(d, minConfidence) {
				checked.Values[column.Name], checked.Evidence[column.Name] = value, quotes
			}
		}
		if len(checked.Values) > 0 {
			kept = append(kept, checked)
		}
	}
	return kept
}

// minReading is the least confidence of the OCR in the words of a value, if the settings set no minimum.
const minReading = 0.7

// suffices reports whether evidence has the confidence that the settings require.
func (e Evidence) suffices(d *documents.Document, minConfidence float64) bool {
	if minConfidence > 0 {
		return e.Confidence >= minConfidence
	}
	return 1-d.DoubtOf(e.Start, e.Start+len(e.Quote)) >= minReading
}

// validCandidates returns the candidates that have the type and a quote of the text.
func validCandidates(all []Candidate, d *documents.Document, t Type) []Candidate {
	var kept []Candidate
	for _, c := range all {
		quotes := validQuotes([]Evidence{c.Evidence}, d)
		if c.Value.Type == t && c.Value.isValid() && len(quotes) > 0 {
			kept = append(kept, Candidate{c.Value, quotes[0]})
		}
	}
	return kept
}

// validQuotes returns the quotes that are in the text at their positions. It limits their confidence to the OCR
// confidence of their words.
func validQuotes(all []Evidence, d *documents.Document) []Evidence {
	text := d.Text()
	var kept []Evidence
	for _, e := range all {
		end := e.Start + len(e.Quote)
		if e.Quote != "" && e.Start >= 0 && end <= len(text) && text[e.Start:end] == e.Quote {
			e.Confidence = min(e.Confidence, 1-d.DoubtOf(e.Start, end))
			kept = append(kept, e)
		}
	}
	return kept
}

// Comparison holds the values of variables in two documents, and how they differ.
type Comparison struct {
	First, Second Extraction
	Words         map[string]string // how the values of each variable compare, in the language of the settings
	Warnings      []string
}

// ExtractSettings are the settings of an extraction.
type ExtractSettings struct {
	Variables     []Variable
	Tables        []Table
	Lang          Lang    // if empty, the language of the document
	MinConfidence float64 // the least confidence of a value; 0: what the engine finds enough
	MaxCandidates int     // of each variable; 0: the extraction has no candidates
}

// CompareSettings are the settings of a comparison.
type CompareSettings struct {
	Variables     []Variable
	Lang          Lang
	Prompt        string  // what the comparison should focus on; optional
	MinConfidence float64 // as in ExtractSettings
	MaxCandidates int     // of each variable; at least one, which shows whether a comparison is in doubt
}

// Extraction returns the settings for the extraction from each of the documents.
func (s CompareSettings) Extraction() ExtractSettings {
	return ExtractSettings{
		Variables: s.Variables, Lang: s.Lang, MinConfidence: s.MinConfidence, MaxCandidates: max(1, s.MaxCandidates),
	}
}

// Engine answers questions about documents. It treats the text of a document as data, never as instructions. Every
// value that it returns has the variable's type and a quote that the document contains.
type Engine interface {
	// Version returns the name and revision of the engine. The same version gives the same answer to the same question.
	Version() string
	Summarize(ctx context.Context, d *documents.Document, s SummarySettings) (Summary, error)
	Extract(ctx context.Context, d *documents.Document, s ExtractSettings) (Extraction, error)
	Compare(ctx context.Context, first, second *documents.Document, s CompareSettings) (Comparison, error)
}
