// Package offline answers questions about documents without any model, account or download: summaries by ranking the
// document's own sentences, values by labels, layout and typed parsers, and comparisons by the kind of the values.
//
// What must stay true: the same question gets the same answer, so nothing here depends on time, chance or the order of a
// map; a value is given only where the document says it in so many words, and null wherever two readings are as good as
// each other, because a caller cannot tell a guess from a fact; and nothing in a document can change what is looked for,
// because text is only ever compared with words that the caller and this package chose.
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

// Engine is the offline engine. It has no state: one serves any number of calls at once.
type Engine struct{}

// New returns an Engine. It begins to prepare the word lists at once, beside what a program does before its first question.
func New() *Engine {
	go prepare()
	return &Engine{}
}

// prepare makes the lists that every question about a value needs; the others wait for theirs.
func prepare() {
	lexicon.Business()
	language.Prepare()
}

// Version names the rules below. It is raised whenever the same question may get another answer.
func (*Engine) Version() string { return "offline-5" }

var _ answers.Engine = (*Engine)(nil)

// Extract finds the values of the variables. A value that the document does not clearly say is not found: one reading must
// be good by itself, and clearly better than any other value.
func (*Engine) Extract(ctx context.Context, d *documents.Document, s answers.ExtractSettings) (answers.Extraction, error) {
	return extraction.Extract(ctx, d, s)
}

// Summarize implements media.Engine. The summary consists of the document's own sentences, in their order; it is in the
// document's language, and a warning says so if another was asked for. Of an invoice and the like, it begins with the title,
// date and total that the document says. Only of a document that is mostly tables, it says in words of its own what they are.
// What Document.Warnings say is not repeated.
func (*Engine) Summarize(ctx context.Context, d *documents.Document, s answers.SummarySettings) (answers.Summary, error) {
	return summary.Summarize(ctx, d, s)
}

// Compare extracts the variables from both documents and says in words how the values differ, by their type: how much more,
// how many days later, the same but for case. The words are in the language asked for, or in that of the first document.
func (e *Engine) Compare(ctx context.Context, first, second *documents.Document, s answers.CompareSettings) (answers.Comparison, error) {
	settings := answers.ExtractSettings{Variables: s.Variables, Lang: s.Lang}
	a, err := e.Extract(ctx, first, settings)
	if err != nil {
		return answers.Comparison{}, err
	}
	b, err := e.Extract(ctx, second, settings)
	if err != nil {
		return answers.Comparison{}, err
	}
	lang := s.Lang
	if !slices.Contains(answers.Langs(), lang) {
		lang = language.Guess(first.Text())
	}
	words := comparison.Describe(a, b, lang, s)
	warnings := slices.Clone(a.Warnings)
	if len(warnings) == 0 {
		warnings = slices.Clone(b.Warnings)
	}
	return answers.Comparison{First: a, Second: b, Words: words, Warnings: warnings}, nil
}
