package e2e

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// references returns the paths that a page loads from its host.
func references(page response) []string {
	var files []string
	for _, match := range regexp.MustCompile(`(?:src|href)="(/[^"]*)"`).FindAllSubmatch(page.body, -1) {
		files = append(files, string(match[1]))
	}
	return files
}

func testSystemPages(t *testing.T, p *testStack) {
	visitor := p.anonymous(t)
	health := visitor.get("/v1/health").wantStatus(http.StatusOK).wantValue("status", "ok")
	if health.text("version") == "" || health.text("commit") == "" {
		t.Errorf("the health response lacks the version: %s", health.body)
	}
	visitor.get("/").wantStatus(http.StatusFound).wantHeader("Location", "/docs")
	docs := visitor.get("/docs").wantStatus(http.StatusOK).wantHeader("Content-Type", "text/html; charset=utf-8")
	files := references(docs)
	if len(files) < 4 {
		t.Errorf("the documentation loads only %q", files)
	}
	for _, file := range files {
		visitor.get(file).wantStatus(http.StatusOK)
	}
	visitor.get("/portal/nothing").wantStatus(http.StatusNotFound).wantValue("code", "NOT_FOUND")
}

// testOpenAPIDocument calls every operation of the document and checks that a function serves it.
func testOpenAPIDocument(t *testing.T, p *testStack) {
	visitor := p.anonymous(t)
	document := visitor.get("/openapi.json").wantStatus(http.StatusOK).wantHeader("Content-Type", "application/json")
	if version := document.text("openapi"); !strings.HasPrefix(version, "3.1.") {
		t.Errorf("OpenAPI %s", version)
	}
	again := visitor.with("If-None-Match", document.header.Get("ETag")).get("/openapi.json").
		wantStatus(http.StatusNotModified)
	if len(again.body) > 0 {
		t.Error("a 304 with a body")
	}
	paths := document.json("paths").(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for method, operation := range paths[path].(map[string]any) {
			t.Run(method+" "+path, func(t *testing.T) { p.checkServed(t, method, path, operation.(map[string]any)) })
		}
	}
	if len(paths) < 6 {
		t.Errorf("the document has only %d paths", len(paths))
	}
}

// checkServed calls an operation without a credential. Only here are the routes of all functions
// tested together.
func (p *testStack) checkServed(t *testing.T, method, path string, operation map[string]any) {
	target := regexp.MustCompile(`{[^}]+}`).ReplaceAllString(path, "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11")
	a := p.anonymous(t).do(strings.ToUpper(method), target, "")
	switch locked := len(operation["security"].([]any)) > 0; {
	case locked:
		a.wantStatus(http.StatusUnauthorized)
	case a.status == http.StatusNotFound, a.status == http.StatusMethodNotAllowed, a.status == http.StatusUnauthorized:
		t.Errorf("status %d: %s", a.status, a.body)
	}
}

func testCORS(t *testing.T, p *testStack) {
	page := p.anonymous(t).with("Origin", "https://app.example.com")
	asked := page.with("Access-Control-Request-Method", "PUT").with("Access-Control-Request-Headers", "x-api-key,content-type").
		fromGateway().do(http.MethodOptions, "/v1/users/1", "").wantStatus(http.StatusNoContent).
		wantHeader("Access-Control-Allow-Origin", "*").wantHeader("Access-Control-Max-Age", "600")
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
	for _, a := range []response{
		page.get("/v1/health").wantStatus(http.StatusOK),
		page.get("/v1/users").wantStatus(http.StatusUnauthorized), // pages must be able to read errors, too
	} {
		a.wantHeader("Access-Control-Allow-Origin", "*")
		if exposed := a.header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "x-request-id") {
			t.Errorf("%s exposes %q", a.request, exposed)
		}
	}
	p.anonymous(t).get("/v1/health").wantHeader("Access-Control-Allow-Origin", "")
}

func testMethodsAndHeaders(t *testing.T, p *testStack) {
	root := p.admin(t)
	for _, path := range []string{
		"/nothing", "/v1", "/v3/", "/v1/health/deep", "/v1/users/", "/v1//users", "/v1/users/%2e%2e/health", "/%00",
	} {
		root.get(path).wantStatus(http.StatusNotFound).wantValue("code", "NOT_FOUND")
	}
	root.do(http.MethodPatch, "/v1/users", "{}").wantStatus(http.StatusMethodNotAllowed).
		wantValue("code", "METHOD_NOT_ALLOWED").wantHeader("Allow", "GET, HEAD, POST")
	root.post("/v1/health", "{}").wantStatus(http.StatusMethodNotAllowed).wantHeader("Allow", "GET, HEAD")

	at := p.userPath(t, "admin@localhost")
	head := root.do(http.MethodHead, at, "").wantStatus(http.StatusOK).wantHeader("ETag", root.get(at).header.Get("ETag"))
	if len(head.body) > 0 {
		t.Errorf("HEAD with the body %q", head.body)
	}
	root.do(http.MethodGet, at, `{"name":`).wantStatus(http.StatusOK) // the body is ignored
	p.anonymous(t).with("x-api-KEY", root.header.Get("X-API-Key")).get(at).wantStatus(http.StatusOK)

	root.with("X-Request-Id", "mine").get(at).
		wantStatus(http.StatusOK) // the client's ID is ignored: see checkCommonHeaders
	root.with("X-Padding", strings.Repeat("p", 9000)).get(at).wantStatus(http.StatusOK)
	root.with("X-Padding", strings.Repeat("p", 11000)).fromGateway().get(at).
		wantStatus(http.StatusRequestHeaderFieldsTooLarge).wantValue("message", "Request Header Fields Too Large")
}
