package extraction

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/dates"
	"portside/documents/offline/einvoice"
	"portside/documents/offline/index"
	"portside/documents/offline/numbers"
	"portside/documents/offline/scan"
)

// Extract finds the values of the variables in a document. A value that the document does not state clearly is not
// found. The values of an e-invoice come from the terms in its XML, also if the pages around it contradict them; a
// warning then says so. Extract ends soon after the context does, with its error.
func Extract(ctx context.Context, d *documents.Document, s answers.ExtractSettings) (answers.Extraction, error) {
	invoice := einvoice.Read(d)
	if invoice == nil {
		return extract(ctx, d, s)
	}
	found := emptyExtraction()
	other, terms := s, s // what terms do not answer, and what they do
	other.Variables, other.Tables, terms.Variables, terms.Tables = nil, nil, nil, nil
	for _, v := range s.Variables {
		answer, isTerm := invoice.Answer(v)
		if !isTerm {
			other.Variables = append(other.Variables, v)
			continue
		}
		add(&found, v.Name, answer, s.MaxCandidates)
		if len(answer.Candidates) == 0 { // otherwise the XML has several values, and so have the pages
			terms.Variables = append(terms.Variables, v)
		}
	}
	for _, t := range s.Tables {
		rows, isFound := invoice.Rows(t)
		if isFound {
			found.Rows[t.Name] = rows
		} else {
			other.Tables = append(other.Tables, t)
		}
	}
	n := pagesFrom(d)
	switch {
	case n > 0:
		return found, addFromPages(ctx, d, n, &found, other, terms)
	case d.Format != documents.XML:
		other.Variables = append(other.Variables, missing(found, terms).Variables...)
	}
	return found, addExtracted(ctx, d, &found, other)
}

// pagesFrom returns how many blocks of an e-invoice stand in front of the pages of a PDF.
func pagesFrom(d *documents.Document) int {
	n := slices.IndexFunc(d.Blocks, func(b documents.Block) bool { return b.Page > 0 })
	if d.Format != documents.PDF || n < 0 {
		return 0
	}
	return n
}

// add adds the answer of an e-invoice.
func add(found *answers.Extraction, name string, a einvoice.Answer, maxCandidates int) {
	found.Values[name] = a.Value
	if a.Value.Found() {
		found.Evidence[name] = []answers.Evidence{a.Evidence}
		a.Candidates = []answers.Candidate{{Value: a.Value, Evidence: a.Evidence}}
	}
	found.Candidates[name] = a.Candidates[:min(len(a.Candidates), maxCandidates)]
}

// addExtracted adds what the rules and the trees find in a document.
func addExtracted(ctx context.Context, d *documents.Document, found *answers.Extraction, s answers.ExtractSettings) error {
	if len(s.Variables) == 0 && len(s.Tables) == 0 {
		return nil
	}
	more, err := extract(ctx, d, s)
	merge(found, more)
	return err
}

// merge adds the values and rows of another extraction.
func merge(found *answers.Extraction, more answers.Extraction) {
	for name, value := range more.Values {
		found.Values[name] = value
		if value.Found() {
			found.Evidence[name] = more.Evidence[name]
		}
		if len(more.Candidates[name]) > 0 {
			found.Candidates[name] = more.Candidates[name]
		}
	}
	for name, rows := range more.Rows {
		found.Rows[name] = rows
	}
	for _, w := range more.Warnings {
		if !slices.Contains(found.Warnings, w) {
			found.Warnings = append(found.Warnings, w)
		}
	}
}

// missing returns the settings with only the variables and tables that have no value yet.
func missing(found answers.Extraction, s answers.ExtractSettings) answers.ExtractSettings {
	s.Variables = slices.DeleteFunc(slices.Clone(s.Variables), func(v answers.Variable) bool { return found.Values[v.Name].Found() })
	s.Tables = slices.DeleteFunc(slices.Clone(s.Tables), func(t answers.Table) bool { return len(found.Rows[t.Name]) > 0 })
	return s
}

// addFromPages adds what the terms of an e-invoice do not answer: first from the text of the e-invoice, which is the
// first n blocks of a PDF, and then from all. It compares the values of the terms with the pages.
func addFromPages(ctx context.Context, d *documents.Document, n int, found *answers.Extraction, other, terms answers.ExtractSettings) error {
	if err := addExtracted(ctx, d.First(n), found, other); err != nil {
		return err
	}
	if err := addExtracted(ctx, d, found, missing(*found, other)); err != nil || len(terms.Variables) == 0 {
		return err
	}
	e, err := Prepare(ctx, d.From(n))
	if err != nil {
		return extracting(err)
	}
	onPages, err := e.extract(terms)
	if err != nil {
		return err
	}
	for _, v := range terms.Variables {
		value, shown := found.Values[v.Name], onPages.Values[v.Name]
		switch {
		case !value.Found():
			continue
		case shown.Found() && contradicts(e.Index, value, shown, onPages.Evidence[v.Name][0].Confidence):
			quote := onPages.Evidence[v.Name][0]
			found.Warnings = append(found.Warnings, contradiction(v.Name, found.Evidence[v.Name][0].Quote, quote.Quote))
			all := append(slices.Clone(found.Candidates[v.Name]), answers.Candidate{Value: shown, Evidence: quote})
			found.Candidates[v.Name] = all[:min(len(all), terms.MaxCandidates)]
		}
		delete(onPages.Values, v.Name)
	}
	merge(found, onPages)
	return nil
}

// sureConfidence is how sure a value of the pages must be to contradict the XML.
const sureConfidence = 0.9

// contradicts reports whether the pages surely show another value than the XML: they nowhere show the value of the XML.
func contradicts(pages *index.Index, value, shown answers.Value, confidence float64) bool {
	if confidence < sureConfidence || value == shown {
		return false
	}
	switch value.Type {
	case answers.Number:
		const cent = 0.005
		want := math.Abs(value.Number())
		is := func(n numbers.Number) bool {
			return math.Abs(math.Abs(answers.Value{Type: answers.Number, Text: n.Value}.Number())-want) < cent
		}
		return !slices.ContainsFunc(pages.Numbers, is)
	case answers.Date:
		return !slices.ContainsFunc(pages.Dates, func(day dates.Date) bool { return day.ISO() == value.Text })
	}
	inXML := squeezed(value.Text)
	return !strings.Contains(squeezed(pages.Text), inXML) && !strings.Contains(inXML, squeezed(shown.Text))
}

// squeezed returns the letters and digits of a text, folded.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, scan.Fold(text))
}

// contradiction returns the warning about a value that the pages show differently.
func contradiction(name, inXML, shown string) string {
	const maxShown = 100
	cut := func(text string) string {
		if runes := []rune(text); len(runes) > maxShown {
			return string(runes[:maxShown]) + "…"
		}
		return text
	}
	return fmt.Sprintf("%s: the XML of the e-invoice says %q, but the pages show %q. Check which one is right.", name, cut(inXML), cut(shown))
}
