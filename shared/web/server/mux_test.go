package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestSlashAtTheEndRedirects(t *testing.T) {
	mux := NewMux()
	mux.HandleFunc("GET /docs", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /v2/{$}", func(http.ResponseWriter, *http.Request) {})
	for _, test := range []struct {
		method, target string
		status         int
		location       string
	}{
		{http.MethodGet, "/docs/", http.StatusFound, "/docs"},
		{http.MethodHead, "/docs/?q=a%20b", http.StatusFound, "/docs?q=a%20b"},
		{http.MethodGet, "/docs%20x/", http.StatusFound, "/docs%20x"},
		{http.MethodGet, "/v2/", http.StatusOK, ""},
		{http.MethodPost, "/nothing/", http.StatusNotFound, ""},
		{http.MethodGet, "/nothing", http.StatusNotFound, ""},
		{http.MethodGet, "/", http.StatusNotFound, ""},
		{http.MethodGet, "//example.com/", http.StatusNotFound, ""},
		{http.MethodGet, "/%5cexample.com/", http.StatusFound, "/%5cexample.com"},
	} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), test.method, "http://localhost"+test.target, http.NoBody))
		if got := w.Header().Get("Location"); w.Code != test.status || got != test.location {
			t.Errorf("%s %s: %d %q, want %d %q", test.method, test.target, w.Code, got, test.status, test.location)
		}
	}
}
