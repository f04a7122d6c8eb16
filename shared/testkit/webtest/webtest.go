// Package webtest sends requests to an http.Handler and checks the responses in short steps.
//
//	c := webtest.New(t, handler).With("X-API-Key", key)
//	c.Post("/v1/users", `{"email":"ada@example.com"}`).WantStatus(400).WantValue("errors.0.pointer", "/name")
//
// It checks every response for an X-Request-Id, and every error response for problem details, or below /v2 for an error
// of the OCI distribution specification.
package webtest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portside/shared/core/errorcode"
	"portside/testclient"
)

// Client is testclient.Client, so that tests need to import only this package.
type Client = testclient.Client

// Response is testclient.Response, so that tests need to import only this package.
type Response = testclient.Response

// New returns a Client without a credential.
func New(tb testing.TB, handler http.Handler) Client {
	tb.Helper()
	send := func(r *http.Request) (*http.Response, error) {
		received := httptest.NewRequestWithContext(r.Context(), r.Method, r.URL.RequestURI(), r.Body)
		received.Header, received.ContentLength = r.Header, r.ContentLength
		received.Header.Set("X-Request-Id", "test-request")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, received)
		return w.Result(), nil
	}
	return Client{TB: tb, BaseURL: "http://example.com", RoundTrip: send, Check: check}
}

// check checks what all responses have in common.
func check(tb testing.TB, r Response) {
	tb.Helper()
	if r.Header.Get("X-Request-Id") == "" {
		tb.Errorf("%s: no X-Request-Id", r.Request())
	}
	switch {
	case r.Status < http.StatusBadRequest:
	case strings.HasPrefix(r.Target, "/v2"):
		r.WantRegistryError()
	default:
		r.WantProblem()
		r.WantStatus(errorcode.Code(r.Text("code")).Status())
	}
}
