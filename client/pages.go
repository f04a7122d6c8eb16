package client

import (
	"context"
	"iter"
)

// Page is one page of a list.
type Page[T, P any] struct {
	Data       []T `json:"data"`
	Pagination P   `json:"pagination"`
}

func (p Page[T, P]) hasData() bool { return p.Data != nil }

// list is an operation that returns one page.
type list[Params, T, P any] struct {
	get     func(context.Context, *Params, ...CallOption) (Page[T, P], error)
	advance func(*Params, Page[T, P]) (hasMore bool) // sets the parameters of the next page
}

// listOf lets the compiler infer the types of a list.
func listOf[Params, T, P any](
	get func(context.Context, *Params, ...CallOption) (Page[T, P], error), advance func(*Params, Page[T, P]) bool,
) list[Params, T, P] {
	return list[Params, T, P]{get, advance}
}

// all yields the items of all pages, beginning at the one of params. An error is the last value.
func (l list[Params, T, P]) all(ctx context.Context, params *Params, options []CallOption) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		current := new(Params) // a copy, so that the caller can use params again
		if params != nil {
			*current = *params
		}
		for hasMore := true; hasMore; {
			page, err := l.get(ctx, current, options...)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Data {
				if !yield(item, nil) {
					return
				}
			}
			hasMore = l.advance(current, page)
		}
	}
}

// byCursorOrOffset sets the cursor of the next page or, for a deployment of a release without these cursors, its
// offset.
func byCursorOrOffset[T any](cursor **string, offset **int64, page Page[T, Pagination]) bool {
	if page.Pagination.Next != nil || !page.Pagination.HasMore {
		*offset = nil
		return byCursor(cursor, page.Pagination.Next)
	}
	*offset = new(page.Pagination.Offset + int64(len(page.Data)))
	return len(page.Data) > 0
}

// byCursor sets the cursor of the next page, which is nil on the last one. A list whose cursor stays the same would
// have no end.
func byCursor(cursor **string, next *string) bool {
	isSame := next != nil && *cursor != nil && **cursor == *next
	*cursor = next
	return next != nil && !isSame
}
