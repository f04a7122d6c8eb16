// Package api has the end-to-end tests of what all operations have in common: the document, headers, invalid requests,
// idempotency, lists, permissions, the isolation of customers, random requests, and clients that are generated.
package api

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portside/local/e2e/e2etest"
)

func TestMain(m *testing.M) { e2etest.Main(m) }

func TestSystemPages(t *testing.T) {
	p := e2etest.Shared(t)
	visitor := p.Anonymous(t)
	health := visitor.Get("/v1/health").WantStatus(http.StatusOK).WantValue("status", "ok")
	if health.Text("version") == "" || health.Text("commit") == "" {
		t.Errorf("the health response lacks the version: %s", health.Body)
	}
	visitor.Get("/").WantStatus(http.StatusFound).WantHeader("Location", "/portal")
	docs := visitor.Get("/docs").WantStatus(http.StatusOK).WantHeader("Content-Type", "text/html; charset=utf-8")
	files := e2etest.References(docs)
	if len(files) < 4 {
		t.Errorf("the documentation loads only %q", files)
	}
	for _, file := range files {
		visitor.Get(file).WantStatus(http.StatusOK)
	}
	visitor.Get("/portal/assets/nothing").WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND")
}

// TestOpenAPIDocument calls every operation of the document and checks that a function serves it.
func TestOpenAPIDocument(t *testing.T) {
	p := e2etest.Shared(t)
	visitor := p.Anonymous(t)
	document := visitor.Get("/openapi.json").WantStatus(http.StatusOK).WantHeader("Content-Type", "application/json")
	if version := document.Text("openapi"); !strings.HasPrefix(version, "3.1.") {
		t.Errorf("OpenAPI %s", version)
	}
	again := visitor.With("If-None-Match", document.Header.Get("ETag")).Get("/openapi.json").
		WantStatus(http.StatusNotModified)
	if len(again.Body) > 0 {
		t.Error("a 304 with a body")
	}
	paths := document.JSON("paths").(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for method, operation := range paths[path].(map[string]any) {
			t.Run(method+" "+path, func(t *testing.T) { checkServed(t, p.Anonymous(t), method+" "+path, operation.(map[string]any)) })
		}
	}
	if len(paths) < 6 {
		t.Errorf("the document has only %d paths", len(paths))
	}
}

// checkServed calls an operation without a credential. Only here are the routes of all functions tested together.
func checkServed(t *testing.T, visitor e2etest.Client, name string, operation map[string]any) {
	t.Helper()
	method, path, _ := strings.Cut(name, " ")
	a := visitor.Do(strings.ToUpper(method),
		regexp.MustCompile(`{[^}]+}`).ReplaceAllString(path, "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"), "")
	ways := operation["security"].([]any)
	isOptional := slices.ContainsFunc(ways, func(way any) bool { return len(way.(map[string]any)) == 0 })
	switch {
	case len(ways) > 0 && !isOptional:
		a.WantStatus(http.StatusUnauthorized)
	case a.Status == http.StatusNotFound && strings.Contains(a.Text("detail"), "nothing at this path"),
		a.Status == http.StatusMethodNotAllowed, a.Status == http.StatusUnauthorized:
		t.Errorf("status %d: %s", a.Status, a.Body)
	}
}

//proves:docs/security.md
func TestCORS(t *testing.T) {
	p := e2etest.Shared(t)
	page := p.Anonymous(t).With("Origin", "https://app.example.com")
	asked := page.With("Access-Control-Request-Method", "PUT").
		With("Access-Control-Request-Headers", "x-api-key,content-type").
		FromGateway().Do(http.MethodOptions, "/v1/users/1", "").WantStatus(http.StatusNoContent).
		WantHeader("Access-Control-Allow-Origin", "*").WantHeader("Access-Control-Max-Age", "600")
	for header, wanted := range map[string][]string{
		"Access-Control-Allow-Methods": {"PUT", "DELETE"},
		"Access-Control-Allow-Headers": {"x-api-key", "content-type", "if-match", "idempotency-key"},
	} {
		for _, word := range wanted {
			if allowed := strings.Split(asked.Header.Get(header), ","); !slices.Contains(allowed, word) {
				t.Errorf("%s: %q, want %s too", header, allowed, word)
			}
		}
	}
	for _, a := range []e2etest.Response{
		page.Get("/v1/health").WantStatus(http.StatusOK),
		page.Get("/v1/users").WantStatus(http.StatusUnauthorized), // pages must be able to read errors, too
	} {
		a.WantHeader("Access-Control-Allow-Origin", "*").WantHeader("Access-Control-Allow-Credentials", "")
		if exposed := a.Header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "x-request-id") {
			t.Errorf("%s exposes %q", a.Request(), exposed)
		}
	}
	p.Anonymous(t).Get("/v1/health").WantHeader("Access-Control-Allow-Origin", "")
}

func TestMethodsAndHeaders(t *testing.T) {
	p := e2etest.Shared(t)
	root := p.Admin(t)
	for _, path := range []string{
		"/nothing", "/v1", "/v3", "/v1/health/deep", "/v1//users", "/v1/users/%2e%2e/health", "/%00",
	} {
		root.Get(path).WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND")
	}
	root.Get("/v1/users/").WantStatus(http.StatusFound).WantHeader("Location", "/v1/users")
	root.Do(http.MethodPatch, "/v1/users", "{}").WantStatus(http.StatusMethodNotAllowed).
		WantValue("code", "METHOD_NOT_ALLOWED").WantHeader("Allow", "GET, HEAD, POST")
	root.Post("/v1/health", "{}").WantStatus(http.StatusMethodNotAllowed).WantHeader("Allow", "GET, HEAD")

	at := p.Users.Path(t, e2etest.FirstAdmin)
	head := root.Do(http.MethodHead, at, "").WantStatus(http.StatusOK).WantHeader("ETag", root.Get(at).Header.Get("ETag"))
	if len(head.Body) > 0 {
		t.Errorf("HEAD with the body %q", head.Body)
	}
	root.Do(http.MethodGet, at, `{"name":`).WantStatus(http.StatusOK) // the body is ignored
	p.Anonymous(t).With("x-api-KEY", root.Header.Get("X-API-Key")).Get(at).WantStatus(http.StatusOK)

	root.With("X-Request-Id", "mine").Get(at).
		WantStatus(http.StatusOK) // the client's ID is ignored: see checkRequestID
	root.With("X-Padding", strings.Repeat("p", 9000)).Get(at).WantStatus(http.StatusOK)
	root.With("X-Padding", strings.Repeat("p", 11000)).FromGateway().Get(at).
		WantStatus(http.StatusRequestHeaderFieldsTooLarge).WantValue("message", "Request Header Fields Too Large")
}
