// Package testclient sends HTTP requests in tests and checks the responses in short steps.
//
//	c = c.With("X-API-Key", key)
//	c.Post("/v1/users", `{"email":"ada@example.com"}`).WantStatus(400).WantValue("errors.0.pointer", "/name")
//
// It is a module because two modules share it: the tests of functions call a handler
// (shared/testkit/webtest), and the end-to-end tests call a running stack (local/e2e).
package testclient

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// Client sends requests for one caller. With and For return changed copies.
type Client struct {
	TB        testing.TB
	BaseURL   string      // precedes every target
	Header    http.Header // of every request
	RoundTrip func(r *http.Request) (*http.Response, error)
	Check     func(tb testing.TB, r Response) // checks what all responses have in common
}

// With returns a Client that also sends the header with every request.
func (c Client) With(name, value string) Client {
	c.Header = c.Header.Clone()
	if c.Header == nil {
		c.Header = http.Header{}
	}
	c.Header.Set(name, value)
	return c
}

// For returns the same Client for a subtest.
func (c Client) For(tb testing.TB) Client {
	c.TB = tb
	return c
}

// Get sends a GET.
func (c Client) Get(target string) Response { c.TB.Helper(); return c.Do(http.MethodGet, target, "") }

// Post sends a POST with a JSON body.
func (c Client) Post(target, body string) Response {
	c.TB.Helper()
	return c.Do(http.MethodPost, target, body)
}

// Put sends a PUT with a JSON body.
func (c Client) Put(target, body string) Response {
	c.TB.Helper()
	return c.Do(http.MethodPut, target, body)
}

// Patch sends a PATCH with a JSON body.
func (c Client) Patch(target, body string) Response {
	c.TB.Helper()
	return c.Do(http.MethodPatch, target, body)
}

// Delete sends a DELETE.
func (c Client) Delete(target string) Response {
	c.TB.Helper()
	return c.Do(http.MethodDelete, target, "")
}

// Do sends a request and checks the response. The Content-Type of a body is JSON unless With has
// set another one.
func (c Client) Do(method, target, body string) Response {
	c.TB.Helper()
	response, err := c.Send(method, target, body)
	if err != nil {
		c.TB.Fatal(err)
	}
	c.Check(c.TB, response)
	return response
}

// Send is Do without Check and without failing the test, for a server that may have stopped.
func (c Client) Send(method, target, body string) (Response, error) {
	c.TB.Helper()
	r, err := http.NewRequestWithContext(c.TB.Context(), method, c.BaseURL+target, strings.NewReader(body))
	if err != nil {
		return Response{}, fmt.Errorf("build the request: %w", err)
	}
	maps.Copy(r.Header, c.Header.Clone())
	if body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response := Response{tb: c.TB, Method: method, Target: target}
	reply, err := c.RoundTrip(r)
	if err != nil {
		return response, fmt.Errorf("%s: %w", response.Request(), err)
	}
	defer reply.Body.Close()
	response.Status, response.Header = reply.StatusCode, reply.Header
	if response.Body, err = io.ReadAll(reply.Body); err != nil {
		return response, fmt.Errorf("%s: read the response: %w", response.Request(), err)
	}
	return response, nil
}
