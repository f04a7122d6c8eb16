package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"portside/shared/images/imagesecr"
	"portside/shared/testkit"
	"portside/shared/testkit/webtest"
)

func TestUpstreamLoginIsReused(t *testing.T) {
	q := newFixture(t)
	q.image("acme/api", "1")
	c := q.withScopes("read:docker-images")
	for range 5 {
		c.Get("/v2/acme/api/manifests/1").WantStatus(http.StatusOK)
	}
	if got := q.logins.N(); got != 1 {
		t.Errorf("%d logins", got)
	}
	q.now = q.now.Add(11*time.Hour + 55*time.Minute) // shortly before the login expires
	c.Get("/v2/acme/api/manifests/1").WantStatus(http.StatusOK)
	if got := q.logins.N(); got != 2 {
		t.Errorf("%d logins", got)
	}
}

func TestRevokedUpstreamLoginIsRenewed(t *testing.T) {
	q := newFixture(t)
	q.image("acme/api", "1")
	password := q.upstream.Password
	q.upstream.Password = "not any more"
	c := q.withScopes("read:docker-images")
	c.Get("/v2/acme/api/manifests/1").WantStatus(http.StatusServiceUnavailable).WantHeader("Retry-After", "1").
		WantValue("errors.0.code", "UNAVAILABLE")
	q.upstream.Password = password
	c.Get("/v2/acme/api/manifests/1").WantStatus(http.StatusServiceUnavailable) // a new login is not renewed
	q.now = q.now.Add(2 * time.Minute)
	c.Get("/v2/acme/api/manifests/1").WantStatus(http.StatusOK)
	if got := q.logins.N(); got != 2 {
		t.Errorf("%d logins", got)
	}
}

// withUpstream returns a client of a gateway in front of the given upstream registry.
func (q *fixture) withUpstream(handler http.HandlerFunc) webtest.Client {
	q.tb.Helper()
	q.replaceUpstream(handler)
	return q.withScopes("read:docker-images")
}

// replaceUpstream puts the gateway in front of the given upstream registry.
func (q *fixture) replaceUpstream(handler http.HandlerFunc) {
	q.tb.Helper()
	server := httptest.NewServer(handler)
	q.tb.Cleanup(server.Close)
	q.upstream.Address = strings.TrimPrefix(server.URL, "http://")
	client, _ := q.upstream.ECR(q.tb, q.clock)
	q.setRegistry(client)
}

//proves:docs/security.md
func TestUpstreamErrorsRevealNoDetails(t *testing.T) {
	for name, c := range map[string]struct {
		response http.HandlerFunc
		status   int
		code     string
	}{
		"fails":        {answering(http.StatusInternalServerError), http.StatusServiceUnavailable, "UNAVAILABLE"},
		"is busy":      {answering(http.StatusTooManyRequests), http.StatusTooManyRequests, "TOOMANYREQUESTS"},
		"forbids":      {answering(http.StatusForbidden), http.StatusNotFound, "NAME_UNKNOWN"},
		"has nothing":  {answering(http.StatusNotFound), http.StatusNotFound, "NAME_UNKNOWN"},
		"wants a bill": {answering(http.StatusPaymentRequired), http.StatusServiceUnavailable, "UNAVAILABLE"},
		"sends too much": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, imagesecr.MaxBody+1))
		}, http.StatusServiceUnavailable, "UNAVAILABLE"},
		"announces too much": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99999999")
		}, http.StatusServiceUnavailable, "UNAVAILABLE"},
		"breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("half"))
			panic(http.ErrAbortHandler)
		}, http.StatusServiceUnavailable, "UNAVAILABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			q := newFixture(t)
			response := q.withUpstream(c.response).Get("/v2/acme/api/manifests/1").WantStatus(c.status).
				WantValue("errors.0.code", c.code)
			q.checkNoUpstreamDetails(response)
		})
	}
}

// answering returns a handler whose responses contain details that customers must not see.
func answering(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Www-Authenticate", `Basic realm="http://`+r.Host+`"`)
		w.Header().Set("X-Upstream", r.Host+r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"errors":[{"code":"NAME_UNKNOWN","message":"no such repository in registry ` + r.Host + `"}]}`))
	}
}

//proves:docs/security.md
func TestUpstreamAddressesAreReplaced(t *testing.T) {
	q := newFixture(t)
	c := q.withUpstream(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("n") != "" {
			w.Header().Set("Link", "<http://"+r.Host+r.URL.Path+`?n=2&last=b>; rel="next"`)
			w.Header().Set("Set-Cookie", "upstream="+r.Host)
			_, _ = w.Write([]byte(`{"name":"acme/api","tags":["a","b"]}`))
			return
		}
		w.Header().Set("Location", "http://"+r.Host+"/v2/elsewhere?_state=1")
		w.WriteHeader(http.StatusTemporaryRedirect)
		_, _ = w.Write([]byte("moved to " + r.Host))
	})
	page := c.Get("/v2/acme/api/tags/list?n=2").WantStatus(http.StatusOK).WantHeader("Link",
		`</v2/acme/api/tags/list?n=2&last=b>; rel="next"`)
	q.checkNoUpstreamDetails(page)
	moved := c.Get("/v2/acme/api/blobs/sha256:"+strings.Repeat("0", 64)).WantHeader("Location", "/v2/elsewhere?_state=1")
	q.checkNoUpstreamDetails(moved)
}

func TestOutagesAreLogged(t *testing.T) {
	q := newFixture(t)
	lines := testkit.CaptureLogs(t)
	c := q.withUpstream(answering(http.StatusBadGateway))
	c.Get("/v2/acme/api/manifests/1").WantStatus(http.StatusServiceUnavailable)
	var record struct{ Level, Route, Error string }
	if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
		t.Fatal(err)
	}
	if record.Level != "ERROR" || record.Route != "GET /v2/{name}/manifests/{reference}" ||
		!strings.Contains(record.Error, "502") {
		t.Errorf("logged %+v", record)
	}
}
