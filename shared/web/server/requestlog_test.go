package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portside/shared/web/server"
)

// TestEveryResponseHasHeadersForBrowsers opens an answer, a missing path and a panic as a browser would.
//
//proves:docs/security.md
func TestEveryResponseHasHeadersForBrowsers(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /answer", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	mux.HandleFunc("GET /panic", func(http.ResponseWriter, *http.Request) { panic("a defect") })
	for path, status := range map[string]int{"/answer": 200, "/missing": 404, "/panic": 500} {
		out := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		server.Observe(mux, server.WritePanic).ServeHTTP(out, request)
		if out.Code != status {
			t.Errorf("%s: status %d, want %d", path, out.Code, status)
		}
		if strings.Contains(out.Body.String(), "a defect") {
			t.Errorf("%s shows the cause: %s", path, out.Body)
		}
		for name, want := range map[string]string{
			"Cache-Control":             "no-store",
			"Content-Security-Policy":   "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"Referrer-Policy":           "no-referrer",
			"Strict-Transport-Security": "max-age=31536000; includeSubDomains",
			"X-Content-Type-Options":    "nosniff",
		} {
			if got := out.Header().Get(name); got != want {
				t.Errorf("%s has the %s %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestClientAddress(t *testing.T) {
	for remote, want := range map[string]string{
		"203.0.113.9:0": "203.0.113.9", "[2001:db8::1]:0": "2001:db8::1", "[::ffff:203.0.113.9]:443": "203.0.113.9", ":0": "", "": "",
	} {
		if got := server.Address(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("the address of %q is %q, want %q", remote, got, want)
		}
	}
}
