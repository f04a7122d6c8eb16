// Package search defines how people find resources. A search returns the resources that have a search term with the
// text of the query as its beginning. The search terms of a resource are its name, the rest of the name from its second
// and third word on, and its identifiers, such as an email address.
package search

import (
	"portside/shared/core/fault"
	"portside/shared/core/paging"
)

// Query asks for one page of results.
type Query struct {
	Text  string          // the beginning of a search term, as a person types it
	After paging.Position // the Next of the page before; empty for the first page
	Limit int             // 1 or more
}

// ErrText refuses a text that can match nothing.
var ErrText = fault.Invalid(fault.Field{Pointer: "query/q",
	Detail: "must have a letter, a digit or another visible character"})
