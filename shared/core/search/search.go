// Package search defines what a search for resources finds: those with a term that begins with the text of the query. The terms are
// an e-mail address, a name, and the rest of the name from each of its next words on.
package search

import "portside/shared/core/fault"

// Query asks for one page of results.
type Query struct {
	Text  string // the beginning of a term, as a person types it
	After string // the Next of the page before; empty for the first page
	Limit int    // 1 or more
}

// Errors of a search.
var (
	ErrText   = fault.Invalid(fault.Field{Pointer: "query/q", Detail: "must have a character that is no space"})
	ErrCursor = fault.Invalid(fault.Field{
		Pointer: "query/cursor", Detail: "must be pagination.next of a page of this search; leave it out to start again",
	})
)
