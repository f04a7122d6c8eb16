// Package offline answers questions about documents without a language model, an account or a download. It
// summarizes a document in its own sentences, and compares the values of two documents. It extracts values by the terms of an
// e-invoice, by labels and layout, and by decision trees that were trained on documents with known answers.
//
// The same question always gets the same answer: nothing depends on the time, on chance or on the
// order of a map. The engine returns a value only if it is likely enough, because a caller cannot distinguish a guess from
// a fact. Text in a document cannot instruct the engine; it is only compared with words of the caller and of this package.
//
// The packages below form a pipeline. Each imports only packages further up in this list, and takes
// other dependencies as parameters:
//
//	scan                     spans, characters and words of a text
//	language                 language, stop words, stems, sentences
//	lexicon                  words → terms that are the same in all languages
//	dates, numbers, names    text → typed values with their positions
//	index                    document → terms, numbers, dates, durations and ranges by position
//	questions                variable → labels that would answer it
//	einvoice                 e-invoice and variable or table → values of the business terms of EN 16931
//	candidates               index → pairs of label and value, sentences, check boxes, tables with headers
//	ranking                  label → score; answers → the best one
//	values                   pair → answers
//	statements               pair or sentence → true or false
//	tables                   tables of a document → records of a list
//	learned                  index, question and answers of the rules → answers with probabilities, by trained trees
//	extraction               document and variables → values with evidence: an e-invoice first, then rules, then trees;
//	                         for booleans, only the rules of statements
//	summary, comparison      what the engine writes
package offline

import (
	"context"
	"slices"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/comparison"
	"portside/documents/offline/extraction"
	"portside/documents/offline/language"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/summary"
)

// Engine is the offline engine. It has no state and is safe for concurrent use.
type Engine struct{}

// New returns an Engine.
func New() *Engine { return &Engine{} }

// Prepare builds the word lists that every question needs. A program can call it in the background
// when it starts, so that the first question does not wait for them.
func (*Engine) Prepare() {
	lexicon.Business()
	language.Prepare()
}

// Version returns the name and revision of the rules. The revision changes whenever a question may
// get another answer.
func (*Engine) Version() string { return "offline-15" }

var _ answers.Engine = (*Engine)(nil)

// Extract implements [answers.Engine]. A value is found if its probability is at least the minimum of the settings, or
// [learned.Likely] without one. An ambiguous English date is found with a lower confidence. Booleans have no probability.
func (*Engine) Extract(ctx context.Context, d *documents.Document,
	s answers.ExtractSettings) (answers.Extraction, error) {
	return extraction.Extract(ctx, d, s)
}

// Summarize implements [answers.Engine]. The summary consists of sentences of the document, in
// their order and language. If another language was requested, a warning says so. The summary of an
// invoice or a similar paper begins with its title, date and total. The summary of a document that
// is mostly tables begins with a sentence of the engine about them. Warnings of the document are
// not repeated.
func (*Engine) Summarize(ctx context.Context, d *documents.Document,
	s answers.SummarySettings) (answers.Summary, error) {
	return summary.Summarize(ctx, d, s)
}

// Compare implements [answers.Engine]. It extracts the variables from both documents and describes
// how the values differ, in the way that their type requires. The sentences are in the language of
// the settings, or else in the language of the first document.
func (e *Engine) Compare(ctx context.Context, first, second *documents.Document,
	s answers.CompareSettings) (answers.Comparison, error) {
	a, err := e.Extract(ctx, first, s.Extraction())
	if err != nil {
		return answers.Comparison{}, err
	}
	b, err := e.Extract(ctx, second, s.Extraction())
	if err != nil {
		return answers.Comparison{}, err
	}
	lang := s.Lang
	if !slices.Contains(answers.Langs(), lang) {
		lang, _ = language.Guess(first.Text())
	}
	words := comparison.Describe(a, b, lang, s)
	warnings := slices.Clone(a.Warnings)
	for _, w := range b.Warnings {
		if !slices.Contains(warnings, w) {
			warnings = append(warnings, w)
		}
	}
	return answers.Comparison{First: a, Second: b, Words: words, Warnings: warnings}, nil
}
