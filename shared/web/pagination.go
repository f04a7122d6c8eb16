package web

import (
	"context"
	"encoding/base64"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"portside/shared/core/fault"
	"portside/shared/core/search"
)

// Paging is the input of an operation that lists resources, for embedding.
type Paging struct {
	Limit  int   `query:"limit" default:"20" minimum:"1" maximum:"100" doc:"Maximum number of items on the page."`
	Offset int64 `query:"offset" default:"0" minimum:"0" doc:"Number of items to skip."`
}

// Pagination returns the pagination of this page in a list with total items.
func (p Paging) Pagination(total int64) Pagination { return Paginate(total, p.Limit, p.Offset) }

// PageOf returns the page of a complete list, and its pagination.
func PageOf[T any](p Paging, all []T) ([]T, Pagination) {
	total := int64(len(all))
	first := min(p.Offset, total)
	return all[first:min(first+int64(p.Limit), total)], p.Pagination(total)
}

// Pagination describes the position of an offset page in its list.
type Pagination struct {
	Total   int64 `json:"total" doc:"Exact number of all items that match." example:"41"`
	Limit   int   `json:"limit" doc:"Maximum number of items on the page." example:"20"`
	Offset  int64 `json:"offset" doc:"Number of items skipped." example:"0"`
	HasMore bool  `json:"hasMore" doc:"Whether there is a next page."`
}

// Paginate returns the pagination of a page.
func Paginate(total int64, limit int, offset int64) Pagination {
	return Pagination{Total: total, Limit: limit, Offset: offset, HasMore: offset < total-int64(limit)}
}

// CursorPaging is the input of an operation that lists resources with cursors, for embedding.
type CursorPaging struct {
	Limit  int    `query:"limit" default:"20" minimum:"1" maximum:"100" doc:"Maximum number of items on the page."`
	Cursor string `query:"cursor" maxLength:"4096" doc:"Start of the page: pagination.next of the previous page. The other parameters must be the same."`
}

// Pagination returns the pagination of this page. next is the cursor of the next page, or "" on the last page.
func (p CursorPaging) Pagination(next string) CursorPagination {
	return CursorPagination{Limit: p.Limit, HasMore: next != "", Next: NullIfZero(next)}
}

// SearchPaging is the input of an operation that searches resources, for embedding.
type SearchPaging struct {
	Text string `query:"q" required:"true" minLength:"1" maxLength:"200" doc:"Text to search for. Upper and lower case are the same, and accents and strokes do not matter: lukasz finds Łukasz." example:"ada b"`
	CursorPaging
}

// Query returns the query of the input.
func (p SearchPaging) Query() search.Query {
	return search.Query{Text: p.Text, After: p.Cursor, Limit: p.Limit}
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

// ErrCursor refuses a cursor that was not returned for the same list.
func ErrCursor() error {
	return fault.Invalid(fault.Field{
		Pointer: "query/cursor", Detail: "must be pagination.next of a page of this list; leave it out to start again",
	})
}

// Paginated is the pagination of a list, which its output has as Body.Pagination.
type Paginated interface {
	// NextPage returns the query parameter that leads to the next page, and its value, or "" on the last page.
	NextPage() (parameter, value string)
}

// NextPage implements Paginated.
func (p Pagination) NextPage() (parameter, value string) {
	if !p.HasMore {
		return "", ""
	}
	return "offset", strconv.FormatInt(p.Offset+int64(p.Limit), 10)
}

// NextPage implements Paginated.
func (p CursorPagination) NextPage() (parameter, value string) {
	if p.Next == nil {
		return "", ""
	}
	return "cursor", *p.Next
}

// isPaginated reports whether an output has a pagination.
func isPaginated(output reflect.Type) bool {
	pagination, hasPagination := bodyField(output, "Pagination")
	return hasPagination && pagination.Implements(reflect.TypeFor[Paginated]())
}

// linkNext sets the header Link of a list that has a next page (RFC 8288). The address has no host, so that it is right behind any proxy.
func linkNext(ctx context.Context, output any) {
	value, in := reflect.ValueOf(output).Elem(), inputFrom(ctx)
	if !isPaginated(value.Type()) || in.url == nil {
		return
	}
	page, _ := reflect.TypeAssert[Paginated](value.FieldByName("Body").FieldByName("Pagination"))
	parameter, next := page.NextPage()
	if parameter == "" {
		return
	}
	query := in.url.Query()
	query.Set(parameter, next)
	address := url.URL{Path: in.url.Path, RawQuery: query.Encode()}
	in.response.Set("Link", "<"+address.String()+`>; rel="next"`)
}

// EncodeCursor returns a cursor for a position. The prefix says for which caller and which filters the cursor works.
func EncodeCursor(prefix, position string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(prefix + position))
}

// DecodeCursor returns the position in a cursor, or false if it is no cursor with the prefix.
func DecodeCursor(prefix, cursor string) (position string, ok bool) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	position, hasPrefix := strings.CutPrefix(string(text), prefix)
	return position, err == nil && hasPrefix
}
