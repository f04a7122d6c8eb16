package main

import (
	"net/http"
	"strings"
	"testing"

	"portside/shared/testkit/webtest"
)

func handler(tb testing.TB) http.Handler {
	tb.Helper()
	p, err := newPages()
	if err != nil {
		tb.Fatal(err)
	}
	return routes(p, "1f3a9c07be24").Handler()
}

func TestEvents(t *testing.T) {
	webtest.Events(t, "system", func(tb testing.TB) (http.Handler, map[string]string) { return handler(tb), nil })
}

func TestHealthReturnsRelease(t *testing.T) {
	webtest.New(t, handler(t)).Get("/v1/health").Is(http.StatusOK).Has("", map[string]any{
		"status": "ok", "version": "0.1.0", "commit": "1f3a9c07be24",
	}).HasHeader("Cache-Control", "no-store")
}

func TestDocumentSupportsRevalidation(t *testing.T) {
	c := webtest.New(t, handler(t))
	first := c.Get("/openapi.json").Is(http.StatusOK).Has("openapi", "3.1.0").Has("info.version", "0.1.0").
		HasHeader("Content-Type", "application/json").HasHeader("Cache-Control", "public, no-cache")
	again := c.With("If-None-Match", first.Header.Get("ETag")).Get("/openapi.json").Is(http.StatusNotModified)
	if len(again.Body) != 0 {
		t.Errorf("a 304 has a body of %d bytes", len(again.Body))
	}
}

func TestRootRedirectsToDocumentation(t *testing.T) {
	webtest.New(t, handler(t)).Get("/").Is(http.StatusFound).HasHeader("Location", "/docs")
}

func TestDocumentationLoadsOnlyItsOwnFiles(t *testing.T) {
	c := webtest.New(t, handler(t))
	page := c.Get("/docs").Is(http.StatusOK).HasHeader("Content-Type", "text/html; charset=utf-8")
	policy := page.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("the policy permits too much: %s", policy)
	}
	if strings.Contains(string(page.Body), "//") {
		t.Errorf("the page refers to another host:\n%s", page.Body)
	}
	addresses := webtest.References(page.Body)
	if len(addresses) < 5 {
		t.Errorf("the page refers only to %v", addresses)
	}
	for _, address := range addresses {
		response := c.Get(address).Is(http.StatusOK)
		if strings.Contains(address, "?v=") {
			response.HasHeader("Cache-Control", "public, max-age=31536000, immutable")
		}
	}
}

func TestUnknownPathsGetProblemDetails(t *testing.T) {
	c := webtest.New(t, handler(t))
	for _, target := range []string{"/nothing", "/v1", "/v1/health/deep", "/docs/nothing.js", "/docs/", "//", "/docs/../docs", "/%00"} {
		c.Get(target).Is(http.StatusNotFound).Has("code", "NOT_FOUND")
	}
	c.Post("/openapi.json", "{}").Is(http.StatusMethodNotAllowed).HasHeader("Allow", "GET, HEAD")
	c.Get("/v1/health?verbose=1").Is(http.StatusBadRequest)
}
