// Package offline answers questions about documents without any model, account or download: summaries by ranking the
// document's own sentences, values by labels, layout and typed parsers, and comparisons by the kind of the values.
//
// What must stay true: the same question gets the same answer, so nothing here depends on time, chance or the order of a
// map; a value is given only where the document says it in so many words, and null wherever two readings are as good as
// each other, because a caller cannot tell a guess from a fact; and nothing in a document can change what is looked for,
// because text is only ever compared with words that the caller and this package chose.
package offline

import "portside/documents/answers"

// Engine is the offline engine. It has no state: one serves any number of calls at once.
type Engine struct{}

// New returns an Engine. It begins to prepare the word lists at once, beside what a program does before its first question.
func New() *Engine {
	go prepare()
	return &Engine{}
}

// prepare makes the lists that every question about a value needs; the others wait for theirs.
func prepare() {
	theLexicon()
	tellingWords()
	stopWords()
}

// Version names the rules below. It is raised whenever the same question may get another answer.
func (*Engine) Version() string { return "offline-5" }

var _ answers.Engine = (*Engine)(nil)
