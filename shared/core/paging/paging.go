// Package paging defines how the pages of a list follow each other.
package paging

import "portside/shared/core/fault"

// Position is the place of an item in its list, as a text whose form only the list knows. The page after a position begins with the next
// item that the list has by then, so a client that follows positions sees each item that stays in the list exactly once, even if the item
// at a position is deleted. Empty means before the first item or, for the next position, that there are no more.
type Position string

// ErrCursor refuses a cursor that the list has not returned.
var ErrCursor = fault.Invalid(fault.Field{
	Pointer: "query/cursor", Detail: "must be pagination.next of a page of this list; leave it out to start again",
})
