// Package webtest sends requests to an http.Handler and checks the responses in short steps.
//
//	c := webtest.New(t, handler).With("X-API-Key", key)
//	c.Post("/v1/users", `{"email":"ada@example.com"}`).WantStatus(400).WantValue("errors.0.pointer", "/name")
//
// It checks every response for an X-Request-Id, and every error response for problem details, or below /v2 for an error of
// the OCI distribution specification.
package webtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// Client sends requests to a handler for one caller. It is immutable.
type Client struct {
	tb      testing.TB
	handler http.Handler
	header  http.Header
}

// New returns a Client without a credential.
func New(tb testing.TB, handler http.Handler) Client {
	tb.Helper()
	return Client{tb: tb, handler: handler, header: http.Header{}}
}

// With returns a Client that also sends the header with every request.
func (c Client) With(name, value string) Client {
	c.header = c.header.Clone()
	c.header.Set(name, value)
	return c
}

// For returns the same Client for a subtest.
func (c Client) For(tb testing.TB) Client {
	c.tb = tb
	return c
}

// Get sends a GET.
func (c Client) Get(target string) Response { c.tb.Helper(); return c.Do(http.MethodGet, target, "") }

// Post sends a POST with a JSON body.
func (c Client) Post(target, body string) Response {
	c.tb.Helper()
	return c.Do(http.MethodPost, target, body)
}

// Put sends a PUT with a JSON body.
func (c Client) Put(target, body string) Response {
	c.tb.Helper()
	return c.Do(http.MethodPut, target, body)
}

// Delete sends a DELETE.
func (c Client) Delete(target string) Response {
	c.tb.Helper()
	return c.Do(http.MethodDelete, target, "")
}

// Do sends a request. Its Content-Type is JSON unless With has set another one.
func (c Client) Do(method, target, body string) Response {
	c.tb.Helper()
	r := httptest.NewRequestWithContext(c.tb.Context(), method, target, strings.NewReader(body))
	r.Header = c.header.Clone()
	r.Header.Set("X-Request-Id", "test-request")
	if body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	response := w.Result()
	text, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		c.tb.Fatalf("%s %s: read the response: %v", method, target, err)
	}
	got := Response{tb: c.tb, request: method + " " + target, Status: response.StatusCode, Header: response.Header, Body: text}
	got.check(strings.HasPrefix(target, "/v2"))
	return got
}

// Response is a response with assertions. Their failure messages name the request.
type Response struct {
	tb      testing.TB
	request string
	Status  int
	Header  http.Header
	Body    []byte
}

// check checks what all responses have in common.
func (r Response) check(isRegistry bool) {
	r.tb.Helper()
	if r.Header.Get("X-Request-Id") == "" {
		r.tb.Errorf("%s: no X-Request-Id", r.request)
	}
	switch {
	case r.Status < http.StatusBadRequest:
	case isRegistry:
		r.checkError("application/json", "errors.0.code", "errors.0.message")
	default:
		r.checkError("application/problem+json", "type", "title", "status", "detail", "code", "requestId")
	}
}

func (r Response) checkError(mediaType string, members ...string) {
	r.tb.Helper()
	if got := r.Header.Get("Content-Type"); got != mediaType {
		r.tb.Errorf("%s: status %d with Content-Type %q, want %s", r.request, r.Status, got, mediaType)
	}
	for _, member := range members {
		if r.JSON(member) == nil {
			r.tb.Errorf("%s: the error has no %s: %s", r.request, member, r.Body)
		}
	}
}

// WantStatus ends the test unless the response has the status.
func (r Response) WantStatus(status int) Response {
	r.tb.Helper()
	if r.Status != status {
		r.tb.Fatalf("%s: status %d, want %d: %s", r.request, r.Status, status, r.Body)
	}
	return r
}

// WantValue checks one value of the JSON body. The path consists of keys and indexes joined by dots.
func (r Response) WantValue(path string, want any) Response {
	r.tb.Helper()
	if n, isInt := want.(int); isInt {
		want = float64(n)
	}
	if got := r.JSON(path); !reflect.DeepEqual(got, want) {
		r.tb.Errorf("%s: %s is %#v, want %#v", r.request, path, got, want)
	}
	return r
}

// WantHeader checks one header.
func (r Response) WantHeader(name, want string) Response {
	r.tb.Helper()
	if got := r.Header.Get(name); got != want {
		r.tb.Errorf("%s: header %s is %q, want %q", r.request, name, got, want)
	}
	return r
}

// Pointers returns the pointers of the errors in problem details, in order.
func (r Response) Pointers() []string {
	r.tb.Helper()
	all, _ := r.JSON("errors").([]any)
	pointers := make([]string, len(all))
	for i := range all {
		pointers[i] = r.Text("errors." + strconv.Itoa(i) + ".pointer")
	}
	return pointers
}

// Text returns one value of the JSON body, which must be a string.
func (r Response) Text(path string) string {
	r.tb.Helper()
	text, isText := r.JSON(path).(string)
	if !isText {
		r.tb.Fatalf("%s: %s is not a string: %s", r.request, path, r.Body)
	}
	return text
}

// JSON returns one value of the JSON body, or nil if there is none. The empty path returns the whole body.
func (r Response) JSON(path string) any {
	r.tb.Helper()
	var value any
	if err := json.Unmarshal(r.Body, &value); err != nil {
		r.tb.Fatalf("%s: the response is not JSON: %v: %q", r.request, err, r.Body)
	}
	if path == "" {
		return value
	}
	for step := range strings.SplitSeq(path, ".") {
		value = child(value, step)
	}
	return value
}

// child returns the value under a key or index, or nil.
func child(value any, step string) any {
	switch v := value.(type) {
	case map[string]any:
		return v[step]
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i < len(v) {
			return v[i]
		}
	}
	return nil
}

// String returns the request, the status and the body, for messages.
func (r Response) String() string { return fmt.Sprintf("%s: %d %s", r.request, r.Status, r.Body) }
