package main

import (
	"net/http"
	"strings"
	"testing"

	"portside/shared/credentials"
)

// TestLimitsNameThemselves exceeds the limit of manifests and the limit of blobs. The refusal has the form of the
// specification, the other kind still works, a HEAD of a manifest counts a tenth, and a HEAD of a blob like a GET of a
// manifest.
func TestLimitsNameThemselves(t *testing.T) {
	q := newFixture(t)
	manifest, blob := q.image("acme/api", "1.0")
	for path, c := range map[string]struct {
		limit, heads int // with 1 request to the API in a minute
		what, other  string
	}{
		"manifests/" + manifest: {4, 10, "4 requests for manifests, tags and charts", "blobs/" + blob},
		"blobs/" + blob:         {40, 0, "40 requests for image layers and other blobs", "manifests/" + manifest},
	} {
		t.Run(path, func(t *testing.T) {
			q.gateway.auth = credentials.NewAuthenticator(q.table.Requests, 1, q.clock)
			q.now = q.now.AddDate(0, 0, 1)
			client := q.withScopes("read:docker-images").For(t)
			for range c.heads {
				client.Do(http.MethodHead, "/v2/acme/api/manifests/"+manifest, "").WantHeader("Retry-After", "")
			}
			for range c.limit - c.heads/10 {
				client.Get("/v2/acme/api/"+path).WantHeader("Retry-After", "")
			}
			refused := client.Get("/v2/acme/api/"+path).WantStatus(http.StatusTooManyRequests).WantHeader("Retry-After", "30").
				WantValue("errors.0.code", "TOOMANYREQUESTS")
			if text := refused.Text("errors.0.message"); !strings.Contains(text, c.what) ||
				!strings.Contains(text, "ends in 30 seconds") {
				t.Errorf("%q", text)
			}
			if got := client.Get("/v2/acme/api/" + c.other).Status; got == http.StatusTooManyRequests {
				t.Errorf("%s is refused, too", c.other)
			}
		})
	}
	q.now = q.now.AddDate(0, 0, 1)
	client := q.withScopes("read:docker-images")
	for range 4 {
		client.Do(http.MethodHead, "/v2/acme/api/blobs/"+blob, "").WantStatus(http.StatusOK)
	}
	client.Do(http.MethodHead, "/v2/acme/api/blobs/"+blob, "").WantStatus(http.StatusTooManyRequests)
}
