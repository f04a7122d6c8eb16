package web_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/testkit/webtest"
	"portside/shared/web"
)

// withoutBody returns an API whose operations take no body, and the number of their calls.
func withoutBody() (http.Handler, *int) {
	api, calls := web.NewAPI(nil), 0
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		op := huma.Operation{OperationID: method, Method: method, Path: "/v1/items"}
		web.Handle(api, web.Anyone(), op, func(context.Context, *struct{}) (*itemOutput, error) {
			calls++
			return &itemOutput{}, nil
		})
	}
	return api.Handler(), &calls
}

func TestOperationWithoutBodyRejectsABody(t *testing.T) {
	handler, calls := withoutBody()
	c := webtest.New(t, handler)
	for _, method := range []string{http.MethodPost, http.MethodDelete} {
		for _, body := range []string{"{}", "null", " ", `{"fileName": "a.pdf"}`, "not JSON"} {
			c.Do(method, "/v1/items", body).WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR").
				WantValue("errors", []any{map[string]any{"pointer": "", "detail": "send no body"}})
		}
		if *calls != 0 {
			t.Errorf("%d rejected %s reached the handler", *calls, method)
		}
		c.With("Content-Type", "application/json").Do(method, "/v1/items", "").WantStatus(http.StatusOK)
		*calls = 0
	}
	c.Do(http.MethodGet, "/v1/items", "{}").WantStatus(http.StatusOK)
}

func TestBodyInChunksIsABody(t *testing.T) {
	handler, _ := withoutBody()
	for body, want := range map[string]int{"": http.StatusOK, "{}": http.StatusBadRequest} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/items", io.NopCloser(strings.NewReader(body)))
		if r.ContentLength != -1 {
			t.Fatalf("the request declares %d bytes", r.ContentLength)
		}
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%q in chunks: status %d, want %d", body, w.Code, want)
		}
	}
}
