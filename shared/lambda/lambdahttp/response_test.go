package lambdahttp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatusFollowsNetHTTP(t *testing.T) {
	for _, c := range []struct {
		name     string
		h        http.HandlerFunc
		status   int
		wantBody string
	}{
		{"first status wins", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			w.WriteHeader(http.StatusTeapot)
		}, http.StatusCreated, ""},
		{"early hints are dropped", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			_, _ = io.WriteString(w, "ok")
		}, http.StatusOK, "ok"},
		{"204 has no body", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			if _, err := io.WriteString(w, "lost"); err == nil {
				t.Error("a body with 204 was accepted")
			}
		}, http.StatusNoContent, ""},
		{"304 keeps its Content-Length", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			w.WriteHeader(http.StatusNotModified)
		}, http.StatusNotModified, ""},
		{"a correct Content-Length", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "2")
			_, _ = io.WriteString(w, "ok")
		}, http.StatusOK, "ok"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := serve(t, c.h, readEvent(t, "get"))
			if got.StatusCode != c.status || got.Body != c.wantBody || got.IsBase64Encoded {
				t.Errorf("got %d %q, base64 %t", got.StatusCode, got.Body, got.IsBase64Encoded)
			}
		})
	}
}

func TestHeadKeepsTheBodyForItsLength(t *testing.T) {
	event := readEvent(t, "get")
	event.RequestContext.HTTP.Method = "HEAD"
	got := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5")
		if n, err := io.WriteString(w, "hello"); n != 5 || err != nil {
			t.Errorf("wrote %d, %v", n, err)
		}
	}, event)
	if got.StatusCode != http.StatusOK || got.Body != "hello" || got.Headers["Content-Length"] != "5" {
		t.Errorf("got %+v", got)
	}
}

func TestHeadMayDeclareALengthWithoutABody(t *testing.T) {
	event := readEvent(t, "get")
	event.RequestContext.HTTP.Method = "HEAD"
	got := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
	}, event)
	if got.StatusCode != http.StatusOK || got.Headers["Content-Length"] != "1000" {
		t.Errorf("got %+v", got)
	}
}

func TestResponseHeaders(t *testing.T) {
	got := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Vary", "Accept")
		w.Header().Add("Vary", "Origin")
		w.Header().Add("Set-Cookie", "a=1; Expires=Sat, 21 Nov 2026 08:00:00 GMT")
		w.Header().Add("Set-Cookie", "b=2")
		w.WriteHeader(http.StatusNoContent)
	}, readEvent(t, "get"))
	if diff := cmp.Diff(map[string]string{"Vary": "Accept,Origin"}, got.Headers); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a=1; Expires=Sat, 21 Nov 2026 08:00:00 GMT", "b=2"}, got.Cookies); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyBinaryBodiesAreBase64(t *testing.T) {
	for _, c := range []struct {
		name, contentType, body, want string
		base64                        bool
	}{
		{"text", "application/json", `{"name":"Zoë"}`, `{"name":"Zoë"}`, false},
		{"binary type, readable bytes", "application/octet-stream", "ok", "ok", false},
		{"binary", "image/png", "\x89PNG", "iVBORw==", true},
		{"broken text", "text/plain", "\xff", "/w==", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.contentType)
				_, _ = io.WriteString(w, c.body)
			}, readEvent(t, "get"))
			if got.Body != c.want || got.IsBase64Encoded != c.base64 || got.Headers["Content-Type"] != c.contentType {
				t.Errorf("got %q, base64 %t, %v", got.Body, got.IsBase64Encoded, got.Headers)
			}
		})
	}
}

func TestTruncatedBodyGets500(t *testing.T) {
	got := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "half")
	}, readEvent(t, "get"))
	if code := problemCode(t, got); code != "500 INTERNAL_ERROR" {
		t.Error(code)
	}
}

func TestResponseSizeLimit(t *testing.T) {
	const megabyte = 1 << 20
	for _, c := range []struct {
		name, unit string
		bytes      int
		want       int
	}{
		{"text below 6 MB", "a", 6*megabyte - 1000, http.StatusOK},
		{"text above 6 MB", "a", 6 * megabyte, http.StatusInternalServerError},
		{"quotes are sent as base64 if that is shorter", `"`, 3*megabyte + 1, http.StatusOK},
		{"markup is not escaped", "<", 5 * megabyte, http.StatusOK},
		{"control bytes are sent as base64", "\x01", megabyte, http.StatusOK},
		{"binary is sent as base64", "\xff", 4*megabyte + 4*megabyte/10, http.StatusOK},
		{"binary above 4.5 MB", "\xff", 4*megabyte + megabyte/2, http.StatusInternalServerError},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, strings.Repeat(c.unit, c.bytes))
			}, readEvent(t, "get"))
			if got.StatusCode != c.want {
				t.Errorf("status %d, want %d", got.StatusCode, c.want)
			}
			if c.want == http.StatusInternalServerError {
				problemCode(t, got)
			}
		})
	}
}

func TestTooLargeHeadersGet500(t *testing.T) {
	for _, name := range []string{"X-Large", "Set-Cookie"} {
		got := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(name, strings.Repeat("a", 6<<20))
		}, readEvent(t, "get"))
		if code := problemCode(t, got); code != "500 INTERNAL_ERROR" {
			t.Error(name, code)
		}
	}
}
