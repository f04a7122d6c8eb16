package main

import (
	"net/http"
	"strings"
	"testing"

	"portside/shared/core/errorcode"
	"portside/shared/testkit/webtest"
	"portside/shared/web"
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
	webtest.New(t, handler(t)).Get("/v1/health").WantStatus(http.StatusOK).WantValue("", map[string]any{
		"status": "ok", "version": web.ReleaseVersion, "commit": "1f3a9c07be24",
	}).WantHeader("Cache-Control", "no-store")
}

func TestDocumentSupportsRevalidation(t *testing.T) {
	c := webtest.New(t, handler(t))
	first := c.Get("/openapi.json").WantStatus(http.StatusOK).WantValue("openapi", "3.1.0").WantValue("info.version", web.ReleaseVersion).
		WantHeader("Content-Type", "application/json").WantHeader("Cache-Control", "public, no-cache")
	again := c.With("If-None-Match", first.Header.Get("ETag")).Get("/openapi.json").WantStatus(http.StatusNotModified)
	if len(again.Body) != 0 {
		t.Errorf("a 304 has a body of %d bytes", len(again.Body))
	}
}

func TestRootRedirectsToPortal(t *testing.T) {
	webtest.New(t, handler(t)).Get("/").WantStatus(http.StatusFound).WantHeader("Location", "/portal")
}

func TestDocumentationLoadsOnlyItsOwnFiles(t *testing.T) {
	c := webtest.New(t, handler(t))
	page := c.Get("/docs").WantStatus(http.StatusOK).WantHeader("Content-Type", "text/html; charset=utf-8")
	policy := page.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") ||
		strings.Contains(policy, "http") {
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
		response := c.Get(address).WantStatus(http.StatusOK)
		if strings.Contains(address, "?v=") {
			response.WantHeader("Cache-Control", "public, max-age=31536000, immutable")
		}
	}
}

func TestTypeOfEveryProblemRefersToASectionOfThePage(t *testing.T) {
	c := webtest.New(t, handler(t))
	page := c.Get("/docs/errors").WantStatus(http.StatusOK).WantHeader("Content-Type", "text/html; charset=utf-8")
	if policy := page.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy,
		"default-src 'none'; style-src 'self';") {
		t.Errorf("the policy permits scripts: %s", policy)
	}
	for _, d := range errorcode.All() {
		address, anchor, _ := strings.Cut(d.Code.Type(), "#")
		if address != "/docs/errors" || strings.Count(string(page.Body), `id="`+anchor+`"`) != 1 {
			t.Errorf("%s refers to %s, which has not one such section", d.Code, d.Code.Type())
		}
	}
	for _, address := range webtest.References(page.Body) {
		c.Get(address).WantStatus(http.StatusOK)
	}
}

func TestPageOfErrorsHasCodeInPlaceOfBackticks(t *testing.T) {
	const want = `<p><strong>What to do:</strong> Use a method in the header <code>Allow</code>.</p>`
	page := string(webtest.New(t, handler(t)).Get("/docs/errors").Body)
	if !strings.Contains(page, want) || strings.Contains(page, "`") {
		t.Errorf("the page is not HTML:\n%s", page)
	}
}

func TestUnknownPathsGetProblemDetails(t *testing.T) {
	c := webtest.New(t, handler(t))
	for _, target := range []string{"/nothing", "/v1", "/v1/health/deep", "/docs/nothing.js", "//", "/docs/../docs",
		"/%00"} {
		c.Get(target).WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND")
	}
	c.Post("/openapi.json", "{}").WantStatus(http.StatusMethodNotAllowed).WantHeader("Allow", "GET, HEAD")
	c.Get("/v1/health?verbose=1").WantStatus(http.StatusBadRequest)
}
