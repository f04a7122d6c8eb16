package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"pgregory.net/rapid"

	"portside/shared/core/paging"
	"portside/shared/testkit/pagetest"
	"portside/shared/testkit/webtest"
	"portside/shared/web"
)

type shelfInput struct {
	Shelf string `path:"shelf"`
	web.Paging
	Owner string `query:"owner"`
	Kind  string `query:"kind"`
}

// shelves returns a client of lists of the books.
func shelves(tb testing.TB, books *[]string) webtest.Client {
	tb.Helper()
	api := web.NewAPI(nil)
	list := huma.Operation{OperationID: "listBooks", Method: http.MethodGet, Path: "/v1/shelves/{shelf}/books"}
	web.Handle(api, web.Anyone(), list, func(_ context.Context, in *shelfInput) (*pageOutput, error) {
		page, pagination, err := web.PageOf(in.Paging, *books, func(id string) string { return id })
		out := &pageOutput{}
		out.Body.Data, out.Body.Pagination = page, pagination
		return out, err
	})
	return webtest.New(tb, api.Handler())
}

// booksOf returns the books of a page and its cursor.
func booksOf(page webtest.Response) (ids []string, next string) {
	data, _ := page.JSON("data").([]any)
	for _, id := range data {
		ids = append(ids, fmt.Sprint(id))
	}
	if page.JSON("pagination.next") != nil {
		next = page.Text("pagination.next")
	}
	return ids, next
}

// TestPagesOfACompleteList creates books in any order of their IDs and deletes them between the pages.
func TestPagesOfACompleteList(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var books []string
		c := shelves(t, &books)
		pagetest.Check(r, pagetest.List{
			Items: func() []string { return slices.Sorted(slices.Values(books)) },
			Change: func(r *rapid.T) {
				if i := rapid.IntRange(-1, len(books)-1).Draw(r, "which"); i >= 0 && rapid.Bool().Draw(r, "delete") {
					books = slices.Delete(books, i, i+1)
				} else {
					id := fmt.Sprintf("0199cccc-0000-7000-8000-%012x", rapid.Uint16().Draw(r, "id"))
					books = append(slices.DeleteFunc(books, func(other string) bool { return other == id }), id)
				}
			},
			Page: func(limit int, cursor string) ([]string, string) {
				page := c.Get(fmt.Sprintf("/v1/shelves/a/books?limit=%d%s", limit, after(cursor))).WantStatus(http.StatusOK)
				ids, next := booksOf(page)
				page.WantValue("pagination.total", len(books)).WantValue("pagination.hasMore", next != "").WantValue("pagination.offset", 0)
				return ids, next
			},
		})
		offset := rapid.IntRange(0, len(books)+1).Draw(r, "offset")
		page := c.Get(fmt.Sprintf("/v1/shelves/a/books?limit=3&offset=%d", offset)).WantValue("pagination.hasMore", offset+3 < len(books))
		want := slices.Sorted(slices.Values(books))[min(offset, len(books)):min(offset+3, len(books))]
		if got, _ := booksOf(page); !slices.Equal(got, want) {
			r.Errorf("the page at %d has %q, want %q", offset, got, want)
		}
	})
}

// after returns the parameter of a cursor, if there is one.
func after(cursor string) string {
	if cursor == "" {
		return ""
	}
	return "&cursor=" + cursor
}

//proves:docs/security.md
func TestCursorBelongsToOneList(t *testing.T) {
	const owner = "0199cccc-0000-7000-8000-00000000000a"
	books := []string{"0199cccc-0000-7000-8000-000000000001", "0199cccc-0000-7000-8000-000000000002", "0199cccc-0000-7000-8000-000000000003"}
	c := shelves(t, &books)
	first := "/v1/shelves/" + owner + "/books?owner=" + owner + "&kind=a%26b"
	_, cursor := booksOf(c.Get(first + "&limit=1").WantStatus(http.StatusOK))
	for _, same := range []string{
		first, first + "&limit=1", "/v1/shelves/" + owner + "/books?kind=a%26b&limit=2&offset=0&owner=" + strings.ToUpper(owner),
		"/v1/shelves/" + strings.ToUpper(owner) + "/books?owner=" + owner + "&kind=%61%26b",
	} {
		c.Get(same+after(cursor)).WantStatus(http.StatusOK).WantValue("data.0", books[1])
	}
	forged := func(position string) string { return pagetest.Forge(t, cursor, position) }
	c.Get(first+"&cursor="+forged(books[0])).WantStatus(http.StatusOK).WantValue("data.0", books[1])
	for _, query := range []string{
		"/v1/shelves/b/books?owner=" + owner + "&kind=a%26b" + after(cursor), "/v1/shelves/" + owner + "/books?owner=" + owner + after(cursor),
		"/v1/shelves/" + owner + "/books?owner=" + owner + "&kind=ab" + after(cursor), first + "&cursor=x", first + "&cursor=" + cursor[1:],
		first + after(cursor) + "A", first + after(cursor[:8]), first + "&cursor=" + strings.Repeat("A", 4097), first + "&cursor=",
		first + "&cursor=" + url.QueryEscape(cursor+"=="), first + "&cursor=" + forged(""), first + "&cursor=" + forged("a"),
		first + "&cursor=" + forged(books[0]+"0"), first + after(cursor) + after(cursor),
	} {
		c.Get(query).WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR").WantValue("errors.0.pointer", "query/cursor")
	}
	c.Get(first+after(cursor)+"&offset=1").WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "query/offset").
		WantValue("errors.0.detail", "cannot be combined with cursor; leave it out")
}

// FuzzCursor checks that a cursor is either refused or the only text of its position.
func FuzzCursor(f *testing.F) {
	var paged web.CursorPaging
	f.Add(*paged.Pagination("41").Next)
	f.Add("")
	f.Add("AAAA")
	f.Add("AB==")
	f.Add("\n000")
	f.Add("AAB")
	f.Fuzz(func(t *testing.T, cursor string) {
		paged := web.CursorPaging{Cursor: cursor}
		position, err := paged.After()
		switch {
		case err != nil && (!errors.Is(err, paging.ErrCursor) || position != ""):
			t.Errorf("%q: %q, %v", cursor, position, err)
		case err == nil && (position == "") != (cursor == ""):
			t.Errorf("%q is the position %q", cursor, position)
		case err == nil && cursor != "" && *paged.Pagination(position).Next != cursor:
			t.Errorf("%q becomes %q", cursor, *paged.Pagination(position).Next)
		}
	})
}
