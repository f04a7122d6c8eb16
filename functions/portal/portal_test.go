package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portside/shared/webtest"
)

func handler(tb testing.TB) http.Handler {
	tb.Helper()
	p, err := newPages()
	if err != nil {
		tb.Fatal(err)
	}
	return routes(p).Handler()
}

func TestEvents(t *testing.T) {
	webtest.Events(t, "portal", func(tb testing.TB) (http.Handler, map[string]string) { return handler(tb), nil })
}

func TestActivationPageKeepsItsSecrets(t *testing.T) {
	page := webtest.New(t, handler(t)).Get("/portal/activate").Is(http.StatusOK).
		HasHeader("Content-Type", "text/html; charset=utf-8").
		HasHeader("Cache-Control", "no-store").
		HasHeader("Referrer-Policy", "no-referrer").
		HasHeader("X-Frame-Options", "DENY").
		HasHeader("X-Content-Type-Options", "nosniff")
	policy := page.Header.Get("Content-Security-Policy")
	for _, wanted := range []string{"default-src 'none';", "script-src 'self';", "connect-src 'self';", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, wanted) {
			t.Errorf("the policy lacks %s: %s", wanted, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("the policy lets in too much: %s", policy)
	}
}

func TestActivationPageIsWholeWithoutOtherHosts(t *testing.T) {
	c := webtest.New(t, handler(t))
	page := c.Get("/portal/activate").Is(http.StatusOK)
	if forbidden := regexp.MustCompile(`//|<style|<script>|\s(style|on[a-z]+)=`).Find(page.Body); forbidden != nil {
		t.Errorf("the page has %q, which its policy forbids", forbidden)
	}
	if !strings.Contains(string(page.Body), "<noscript>") {
		t.Error("the page says nothing to browsers without scripts")
	}
	own := 0
	for _, address := range webtest.References(page.Body) {
		if strings.HasPrefix(address, "/portal/") {
			own++
			c.Get(address).Is(http.StatusOK).HasHeader("Cache-Control", "public, max-age=31536000, immutable")
		}
	}
	if own < 3 {
		t.Errorf("the page refers to %d files of its own, want its style, script and icon", own)
	}
}

func TestPageTakesNothing(t *testing.T) {
	c := webtest.New(t, handler(t))
	c.Post("/portal/activate", `{"token":"x"}`).Is(http.StatusMethodNotAllowed).HasHeader("Allow", "GET, HEAD")
	c.Get("/portal/assets/activate.html").Is(http.StatusNotFound)
	c.Get("/portal/assets/").Is(http.StatusNotFound)
	c.Get("/portal/").Is(http.StatusNotFound)
}
