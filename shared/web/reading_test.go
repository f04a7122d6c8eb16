package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/paging"
	"portside/shared/testkit/webtest"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// pageOutput is a page of a list.
type pageOutput struct {
	Body struct {
		Data       []string       `json:"data"`
		Pagination web.Pagination `json:"pagination"`
	}
}

// taggedOutput is one resource with its version.
type taggedOutput struct {
	resource.Version
	Body struct {
		Item string `json:"item"`
	}
}

// reading returns a client of a list of 5 long items, of one resource, and of a fixed path beside it.
func reading(t *testing.T) webtest.Client {
	t.Helper()
	api := web.NewAPI(nil)
	list := huma.Operation{OperationID: "listItems", Method: http.MethodGet, Path: "/v1/items"}
	web.Handle(api, web.Anyone(), list, func(_ context.Context, in *struct {
		web.Paging
		Kind string `query:"kind"`
	},
	) (*pageOutput, error) {
		out := &pageOutput{}
		after, err := in.After()
		if err != nil {
			return nil, err
		}
		for range in.Limit {
			out.Body.Data = append(out.Body.Data, strings.Repeat("item ", 500))
		}
		next := map[paging.Position]paging.Position{"": "2", "2": "4"}[after]
		out.Body.Pagination = in.Pagination(5, next)
		return out, nil
	})
	one := huma.Operation{OperationID: "getItem", Method: http.MethodGet, Path: "/v1/items/{itemId}"}
	web.Handle(api, web.Anyone(), one, func(_ context.Context, _ *struct {
		ID string `path:"itemId"`
	},
	) (*taggedOutput, error) {
		out := &taggedOutput{Version: resource.VersionOf(3)}
		out.Body.Item = strings.Repeat("item ", 500)
		return out, nil
	})
	fixed := huma.Operation{OperationID: "sortItems", Method: http.MethodPost, Path: "/v1/items/sort"}
	web.Handle(api, web.Anyone(), fixed, func(context.Context, *struct{}) (*itemOutput, error) { return &itemOutput{}, nil })
	return webtest.New(t, api.Handler())
}

func TestListLinksItsNextPage(t *testing.T) {
	c, target := reading(t), "/v1/items?kind=a%26b&limit=2&offset=0"
	for range 2 {
		page := c.Get(target).WantStatus(http.StatusOK)
		target = "/v1/items?cursor=" + page.Text("pagination.next") + "&kind=a%26b&limit=2"
		page.WantHeader("Link", "<"+target+`>; rel="next"`)
	}
	c.Get(target).WantStatus(http.StatusOK).WantHeader("Link", "").WantValue("pagination.next", nil)
}

func TestResourceThatTheClientHasIs304(t *testing.T) {
	for sent, status := range map[string]int{
		`"3"`: 304, `W/"3"`: 304, `"1", "3"`: 304, `*`: 304, `"2"`: 200, `3`: 200, ``: 200,
	} {
		response := reading(t).With("If-None-Match", sent).Get("/v1/items/a").WantStatus(status).WantHeader("ETag", `"3"`)
		if status == http.StatusNotModified && (len(response.Body) > 0 || response.Header.Get("Content-Type") != "") {
			t.Errorf("%s: the 304 has a body: %s", sent, response)
		}
	}
	reading(t).With("If-None-Match", "*").Get("/v1/items").WantStatus(http.StatusOK) // a list has no ETag
}

func TestLongResourceWithAWeakTagIsCompressed(t *testing.T) {
	api := web.NewAPI(nil)
	one := huma.Operation{OperationID: "getItem", Method: http.MethodGet, Path: "/v1/item"}
	web.Handle(api, web.Anyone(), one, func(context.Context, *struct{}) (*taggedOutput, error) {
		out := &taggedOutput{}
		out.Body.Item = strings.Repeat("item ", 500)
		out.Version = resource.WeakContentVersion(out.Body)
		return out, nil
	})
	c := webtest.New(t, api.Handler()).With("Accept-Encoding", "gzip")
	tag := c.Get("/v1/item").WantHeader("Content-Encoding", "gzip").Header.Get("ETag")
	c.With("If-None-Match", tag).Get("/v1/item").WantStatus(http.StatusNotModified).WantHeader("ETag", tag)
	reading(t).With("Accept-Encoding", "gzip").Get("/v1/items/a").WantHeader("Content-Encoding", "") // its tag is strong
}

func TestLongListIsCompressed(t *testing.T) {
	c := reading(t)
	plain := c.Get("/v1/items").WantHeader("Content-Encoding", "").WantHeader("Vary", "Accept-Encoding")
	packed := c.With("Accept-Encoding", "br, gzip;q=0.5").Get("/v1/items").WantStatus(http.StatusOK).
		WantHeader("Content-Encoding", "gzip").WantHeader("Vary", "Accept-Encoding")
	reader, err := gzip.NewReader(strings.NewReader(string(packed.Body)))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(reader); err != nil || !bytes.Equal(text, plain.Body) {
		t.Errorf("unpacked %d bytes, want %d: %v", len(text), len(plain.Body), err)
	}
	if len(packed.Body) > len(plain.Body)/10 {
		t.Errorf("%d bytes became %d", len(plain.Body), len(packed.Body))
	}
	c.With("Accept-Encoding", "gzip;q=0").Get("/v1/items").WantHeader("Content-Encoding", "")
	c.With("Accept-Encoding", "gzip").Get("/v1/items/a").WantHeader("Content-Encoding", "") // its strong ETag identifies the plain bytes
}

func TestAllowOfAFixedPathIsExact(t *testing.T) {
	c := reading(t)
	for _, method := range []string{http.MethodGet, http.MethodPut} {
		c.Do(method, "/v1/items/sort", "").WantStatus(http.StatusMethodNotAllowed).WantHeader("Allow", "POST")
	}
	c.Do(http.MethodPut, "/v1/items", "").WantStatus(http.StatusMethodNotAllowed).WantHeader("Allow", "GET, HEAD")
	c.Do(http.MethodPut, "/v1/items/a", "").WantStatus(http.StatusMethodNotAllowed).WantHeader("Allow", "GET, HEAD")
	c.Post("/v1/items/sort", "").WantStatus(http.StatusOK)
}
