package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portside/shared/testkit/webtest"
)

func handler(tb testing.TB) http.Handler {
	tb.Helper()
	s, err := newSite(testUploads, false)
	if err != nil {
		tb.Fatal(err)
	}
	return routes(s)
}

func TestEvents(t *testing.T) {
	webtest.Events(t, "portal", func(tb testing.TB) (http.Handler, map[string]string) { return handler(tb), nil })
}

// paths are the paths of the pages that mails link to.
func paths() []string { return []string{"/portal/activate", "/portal/collect"} }

//proves:docs/security.md
func TestPagesHaveSecurityHeaders(t *testing.T) {
	for _, path := range paths() {
		page := webtest.New(t, handler(t)).Get(path).WantStatus(http.StatusOK).
			WantHeader("Content-Type", "text/html; charset=utf-8").
			WantHeader("Cache-Control", "no-store").
			WantHeader("Referrer-Policy", "no-referrer").
			WantHeader("X-Frame-Options", "DENY").
			WantHeader("X-Content-Type-Options", "nosniff").WantHeader("Strict-Transport-Security",
			"max-age=31536000; includeSubDomains")
		policy := page.Header.Get("Content-Security-Policy")
		for _, wanted := range []string{"default-src 'none';", "script-src 'self' 'sha256-", "connect-src 'self' ",
			"frame-ancestors 'none'"} {
			if !strings.Contains(policy, wanted) {
				t.Errorf("the policy of %s lacks %s: %s", path, wanted, policy)
			}
		}
	}
}

func TestPagesLoadOnlyTheirOwnFiles(t *testing.T) {
	c := webtest.New(t, handler(t))
	for _, path := range paths() {
		page := c.Get(path).WantStatus(http.StatusOK)
		if forbidden := regexp.MustCompile(`//|<script>|\s(style|on[a-z]+)=`).Find(page.Body); forbidden != nil {
			t.Errorf("%s has %q, which its policy forbids", path, forbidden)
		}
		if !strings.Contains(string(page.Body), "<noscript>") {
			t.Errorf("%s has no text for browsers without scripts", path)
		}
		own := 0
		for _, address := range webtest.References(page.Body) {
			if strings.HasPrefix(address, "/portal/") {
				own++
				c.Get(address).WantStatus(http.StatusOK).WantHeader("Cache-Control", "public, max-age=31536000, immutable")
			}
		}
		if own < 4 {
			t.Errorf("%s refers to %d of its files, want the style sheet, the modules and the icon", path, own)
		}
	}
}

func TestPagesRejectOtherMethods(t *testing.T) {
	c := webtest.New(t, handler(t))
	for _, path := range paths() {
		c.Post(path, `{"token":"x"}`).WantStatus(http.StatusMethodNotAllowed).WantHeader("Allow", "GET, HEAD")
	}
	c.Get("/portal/assets/collect.js").WantStatus(http.StatusNotFound)
}
