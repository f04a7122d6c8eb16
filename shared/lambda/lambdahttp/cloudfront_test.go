package lambdahttp_test

import (
	"net/http"
	"strings"
	"testing"

	"portside/shared/lambda/lambdahttp"
)

func TestBehindCloudFront(t *testing.T) {
	for name, test := range map[string]struct {
		secret, viewer string
		status         int
		address        string
	}{
		"IPv4":             {"first", "198.51.100.10:46532", http.StatusOK, "198.51.100.10:0"},
		"IPv6":             {"first", "2001:db8:85a3:0:0:8a2e:370:7334:443", http.StatusOK, "[2001:db8:85a3::8a2e:370:7334]:0"},
		"IPv6 in brackets": {"first", "[2001:db8::1]:443", http.StatusOK, "[2001:db8::1]:0"},
		"previous secret":  {"second", "198.51.100.10:1", http.StatusOK, "198.51.100.10:0"},
		"no address":       {"first", "", http.StatusOK, ":0"},
		"not an address":   {"first", "somewhere", http.StatusOK, ":0"},
		"wrong secret":     {"third", "198.51.100.10:1", http.StatusForbidden, ""},
		"part of a secret": {"firs", "198.51.100.10:1", http.StatusForbidden, ""},
		"both secrets":     {"first,second", "198.51.100.10:1", http.StatusForbidden, ""},
		"no secret":        {"", "198.51.100.10:1", http.StatusForbidden, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var seen *http.Request
			next := lambdahttp.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen = r
				w.WriteHeader(http.StatusOK)
			}))
			event := readEvent(t, "get")
			event.Headers["x-portside-edge"], event.Headers["cloudfront-viewer-address"] = test.secret, test.viewer
			response, err := lambdahttp.BehindCloudFront([]string{"first", "second"}, next)(t.Context(), event)
			if err != nil || response.StatusCode != test.status {
				t.Fatalf("status %d, %v; want %d", response.StatusCode, err, test.status)
			}
			if test.status != http.StatusOK {
				if seen != nil || !strings.Contains(response.Body, `"code":"FORBIDDEN"`) || response.Headers["X-Request-Id"] == "" {
					t.Errorf("the handler ran: %t; response %+v", seen != nil, response)
				}
				return
			}
			if seen.RemoteAddr != test.address {
				t.Errorf("the handler saw the address %s, want %s", seen.RemoteAddr, test.address)
			}
			if seen.Header.Get("X-Portside-Edge") != "" || seen.Header.Get("CloudFront-Viewer-Address") != "" {
				t.Errorf("the handler saw the distribution's headers: %v", seen.Header)
			}
		})
	}
}
