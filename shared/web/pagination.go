package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"portside/shared/core/fault"
	"portside/shared/core/paging"
	"portside/shared/core/principal"
	"portside/shared/core/search"
	"portside/shared/web/resource"
)

// CursorPaging is the input of an operation that lists resources with cursors, for embedding.
//
// A cursor has a position, and a hash of the list and the caller, which detects a cursor of another list. A cursor is
// not secret, and callers can forge one. So a position reveals nothing that its caller may not see. The list checks the
// position, and returns only items that the caller may see.
type CursorPaging struct {
	Limit  int    `query:"limit" default:"20" minimum:"1" maximum:"100" doc:"Maximum number of items on the page."`
	Cursor string `query:"cursor" maxLength:"4096" doc:"Start of the page: pagination.next of the previous page. The other parameters but limit must be the same."`

	list string // see bindCursor
}

// After returns the position after which the page begins. Errors: paging.ErrCursor.
func (p CursorPaging) After() (paging.Position, error) {
	if p.Cursor == "" {
		return "", nil
	}
	position, ok := decodeCursor(p.list, p.Cursor)
	if !ok {
		return "", paging.ErrCursor
	}
	return position, nil
}

// Pagination returns the pagination of this page. next is the position after which the next page begins, or empty on
// the last page.
func (p CursorPaging) Pagination(next paging.Position) CursorPagination {
	return CursorPagination{Limit: p.Limit, HasMore: next != "", Next: p.next(next)}
}

// next returns the cursor of the next page.
func (p CursorPaging) next(position paging.Position) *string {
	if position == "" {
		return nil
	}
	return new(encodeCursor(p.list, position))
}

// bindCursor binds cursors to the caller and to the path and filters of the request.
func (p *CursorPaging) bindCursor(ctx context.Context) {
	at := inputFrom(ctx).url
	if at == nil {
		return
	}
	caller, _ := principal.From(ctx)
	filters := at.Query()
	for _, place := range []string{"limit", "cursor", "offset"} {
		filters.Del(place)
	}
	for _, values := range filters {
		for i := range values {
			values[i] = resource.CanonicalID(values[i])
		}
	}
	path := strings.Split(at.Path, "/")
	for i := range path {
		path[i] = resource.CanonicalID(path[i])
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{caller.UserID, strings.Join(path, "/"), filters.Encode()}, "\x00")))
	p.list = string(sum[:8])
}

// encodeCursor returns the cursor of a position in a list.
func encodeCursor(list string, position paging.Position) string {
	return base64.RawURLEncoding.EncodeToString([]byte(list + string(position)))
}

// decodeCursor returns the position in a cursor. It returns false for a cursor of another list or caller.
func decodeCursor(list, cursor string) (position paging.Position, ok bool) {
	decoded, err := base64.RawURLEncoding.DecodeString(cursor)
	text, isOfList := strings.CutPrefix(string(decoded), list)
	position = paging.Position(text)
	isCanonical := encodeCursor(list, position) == cursor // the decoder ignores line breaks and unused bits
	return position, err == nil && isOfList && text != "" && isCanonical
}

// CursorPagination describes the position of a page in a list that is too long to count.
type CursorPagination struct {
	Limit   int     `json:"limit" doc:"Maximum number of items on the page." example:"20"`
	HasMore bool    `json:"hasMore" doc:"Whether there may be a next page."`
	Next    *string `json:"next" doc:"Value of cursor for the next page; null on the last page."`
}

// CountedPagination describes the position of a page in a list that has cursors and is counted.
type CountedPagination struct {
	Total int `json:"total" doc:"Exact number of all items that match." example:"41"`
	CursorPagination
}

// Paging is the input of an operation that lists resources with cursors and at offsets, for embedding.
type Paging struct {
	CursorPaging
	Offset int64 `query:"offset" default:"0" minimum:"0" doc:"Number of items to skip. A deletion moves later items to other offsets; a cursor is not affected."`
}

// After returns the position after which the page begins, or an empty one if it begins at the offset. Errors:
// paging.ErrCursor, and a validation error if the request has both.
func (p Paging) After() (paging.Position, error) {
	if p.Cursor != "" && p.Offset > 0 {
		return "", fault.Invalid(fault.Field{Pointer: "query/offset", Detail: "cannot be combined with cursor; leave it out"})
	}
	return p.CursorPaging.After()
}

// Pagination returns the pagination of this page in a list with total items. next is the position after which the next
// page begins, or empty on the last page.
func (p Paging) Pagination(total int64, next paging.Position) Pagination {
	return Pagination{Total: total, Limit: p.Limit, Offset: p.Offset, HasMore: next != "", Next: p.next(next)}
}

// PageOf returns a page of a complete list in the order of its IDs, and its pagination. Errors: those of Paging.After.
func PageOf[T any](p Paging, all []T, idOf func(T) string) ([]T, Pagination, error) {
	after, err := p.After()
	if err == nil && after != "" && uuid.Validate(string(after)) != nil {
		err = paging.ErrCursor
	}
	if err != nil {
		return nil, Pagination{}, err
	}
	all = slices.SortedFunc(slices.Values(all), func(a, b T) int { return strings.Compare(idOf(a), idOf(b)) })
	total := len(all)
	first := int(min(p.Offset, int64(total)))
	if after != "" {
		first, _ = slices.BinarySearchFunc(all, string(after), func(item T, id string) int { return cmp.Or(strings.Compare(idOf(item), id), -1) })
	}
	page, next := all[first:min(first+p.Limit, total)], paging.Position("")
	if first+len(page) < total {
		next = paging.Position(idOf(page[len(page)-1]))
	}
	return page, p.Pagination(int64(total), next), nil
}

// Pagination describes the position of a page in a list that has cursors and offsets and is counted.
type Pagination struct {
	Total   int64   `json:"total" doc:"Exact number of all items that match." example:"41"`
	Limit   int     `json:"limit" doc:"Maximum number of items on the page." example:"20"`
	Offset  int64   `json:"offset" doc:"Value of offset in the request: 0 with a cursor." example:"0"`
	HasMore bool    `json:"hasMore" doc:"Whether there is a next page."`
	Next    *string `json:"next" doc:"Value of cursor for the next page; null on the last page."`
}

// SearchPaging is the input of an operation that searches resources, for embedding.
type SearchPaging struct {
	Text string `query:"q" required:"true" minLength:"1" maxLength:"200" doc:"Text to search for. Upper and lower case are the same, and accents and strokes do not matter: lukasz finds Łukasz." example:"ada b"`
	CursorPaging
}

// Query returns the query of the input. Errors: those of CursorPaging.After.
func (p SearchPaging) Query() (search.Query, error) {
	after, err := p.After()
	return search.Query{Text: p.Text, After: after, Limit: p.Limit}, err
}

// paginated is the pagination of a list, which its output has as Body.Pagination.
type paginated interface {
	nextCursor() *string // nil on the last page
}

func (p Pagination) nextCursor() *string       { return p.Next }
func (p CursorPagination) nextCursor() *string { return p.Next }

// isPaginated reports whether an output has a pagination.
func isPaginated(output reflect.Type) bool {
	pagination, hasPagination := bodyField(output, "Pagination")
	return hasPagination && pagination.Implements(reflect.TypeFor[paginated]())
}

// linkNext sets the header Link of a list that has a next page (RFC 8288). The address has no host, so that it is right
// behind any proxy.
func linkNext(ctx context.Context, output any) {
	value, in := reflect.ValueOf(output).Elem(), inputFrom(ctx)
	if !isPaginated(value.Type()) || in.url == nil {
		return
	}
	page, _ := reflect.TypeAssert[paginated](value.FieldByName("Body").FieldByName("Pagination"))
	next := page.nextCursor()
	if next == nil {
		return
	}
	query := in.url.Query()
	for _, start := range []string{"offset", "before", "after"} { // of this page
		query.Del(start)
	}
	query.Set("cursor", *next)
	address := url.URL{Path: in.url.Path, RawQuery: query.Encode()}
	in.response.Set("Link", "<"+address.String()+`>; rel="next"`)
}
