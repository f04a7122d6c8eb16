package e2e

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// references returns what a page loads from its own host.
func references(page answer) []string {
	var files []string
	for _, match := range regexp.MustCompile(`(?:src|href)="(/[^"]*)"`).FindAllSubmatch(page.body, -1) {
		files = append(files, string(match[1]))
	}
	return files
}

func systemPages(t *testing.T, p *portal) {
	visitor := p.visitor(t)
	health := visitor.get("/v1/health").is(http.StatusOK).has("status", "ok")
	if health.text("version") == "" || health.text("commit") == "" {
		t.Errorf("the health does not say what runs: %s", health.body)
	}
	visitor.get("/").is(http.StatusFound).hasHeader("Location", "/docs")
	docs := visitor.get("/docs").is(http.StatusOK).hasHeader("Content-Type", "text/html; charset=utf-8")
	files := references(docs)
	if len(files) < 4 {
		t.Errorf("the documentation loads %q only", files)
	}
	for _, file := range files {
		visitor.get(file).is(http.StatusOK)
	}
	visitor.get("/portal/nothing").is(http.StatusNotFound).has("code", "NOT_FOUND")
}

// description asks for every operation that the document has, and expects the function that the document promises.
func description(t *testing.T, p *portal) {
	visitor := p.visitor(t)
	document := visitor.get("/openapi.json").is(http.StatusOK).hasHeader("Content-Type", "application/json")
	if version := document.text("openapi"); !strings.HasPrefix(version, "3.1.") {
		t.Errorf("OpenAPI %s", version)
	}
	again := visitor.with("If-None-Match", document.header.Get("ETag")).get("/openapi.json").is(http.StatusNotModified)
	if len(again.body) > 0 {
		t.Error("a 304 with a body")
	}
	paths := document.json("paths").(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for method, operation := range paths[path].(map[string]any) {
			t.Run(method+" "+path, func(t *testing.T) { p.isServed(t, method, path, operation.(map[string]any)) })
		}
	}
	if len(paths) < 6 {
		t.Errorf("the document has %d paths only", len(paths))
	}
}

// isServed calls an operation as nobody in particular. The routes of all functions meet here for the first time.
func (p *portal) isServed(t *testing.T, method, path string, operation map[string]any) {
	target := regexp.MustCompile(`{[^}]+}`).ReplaceAllString(path, "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11")
	a := p.visitor(t).do(strings.ToUpper(method), target, "")
	switch locked := len(operation["security"].([]any)) > 0; {
	case locked:
		a.is(http.StatusUnauthorized)
	case a.status == http.StatusNotFound, a.status == http.StatusMethodNotAllowed, a.status == http.StatusUnauthorized:
		t.Errorf("status %d: %s", a.status, a.body)
	}
}

func browsers(t *testing.T, p *portal) {
	page := p.visitor(t).with("Origin", "https://app.example.com")
	asked := page.with("Access-Control-Request-Method", "PUT").with("Access-Control-Request-Headers", "x-api-key,content-type").
		atGateway().do(http.MethodOptions, "/v1/users/1", "").is(http.StatusNoContent).
		hasHeader("Access-Control-Allow-Origin", "*").hasHeader("Access-Control-Max-Age", "600")
	for header, wanted := range map[string][]string{
		"Access-Control-Allow-Methods": {"PUT", "DELETE"},
		"Access-Control-Allow-Headers": {"x-api-key", "content-type", "if-match", "idempotency-key"},
	} {
		for _, word := range wanted {
			if allowed := strings.Split(asked.header.Get(header), ","); !slices.Contains(allowed, word) {
				t.Errorf("%s: %q, want %s too", header, allowed, word)
			}
		}
	}
	for _, a := range []answer{
		page.get("/v1/health").is(http.StatusOK),
		page.get("/v1/users").is(http.StatusUnauthorized), // which a page must be able to read, too
	} {
		a.hasHeader("Access-Control-Allow-Origin", "*")
		if exposed := a.header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "x-request-id") {
			t.Errorf("%s exposes %q", a.what, exposed)
		}
	}
	p.visitor(t).get("/v1/health").hasHeader("Access-Control-Allow-Origin", "")
}

func methodsAndHeaders(t *testing.T, p *portal) {
	root := p.root(t)
	for _, path := range []string{
		"/nothing", "/v1", "/v3/", "/v1/health/deep", "/v1/users/", "/v1//users", "/v1/users/%2e%2e/health", "/%00",
	} {
		root.get(path).is(http.StatusNotFound).has("code", "NOT_FOUND")
	}
	root.do(http.MethodPatch, "/v1/users", "{}").is(http.StatusMethodNotAllowed).
		has("code", "METHOD_NOT_ALLOWED").hasHeader("Allow", "GET, HEAD, POST")
	root.post("/v1/health", "{}").is(http.StatusMethodNotAllowed).hasHeader("Allow", "GET, HEAD")

	at := p.find(t, "admin@localhost")
	head := root.do(http.MethodHead, at, "").is(http.StatusOK).hasHeader("ETag", root.get(at).header.Get("ETag"))
	if len(head.body) > 0 {
		t.Errorf("HEAD with the body %q", head.body)
	}
	root.do(http.MethodGet, at, `{"name":`).is(http.StatusOK) // a body that nobody reads
	p.visitor(t).with("x-api-KEY", root.header.Get("X-API-Key")).get(at).is(http.StatusOK)

	root.with("X-Request-Id", "mine").get(at).is(http.StatusOK) // the client's own id is not believed: see checkManners
	root.with("X-Padding", strings.Repeat("p", 9000)).get(at).is(http.StatusOK)
	root.with("X-Padding", strings.Repeat("p", 11000)).atGateway().get(at).
		is(http.StatusRequestHeaderFieldsTooLarge).has("message", "Request Header Fields Too Large")
}
