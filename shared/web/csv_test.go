package web_test

import (
	"context"
	"encoding/csv"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
	"portside/shared/testkit/webtest"
	"portside/shared/web"
)

// base is embedded in csvItem.
type base struct {
	ID string `json:"id"`
}

type csvItem struct {
	base

	Name     string           `json:"name"`
	Size     int64            `json:"size"`
	IsOld    bool             `json:"isOld"`
	UsedAt   *time.Time       `json:"usedAt"`
	Scopes   []string         `json:"scopes"`
	Metadata web.Object       `json:"metadata"`
	Line     *struct{ A int } `json:"line,omitempty"`
	Hidden   string           `json:"-"`
}

type csvOutput struct {
	Body struct {
		Data       []csvItem      `json:"data"`
		Pagination web.Pagination `json:"pagination"`
	}
}

// listing returns a client of a list with the items, and of an operation that does not return a list.
func listing(t *testing.T, items ...csvItem) webtest.Client {
	t.Helper()
	api := web.NewAPI(nil)
	list := huma.Operation{OperationID: "listItems", Method: http.MethodGet, Path: "/v1/items"}
	web.Handle(api, web.Anyone(), list, func(_ context.Context, in *web.Paging) (*csvOutput, error) {
		out := &csvOutput{}
		if in.Offset > 10 {
			return nil, fault.New(fault.NotFound, "There is no such page.")
		}
		out.Body.Data, out.Body.Pagination = items, in.Pagination(100, "10")
		return out, nil
	})
	one := huma.Operation{OperationID: "getItem", Method: http.MethodGet, Path: "/v1/item"}
	web.Handle(api, web.Anyone(), one, func(context.Context, *struct{}) (*taggedOutput, error) { return &taggedOutput{}, nil })
	return webtest.New(t, api.Handler())
}

func TestListAsCSV(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	c := listing(t,
		csvItem{
			base: base{"a1"}, Name: `Ada "Countess", Lovelace`, Size: -5, IsOld: true, UsedAt: &at, Scopes: []string{"a", "b"},
			Metadata: web.Object(`{"n":1}`),
		},
		csvItem{base: base{"b2"}, Name: "=1+1\n", Metadata: web.Object(`{}`), Hidden: "hidden"},
	).With("Accept", "text/csv")
	response := c.Get("/v1/items").WantStatus(http.StatusOK).WantHeader("Content-Type", "text/csv").WantHeader("Vary", "Accept").
		WantHeader("Link", `</v1/items?cursor=ZbYEb-SqnnIxMA>; rel="next"`)
	records, err := csv.NewReader(strings.NewReader(string(response.Body))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"id", "name", "size", "isOld", "usedAt", "scopes", "metadata", "line"},
		{"a1", `Ada "Countess", Lovelace`, "-5", "true", "2026-03-02T09:30:00Z", `["a","b"]`, `{"n":1}`, ""},
		{"b2", "'=1+1\n", "0", "false", "", "", "{}", ""},
	}
	if !slices.EqualFunc(records, want, slices.Equal[[]string]) {
		t.Errorf("got  %q\nwant %q", records, want)
	}
}

// Readers skip empty lines, so an empty cell that is alone in its record has quotes.
func TestCSVOfOneColumnHasEveryRow(t *testing.T) {
	type oneColumn struct {
		Body struct {
			Data []base `json:"data"`
		}
	}
	api := web.NewAPI(nil)
	names := huma.Operation{OperationID: "listNames", Method: http.MethodGet, Path: "/v1/names"}
	web.Handle(api, web.Anyone(), names, func(context.Context, *struct{}) (*oneColumn, error) {
		out := &oneColumn{}
		out.Body.Data = []base{{"a"}, {""}, {"b"}, {""}}
		return out, nil
	})
	response := webtest.New(t, api.Handler()).With("Accept", "text/csv").Get("/v1/names").WantStatus(http.StatusOK)
	if got, want := string(response.Body), "id\na\n\"\"\nb\n\"\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOnlyListsAreCSV(t *testing.T) {
	c := listing(t)
	for accept, contentType := range map[string]string{
		"": "application/json", "*/*": "application/json", "application/json, text/csv;q=0.5": "application/json", "text/html": "application/json",
		"text/csv, */*": "text/csv", "text/csv, application/json": "application/json", "text/*": "text/csv",
		"text/csv, */*;q=0.1": "text/csv", "TEXT/CSV; charset=utf-8": "text/csv", "text/csv;q=0": "application/json",
	} {
		c.With("Accept", accept).Get("/v1/items").WantStatus(http.StatusOK).WantHeader("Content-Type", contentType)
	}
	c = c.With("Accept", "text/csv")
	if response := c.Get("/v1/items"); string(response.Body) != "id,name,size,isOld,usedAt,scopes,metadata,line\n" {
		t.Errorf("an empty list is %q", response.Body)
	}
	c.Get("/v1/item").WantStatus(http.StatusOK).WantHeader("Content-Type", "application/json")
	for _, path := range []string{"/v1/items?offset=11", "/v1/items?limit=0"} {
		c.Get(path).WantHeader("Content-Type", "application/problem+json")
	}
}

func TestListAsJSONLines(t *testing.T) {
	first := csvItem{base: base{"a1"}, Name: "A\n<b>", Metadata: web.Object(`{"n":1}`)}
	c := listing(t, first, csvItem{base: base{"b2"}, Metadata: web.Object(`{}`)})
	for accept, contentType := range map[string]string{
		"application/x-ndjson": "application/x-ndjson", "application/x-ndjson, */*": "application/x-ndjson",
		"application/x-ndjson;q=0.5, application/json": "application/json",
	} {
		c.With("Accept", accept).Get("/v1/items").WantStatus(http.StatusOK).WantHeader("Content-Type", contentType).
			WantHeader("Link", `</v1/items?cursor=ZbYEb-SqnnIxMA>; rel="next"`)
	}
	c = c.With("Accept", "application/x-ndjson")
	const nothing = `"size":0,"isOld":false,"usedAt":null,"scopes":null,`
	want := `{"id":"a1","name":"A\n<b>",` + nothing + `"metadata":{"n":1}}` + "\n" +
		`{"id":"b2","name":"",` + nothing + `"metadata":{}}` + "\n"
	if got := string(c.Get("/v1/items").Body); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if empty := listing(t).With("Accept", "application/x-ndjson").Get("/v1/items").WantStatus(http.StatusOK); len(empty.Body) > 0 {
		t.Errorf("an empty list is %q", empty.Body)
	}
	c.Get("/v1/items?offset=11").WantHeader("Content-Type", "application/problem+json")
	c.Get("/v1/item").WantStatus(http.StatusOK).WantHeader("Content-Type", "application/json")
}

func TestLongCSVIsCompressed(t *testing.T) {
	items := slices.Repeat([]csvItem{{Name: "Ada", Metadata: web.Object(`{}`)}}, 100)
	listing(t, items...).With("Accept", "text/csv").With("Accept-Encoding", "gzip").Get("/v1/items").WantStatus(http.StatusOK).
		WantHeader("Content-Encoding", "gzip")
}
