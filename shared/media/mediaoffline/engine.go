// Package mediaoffline answers questions about documents without any model, account or download: summaries by ranking the
// document's own sentences, values by labels, layout and typed parsers, and comparisons by the kind of the values.
//
// What must stay true: the same question gets the same answer, so nothing here depends on time, chance or the order of a
// map; a value is given only where the document says it in so many words, and null wherever two readings are as good as
// each other, because a caller cannot tell a guess from a fact; and nothing in a document can change what is looked for,
// because text is only ever compared with words that the caller and this package chose.
package mediaoffline

import "portside/shared/media"

// Engine is the offline engine. It has no state: one serves any number of calls at once.
type Engine struct{}

// New returns an Engine. The word lists are prepared when they are first needed.
func New() *Engine { return &Engine{} }

// Version names the rules below. It is raised whenever the same question may get another answer.
func (*Engine) Version() string { return "offline-4" }

var _ media.Engine = (*Engine)(nil)
