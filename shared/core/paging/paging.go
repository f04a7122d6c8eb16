// Package paging defines the positions between the pages of a list.
package paging

import "portside/shared/core/fault"

// Position is the place of an item in its list, in a form that only the list defines. The page after a position begins
// with the item that follows it when the page is read. So a client that follows positions sees each item that stays in
// the list exactly once, even if the item at a position is deleted. The empty position is the start of the list or, as
// the next position, the end.
type Position string

// ErrCursor is the error for a cursor that does not belong to the list.
var ErrCursor = fault.Invalid(fault.Field{
	Pointer: "query/cursor", Detail: "must be pagination.next of a page of this list; leave it out to start again",
})
