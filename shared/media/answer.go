package media

import (
	"unicode/utf8"
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

func (e Extraction) values() map[string]any {
	all := make(map[string]any, len(e.Values))
	for name, value := range e.Values {
		all[name] = value
	}
	return all
}

// quotes turns evidence about a document into that of an answer: offsets count characters there.
func (e Extraction) quotes(d *Document, file int, into map[string][]Quote) {
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

// compared joins what both documents say of each variable.
func (c Comparison) compared(variables []Variable) map[string]any {
	all := make(map[string]any, len(variables))
	for _, v := range variables {
		all[v.Name] = Compared{
			Data: c.First.shown(v.Name), DataToCompare: c.Second.shown(v.Name), Comparison: c.Words[v.Name],
		}
	}
	return all
}

// shown is a value as text, as an extraction answers it: a day in ISO 8601, a plain decimal number; empty if it was not found.
func (e Extraction) shown(name string) string {
	if value := e.Values[name]; value.Found() {
		return value.Text
	}
	return ""
}

// checked drops what an engine may not return: values of another type than asked for, or without a quote that is in the
// document. A value is null then, rather than a guess.
func (e Extraction) checked(d *Document, variables []Variable) Extraction {
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
