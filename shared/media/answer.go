package media

import (
	"unicode/utf8"

	"portside/documents"
	"portside/documents/answers"
)

// Answer is what a question came to, in the form in which it is sent and kept.
type Answer struct {
	Summary   string             `json:"summary,omitempty"`
	Extracted map[string]any     `json:"extracted_data,omitzero"` // Value by name, or Compared by name
	Evidence  map[string][]Quote `json:"evidence,omitzero"`
	Warnings  []string           `json:"warnings"`
}

// Quote is a piece of evidence as callers see it.
type Quote struct {
	Quote      string  `json:"quote" doc:"Exactly as in the file's text." example:"Total: 1.234,50 €"`
	File       int     `json:"file,omitempty" doc:"Of a comparison: 1 or 2."`
	Page       int     `json:"page" doc:"From 1; 0 where the file has no pages." example:"1"`
	Start      int     `json:"start" doc:"Where the quote begins in the file's text, in characters." example:"412"`
	End        int     `json:"end" doc:"Where it ends." example:"429"`
	Confidence float64 `json:"confidence" minimum:"0" maximum:"1" example:"0.93"`
}

// Compared is one variable of a comparison.
type Compared struct {
	Data          string `json:"data" doc:"Value in the first file; empty where there is none."`
	DataToCompare string `json:"data_to_compare" doc:"Value in the second file; empty where there is none."`
	Comparison    string `json:"comparison" doc:"How they compare, in words of the language asked for."`
}

func valuesOf(e answers.Extraction) map[string]any {
	all := make(map[string]any, len(e.Values))
	for name, value := range e.Values {
		all[name] = value
	}
	return all
}

// addQuotes adds the evidence of an extraction. Its offsets count bytes, those of a Quote count characters.
func addQuotes(into map[string][]Quote, e answers.Extraction, d *documents.Document, file int) {
	text := d.Text()
	for name, all := range e.Evidence {
		for _, found := range all {
			start := utf8.RuneCountInString(text[:found.Start])
			into[name] = append(into[name], Quote{
				Quote: found.Quote, File: file, Page: found.Page, Start: start,
				End: start + utf8.RuneCountInString(found.Quote), Confidence: found.Confidence,
			})
		}
	}
}

// comparedValues joins what both documents say of each variable.
func comparedValues(c answers.Comparison, variables []answers.Variable) map[string]any {
	all := make(map[string]any, len(variables))
	for _, v := range variables {
		all[v.Name] = Compared{
			Data: textOf(c.First, v.Name), DataToCompare: textOf(c.Second, v.Name), Comparison: c.Words[v.Name],
		}
	}
	return all
}

// textOf returns a value as text: a day in ISO 8601, a number as a plain decimal; empty if the value was not found.
func textOf(e answers.Extraction, name string) string {
	if value := e.Values[name]; value.Found() {
		return value.Text
	}
	return ""
}
