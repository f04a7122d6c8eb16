// Package webtest lets a test talk to an http.Handler in steps that read like a conversation.
//
//	c := webtest.New(t, handler).With("X-API-Key", key)
//	c.Post("/v1/users", `{"email":"ada@example.com"}`).Is(400).Has("errors.0.pointer", "/name")
//
// Every answer is checked for what holds of all: an X-Request-Id, JSON that parses, and where the status is 400 or above
// problem details, or below /v2 an error of the OCI distribution specification.
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

// Client sends requests to a handler on behalf of one caller. It is immutable; With returns another.
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

// With returns a Client that sends one more header with every request.
func (c Client) With(name, value string) Client {
	c.header = c.header.Clone()
	c.header.Set(name, value)
	return c
}

// For returns the same Client reporting to another test, a subtest.
func (c Client) For(tb testing.TB) Client {
	c.tb = tb
	return c
}

// Get sends a GET.
func (c Client) Get(target string) Answer { c.tb.Helper(); return c.Do(http.MethodGet, target, "") }

// Post sends a POST with a JSON body.
func (c Client) Post(target, body string) Answer {
	c.tb.Helper()
	return c.Do(http.MethodPost, target, body)
}

// Put sends a PUT with a JSON body.
func (c Client) Put(target, body string) Answer {
	c.tb.Helper()
	return c.Do(http.MethodPut, target, body)
}

// Delete sends a DELETE.
func (c Client) Delete(target string) Answer {
	c.tb.Helper()
	return c.Do(http.MethodDelete, target, "")
}

// Do sends any request. A body is declared as JSON unless With has set another content type.
func (c Client) Do(method, target, body string) Answer {
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
		c.tb.Fatalf("%s %s: read the answer: %v", method, target, err)
	}
	a := Answer{tb: c.tb, what: method + " " + target, Status: response.StatusCode, Header: response.Header, Body: text}
	a.check(strings.HasPrefix(target, "/v2"))
	return a
}

// Answer is a response with assertions that name the request when they fail.
type Answer struct {
	tb     testing.TB
	what   string
	Status int
	Header http.Header
	Body   []byte
}

func (a Answer) check(registry bool) {
	a.tb.Helper()
	if a.Header.Get("X-Request-Id") == "" {
		a.tb.Errorf("%s: no X-Request-Id", a.what)
	}
	switch {
	case a.Status < http.StatusBadRequest:
	case registry:
		a.checkError("application/json", "errors.0.code", "errors.0.message")
	default:
		a.checkError("application/problem+json", "type", "title", "status", "detail", "code", "requestId")
	}
}

func (a Answer) checkError(mediaType string, members ...string) {
	a.tb.Helper()
	if got := a.Header.Get("Content-Type"); got != mediaType {
		a.tb.Errorf("%s: status %d with Content-Type %q, want %s", a.what, a.Status, got, mediaType)
	}
	for _, member := range members {
		if a.JSON(member) == nil {
			a.tb.Errorf("%s: an error without %s: %s", a.what, member, a.Body)
		}
	}
}

// Is ends the test unless the status is as wanted.
func (a Answer) Is(status int) Answer {
	a.tb.Helper()
	if a.Status != status {
		a.tb.Fatalf("%s: status %d, want %d: %s", a.what, a.Status, status, a.Body)
	}
	return a
}

// Has checks one value of the JSON body; path is keys and indexes joined by dots. Numbers compare as float64.
func (a Answer) Has(path string, want any) Answer {
	a.tb.Helper()
	if n, isInt := want.(int); isInt {
		want = float64(n)
	}
	if got := a.JSON(path); !reflect.DeepEqual(got, want) {
		a.tb.Errorf("%s: %s is %#v, want %#v", a.what, path, got, want)
	}
	return a
}

// HasHeader checks one header.
func (a Answer) HasHeader(name, want string) Answer {
	a.tb.Helper()
	if got := a.Header.Get(name); got != want {
		a.tb.Errorf("%s: header %s is %q, want %q", a.what, name, got, want)
	}
	return a
}

// Pointers returns the pointers of a problem's errors, in order.
func (a Answer) Pointers() []string {
	a.tb.Helper()
	all, _ := a.JSON("errors").([]any)
	pointers := make([]string, len(all))
	for i := range all {
		pointers[i] = a.Text("errors." + strconv.Itoa(i) + ".pointer")
	}
	return pointers
}

// Text returns one value of the JSON body that must be a string.
func (a Answer) Text(path string) string {
	a.tb.Helper()
	text, isText := a.JSON(path).(string)
	if !isText {
		a.tb.Fatalf("%s: %s is not a string: %s", a.what, path, a.Body)
	}
	return text
}

// JSON returns one value of the JSON body, nil where there is none; the empty path is the whole body.
func (a Answer) JSON(path string) any {
	a.tb.Helper()
	var value any
	if err := json.Unmarshal(a.Body, &value); err != nil {
		a.tb.Fatalf("%s: the answer is not JSON: %v: %q", a.what, err, a.Body)
	}
	if path == "" {
		return value
	}
	for step := range strings.SplitSeq(path, ".") {
		value = child(value, step)
	}
	return value
}

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

// String is the status and body, for messages.
func (a Answer) String() string { return fmt.Sprintf("%s: %d %s", a.what, a.Status, a.Body) }
