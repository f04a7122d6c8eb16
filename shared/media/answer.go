package media

import (
	"math"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/answers"
)

// Answer is the answer to a question, in the form in which it is sent and cached.
type Answer struct {
	Summary    string                 `json:"summary,omitempty"`
	Extracted  map[string]any         `json:"extracted_data,omitzero"` // answers.Value by name, or Compared by name
	Tables     map[string]Table       `json:"tables,omitzero"`         // of a comparison by a schema, by the JSON Pointers to the arrays
	Evidence   map[string][]Quote     `json:"evidence,omitzero"`
	Candidates map[string][]Candidate `json:"candidates,omitzero"` // of each variable, if the question asks for them
	Changes    []Change               `json:"changes,omitzero"`    // of a comparison without variables
	Texts      []Text                 `json:"texts,omitzero"`      // of the files, if the question asks for them
	Warnings   []string               `json:"warnings"`

	evidenceBytes int // about the size of Evidence and Candidates; see limitSize
}

// Candidate is a value that may be the one of a variable, in the form in which clients see it.
type Candidate struct {
	Value any `json:"value" doc:"The value, in the form of extracted_data." example:"1234.5"`
	Quote
}

// Quote is a piece of evidence in the form in which clients see it.
type Quote struct {
	Quote      string   `json:"quote" doc:"The words, exactly as in the text of the file." example:"Total: 1.234,50 €"`
	File       int      `json:"file,omitempty" doc:"Number of the file, starting at 1; missing if there is only one." example:"1"`
	Page       int      `json:"page" doc:"Page number, starting at 1; 0 if the file has no pages." example:"1"`
	Start      int      `json:"start" doc:"Position of the first character of the quote in the text of the file." example:"412"`
	End        int      `json:"end" doc:"Position after the last character of the quote." example:"429"`
	Confidence float64  `json:"confidence" minimum:"0" maximum:"1" example:"0.93"`
	Box        *Box     `json:"box,omitempty" doc:"Place of the quote on its page. Only for PDF files, and for pictures if their reader returns the positions of words."`
	Place      *Place   `json:"place,omitempty" doc:"Place of the quote in a file without boxes, in the terms of its format."`
	Time       *float64 `json:"time,omitempty" doc:"In a recording, the time at which the passage with the quote begins, in seconds." example:"12.5"`
}

// Place is where a quote stands in a file, in the terms of its format.
type Place struct {
	Sheet    string   `json:"sheet,omitempty" doc:"In a spreadsheet: the name of the sheet." example:"Invoice"`
	Cell     string   `json:"cell,omitempty" doc:"In a spreadsheet: the cell." example:"B7"`
	Slide    int      `json:"slide,omitempty" doc:"In a presentation: the number of the slide, from 1." example:"2"`
	Headings []string `json:"headings,omitempty" doc:"The headings above the quote, the outermost first: up to 10, with the first 200 characters of each. Missing in a spreadsheet." example:"Summary"`
	Table    int      `json:"table,omitempty" doc:"Number of the table in the file, from 1. Missing in a spreadsheet." example:"1"`
	Row      int      `json:"row,omitempty" doc:"Number of the row in the table, from 1. A header is a row, too." example:"3"`
	Column   int      `json:"column,omitempty" doc:"Number of the column in the table, from 1." example:"2"`
}

// Box is the place of a quote on its page.
type Box struct {
	Left   float64 `json:"left" doc:"Distance from the left edge of the page, in points of 1/72 inch." example:"340.5"`
	Top    float64 `json:"top" doc:"Distance from the top edge of the page, in points." example:"612.3"`
	Right  float64 `json:"right" doc:"Right end, measured from the left edge of the page." example:"421.7"`
	Bottom float64 `json:"bottom" doc:"Lower end, measured from the top edge of the page." example:"622.3"`
}

func valuesOf(e answers.Extraction) map[string]any {
	values := make(map[string]any, len(e.Values))
	for name, value := range e.Values {
		values[name] = value
	}
	return values
}

// addQuotes adds the evidence of an extraction, as long as the answer has room.
func (a *Answer) addQuotes(e answers.Extraction, d *documents.Document, file int) {
	for name, evidence := range e.Evidence {
		for _, found := range evidence {
			quote := quoteOf(found, d, file)
			if !a.hasRoomFor(quote) {
				return
			}
			a.Evidence[name] = append(a.Evidence[name], quote)
		}
	}
}

// addCandidates adds the candidates of an extraction, if there are any, as long as the answer has room.
func (a *Answer) addCandidates(e answers.Extraction, d *documents.Document, file int) {
	for name, candidates := range e.Candidates {
		if a.Candidates == nil {
			a.Candidates = map[string][]Candidate{}
		}
		for _, c := range candidates {
			quote := quoteOf(c.Evidence, d, file)
			if !a.hasRoomFor(quote) {
				return
			}
			a.Candidates[name] = append(a.Candidates[name], Candidate{c.Value, quote})
		}
	}
}

// quoteOf returns evidence with positions in characters.
func quoteOf(e answers.Evidence, d *documents.Document, file int) Quote {
	start := d.CharactersBefore(e.Start)
	return Quote{
		Quote: e.Quote, File: file, Page: e.Page, Start: start, End: start + utf8.RuneCountInString(e.Quote),
		Confidence: e.Confidence, Box: boxOf(d, e), Place: placeOf(d, e), Time: timeOf(d, e),
	}
}

// placeOf returns the structural place of evidence, or nil if the file has none.
func placeOf(d *documents.Document, e answers.Evidence) *Place {
	found := d.PlaceOf(e.Start)
	if found.IsZero() {
		return nil
	}
	place := Place(found)
	return &place
}

// timeOf returns when the passage with the evidence begins, in seconds, or nil if the document is not a recording.
func timeOf(d *documents.Document, e answers.Evidence) *float64 {
	i := d.BlockAt(e.Start)
	if i < 0 || d.Blocks[i].Kind != documents.Caption {
		return nil
	}
	return &d.Blocks[i].Time.From
}

func boxOf(d *documents.Document, e answers.Evidence) *Box {
	return newBox(d.BoxOf(e.Start, e.Start+len(e.Quote)))
}

// newBox returns a place to a tenth of a point, or nil if it is unknown.
func newBox(b documents.Box) *Box {
	if b == (documents.Box{}) {
		return nil
	}
	round := func(points float64) float64 { return math.Round(points*10) / 10 }
	return &Box{Left: round(b.Left), Top: round(b.Top), Right: round(b.Right), Bottom: round(b.Bottom)}
}
