package extraction

import (
	"context"
	"fmt"
	"maps"
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
	e := invoiceExtraction{document: d, invoice: invoice, found: emptyExtraction(), other: s, terms: s}
	e.readTerms(s)
	var err error
	switch n := invoiceBlocks(d); {
	case n > 0:
		err = e.addFromPages(ctx, n)
	case d.Format == documents.XML: // it has nothing but the e-invoice
		err = e.add(ctx, d, e.other)
	default:
		e.other.Variables = append(e.other.Variables, e.missing(e.terms).Variables...)
		err = e.add(ctx, d, e.other)
	}
	return e.found, err
}

// invoiceBlocks returns how many blocks of an e-invoice stand in front of the pages of a PDF.
func invoiceBlocks(d *documents.Document) int {
	n := slices.IndexFunc(d.Blocks, func(b documents.Block) bool { return b.Page > 0 })
	if d.Format != documents.PDF || n < 0 {
		return 0
	}
	return n
}

// invoiceExtraction is an extraction from a document that has an e-invoice.
type invoiceExtraction struct {
	document *documents.Document
	invoice  *einvoice.Invoice
	found    answers.Extraction
	terms    answers.ExtractSettings // the variables that ask for a term of the standard
	other    answers.ExtractSettings // the variables and tables that do not
}

// readTerms adds the values and the tables of terms.
func (e *invoiceExtraction) readTerms(s answers.ExtractSettings) {
	e.terms.Variables, e.terms.Tables, e.other.Variables, e.other.Tables = nil, nil, nil, nil
	for _, v := range s.Variables {
		answer, isTerm := e.invoice.Answer(v)
		if !isTerm {
			e.other.Variables = append(e.other.Variables, v)
			continue
		}
		if len(answer.Candidates) == 0 { // otherwise the XML has several values, and so have the pages
			e.terms.Variables = append(e.terms.Variables, v)
		}
		e.found.Values[v.Name] = answer.Value
		if answer.Value.Found() {
			e.found.Evidence[v.Name] = []answers.Evidence{answer.Evidence}
			answer.Candidates = []answers.Candidate{{Value: answer.Value, Evidence: answer.Evidence}}
		}
		e.found.Candidates[v.Name] = answer.Candidates[:min(len(answer.Candidates), s.MaxCandidates)]
	}
	for _, t := range s.Tables {
		rows, isFound := e.invoice.Rows(t)
		if isFound {
			e.found.Rows[t.Name] = rows
		} else {
			e.other.Tables = append(e.other.Tables, t)
		}
	}
}

// add adds what the rules and the trees find in a document.
func (e *invoiceExtraction) add(ctx context.Context, d *documents.Document, s answers.ExtractSettings) error {
	if len(s.Variables) == 0 && len(s.Tables) == 0 {
		return nil
	}
	more, err := extract(ctx, d, s)
	for _, v := range s.Variables {
		if quotes := more.Evidence[v.Name]; len(quotes) > 0 && !e.invoice.MayAnswer(v, quotes[0].Start) {
			more.Values[v.Name] = answers.Value{}
		}
	}
	e.merge(more)
	return err
}

// merge adds the values and rows of another extraction.
func (e *invoiceExtraction) merge(more answers.Extraction) {
	for name, value := range more.Values {
		e.found.Values[name] = value
		if value.Found() {
			e.found.Evidence[name] = more.Evidence[name]
		}
		if len(more.Candidates[name]) > 0 {
			e.found.Candidates[name] = more.Candidates[name]
		}
	}
	maps.Copy(e.found.Rows, more.Rows)
	for _, w := range more.Warnings {
		if !slices.Contains(e.found.Warnings, w) {
			e.found.Warnings = append(e.found.Warnings, w)
		}
	}
}

// missing returns the settings with only the variables and tables that have no value yet.
func (e *invoiceExtraction) missing(s answers.ExtractSettings) answers.ExtractSettings {
	s.Variables = slices.DeleteFunc(slices.Clone(s.Variables), func(v answers.Variable) bool {
		return e.found.Values[v.Name].Found()
	})
	s.Tables = slices.DeleteFunc(slices.Clone(s.Tables), func(t answers.Table) bool { return len(e.found.Rows[t.Name]) > 0 })
	return s
}

// addFromPages adds what the terms of an e-invoice do not answer: first from the text of the e-invoice, which is the
// first n blocks of a PDF, and then from the pages. It compares the values of the terms with the pages.
func (e *invoiceExtraction) addFromPages(ctx context.Context, n int) error {
	if err := e.add(ctx, e.document.First(n), e.other); err != nil {
		return err
	}
	asked := e.missing(e.other)
	asked.Variables = append(asked.Variables, e.terms.Variables...)
	if len(asked.Variables) == 0 && len(asked.Tables) == 0 {
		return nil
	}
	pages, err := Prepare(ctx, e.document.From(n))
	if err != nil {
		return extracting(err)
	}
	shown, err := pages.extract(asked)
	if err != nil {
		return err
	}
	for _, v := range asked.Variables {
		if e.found.Values[v.Name].Found() {
			e.compare(v.Name, shown, pages.Index)
			delete(shown.Values, v.Name)
		}
	}
	e.merge(shown)
	return nil
}

// compare adds a warning and a candidate if the pages surely show another value than the XML.
func (e *invoiceExtraction) compare(name string, shown answers.Extraction, pages *index.Index) {
	value := shown.Values[name]
	if !value.Found() {
		return
	}
	quote := shown.Evidence[name][0]
	if !contradicts(pages, e.found.Values[name], value, quote.Confidence) {
		return
	}
	e.found.Warnings = append(e.found.Warnings, contradiction(name, e.found.Evidence[name][0].Quote, quote.Quote))
	all := append(slices.Clone(e.found.Candidates[name]), answers.Candidate{Value: value, Evidence: quote})
	e.found.Candidates[name] = all[:min(len(all), e.terms.MaxCandidates)]
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
	return fmt.Sprintf("%s: the XML of the e-invoice says %q, but the pages show %q. Check which one is right.",
		name, cut(inXML), cut(shown))
}
