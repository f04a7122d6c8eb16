package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
)

const formType = "application/x-www-form-urlencoded"

// tokenRequests are the ways to ask for a token with a credential.
func tokenRequests(username, text string) map[string]func(webtest.Client) webtest.Response {
	post := func(fields ...string) func(webtest.Client) webtest.Response {
		form := url.Values{"service": {"example.com"}, "client_id": {"test"}, "scope": {"repository:acme/api:pull"}}
		for i := 0; i < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		return func(c webtest.Client) webtest.Response {
			return c.With("Content-Type", formType).Post("/v2/token", form.Encode())
		}
	}
	authorization := "Basic " + base64.StdEncoding.EncodeToString([]byte(username+":"+text))
	const query = "/v2/token?account=acme&client_id=docker&offline_token=true&service=example.com" +
		"&scope=repository%3Aacme%2Fapi%3Apull&scope=repository%3Aother%3Apull%2Cpush"
	return map[string]func(webtest.Client) webtest.Response{
		"Basic": func(c webtest.Client) webtest.Response { return c.With("Authorization", authorization).Get(query) },
		"form":  post("grant_type", "password", "username", username, "password", text),
		"form of an OAuth client": func(c webtest.Client) webtest.Response {
			return post("grant_type", "password", "username", username, "password",
				text)(c.With("Authorization", basic("a-client")))
		},
	}
}

// TestTokenWorksLikeItsCredential compares what a token gets with what the credential gets by Basic, before and after
// the credential ends.
//
//proves:docs/security.md
func TestTokenWorksLikeItsCredential(t *testing.T) {
	q := newFixture(t)
	_, blob := q.image("acme/api", "1")
	q.image("other/api", "1")
	q.chart("charts/product", "1.0.0")
	targets := []string{
		"/v2/", "/v2/_catalog", "/v2/acme/api/manifests/1", "/v2/acme/api/tags/list", "/v2/other/api/manifests/1",
		"/v2/acme/api/blobs/" + blob,
		"/v2/charts/product/manifests/1.0.0", "/v2/nothing/manifests/1",
	}
	for _, kind := range []credentials.Kind{credentials.AccessToken, credentials.Password} {
		for _, scope := range []string{"read:docker-images", "read:docker-images:acme/*", "read:helm-charts",
			"read:helm-charts:charts/x"} {
			secret := q.issue(kind, scope)
			byBasic, tokens := q.withToken(secret.Reveal()), q.tokens(secret)
			byBasic.Get("/v2/").WantStatus(http.StatusOK)
			q.wantEqual(targets, byBasic, tokens)
			q.write(q.table.Writes.Revoke(credentials.Credential{
				ID: secret.ID(), Kind: kind, Owner: credentials.Owner{ID: owner}, RevokedAt: q.now, Reason: "test",
			})...)
			byBasic.Get("/v2/").WantStatus(http.StatusUnauthorized)
			q.wantEqual(targets, byBasic, tokens)
		}
	}
}

// tokens returns a client with the token from each way to ask for it.
func (q *fixture) tokens(secret credentials.Secret) []webtest.Client {
	q.tb.Helper()
	var clients []webtest.Client
	for name, ask := range tokenRequests("acme", secret.Reveal()) {
		answer := ask(q.anonymous()).WantStatus(http.StatusOK).WantHeader("Cache-Control", "no-store").
			WantValue("expires_in", 300).WantValue("issued_at", "2026-03-02T09:00:30Z")
		token := answer.Text("token")
		answer.WantValue("access_token", token)
		if !strings.HasPrefix(token, secret.Reveal()) {
			q.tb.Errorf("%s: a secret scanner does not recognize the token", name)
		}
		clients = append(clients, q.anonymous().With("Authorization", "Bearer "+token))
	}
	return clients
}

// wantEqual checks that all clients get the same answers.
func (q *fixture) wantEqual(targets []string, first webtest.Client, others []webtest.Client) {
	q.tb.Helper()
	for _, target := range targets {
		want := first.Get(target)
		for _, other := range others {
			if got := other.Get(target); got.Status != want.Status || !bytes.Equal(got.Body, want.Body) {
				q.tb.Errorf("%v by token, %v by Basic", got, want)
			}
		}
	}
}

func TestTokenAsRefreshToken(t *testing.T) {
	q := newFixture(t)
	for _, kind := range []credentials.Kind{credentials.AccessToken, credentials.Password} {
		secret := q.issue(kind, "read:docker-images").Reveal()
		token := q.withToken(secret).Get("/v2/token").Text("token")
		for _, sent := range []string{token, token + "\n"} {
			form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {sent}, "service": {"example.com"}}
			q.anonymous().With("Content-Type", formType).Post("/v2/token", form.Encode()).WantStatus(http.StatusOK).
				WantValue("token", token)
		}
		q.anonymous().With("Authorization", "Bearer "+token).Get("/v2/token").WantStatus(http.StatusOK).
			WantValue("token", token)
	}
}

// TestTokenIgnoresLineEnds logs in like a client that reads its credential from a file that ends with a newline.
func TestTokenIgnoresLineEnds(t *testing.T) {
	q := newFixture(t)
	for _, kind := range []credentials.Kind{credentials.AccessToken, credentials.Password} {
		secret := q.issue(kind, "read:docker-images").Reveal()
		want := q.withToken(secret).Get("/v2/token").Text("token")
		for _, end := range []string{"\n", "\r\n"} {
			for name, ask := range tokenRequests("acme"+end, secret+end) {
				if got := ask(q.anonymous()).WantStatus(http.StatusOK).Text("token"); got != want {
					t.Errorf("%s with %q: another token", name, end)
				}
			}
		}
		q.anonymous().With("Authorization", "Bearer "+want).Get("/v2/").WantStatus(http.StatusOK)
	}
}

//proves:docs/security.md
func TestTokenNeedsAWorkingCredential(t *testing.T) {
	q := newFixture(t)
	password := q.issue(credentials.Password, "read:docker-images").Reveal()
	for name, login := range map[string][2]string{
		"nothing": {"", ""}, "no credential": {"acme", "secret"}, "another user name": {"acme2", password},
		"no user name":     {"", password},
		"an unknown token": {"acme", credentials.Mint(credentials.AccessToken).Reveal()},
		"an API key":       {"acme", q.key("admin", principal.Admin).Reveal()},
	} {
		for way, ask := range tokenRequests(login[0], login[1]) {
			t.Log(name, way)
			ask(q.anonymous()).WantStatus(http.StatusUnauthorized).WantValue("errors.0.code", "UNAUTHORIZED").
				WantHeader("WWW-Authenticate", `Basic realm="Portside"`)
		}
	}
	q.anonymous().Get("/v2/token?service=example.com&scope=repository:acme/api:pull").WantStatus(http.StatusUnauthorized)
	q.anonymous().Get("/v2/token?grant_type=password&username=acme&password=" + password).
		WantStatus(http.StatusUnauthorized)
	for _, bearer := range []string{
		password, password + "~", password + "~acme",
		password + "~" + base64.StdEncoding.EncodeToString([]byte("acme")) + "=",
		password + "~" + base64.RawURLEncoding.EncodeToString([]byte("acme2")), "~YWNtZQ", password[:10] + "~YWNtZQ",
	} {
		q.anonymous().With("Authorization", "Bearer "+bearer).Get("/v2/").WantStatus(http.StatusUnauthorized)
	}
	q.anonymous().With("Authorization", "bearer "+password+"~YWNtZQ").Get("/v2/").WantStatus(http.StatusOK)
}

func TestTokenFormsAreChecked(t *testing.T) {
	q := newFixture(t)
	token := q.issue(credentials.AccessToken, "read:docker-images").Reveal()
	login := "grant_type=password&username=a&password=" + token
	for _, c := range []struct{ contentType, body string }{
		{formType, ""},
		{formType, "username=a&password=" + token},
		{formType, "grant_type=authorization_code&code=" + token},
		{formType, login + "&scope=" + strings.Repeat("x", maxTokenForm)},
		{formType, login + "&x=%zz"},
		{"application/json", `{"grant_type":"password"}`},
		{"", login},
	} {
		q.withToken(token).With("Content-Type", c.contentType).Post("/v2/token", c.body).WantStatus(http.StatusBadRequest)
	}
	q.anonymous().With("Content-Type", formType+"; charset=UTF-8").Post("/v2/token", login).WantStatus(http.StatusOK)
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions} {
		q.withToken(token).Do(method, "/v2/token", "").WantStatus(http.StatusMethodNotAllowed).
			WantHeader("Allow", "GET, HEAD, POST")
	}
	q.withToken(token).Post("/v2/", "").WantStatus(http.StatusMethodNotAllowed).WantHeader("Allow", "GET, HEAD")
}

func TestTokenRequestsAreLimited(t *testing.T) {
	q := newFixture(t)
	q.gateway.auth = credentials.NewAuthenticator(q.table.Requests, 1, q.clock) // 4 requests for manifests
	token := q.issue(credentials.AccessToken, "read:docker-images").Reveal()
	for _, status := range []int{200, 200, 200, 200, 429} {
		q.withToken(token).Get("/v2/token").WantStatus(status)
	}
	q.withToken(token).Get("/v2/token").WantStatus(429).WantValue("errors.0.code", "TOOMANYREQUESTS").
		WantHeader("Retry-After", "30")
	refused := 0
	for range 150 { // from one network
		if q.withToken(credentials.Mint(credentials.AccessToken).Reveal()).Get("/v2/token").Status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused < 40 {
		t.Errorf("%d of 150 unknown credentials were refused because of their number", refused)
	}
	q.now = q.now.Add(time.Minute)
	q.withToken(token).Get("/v2/token").WantStatus(200)
}

// TestTokenExpiresWithItsCredential asks for tokens with a credential that ends soon.
func TestTokenExpiresWithItsCredential(t *testing.T) {
	q := newFixture(t)
	for left, want := range map[time.Duration]int{time.Minute: 60, 4*time.Minute + 500*time.Millisecond: 240,
		time.Hour: 300} {
		secret := credentials.Mint(credentials.AccessToken)
		q.write(q.table.Writes.Issue(credentials.Credential{
			ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Scopes: []string{"read:docker-images"}, Name: "job",
			Owner:     credentials.Owner{ID: owner, Role: principal.User, Active: true},
			CreatedAt: q.now, ExpiresAt: q.now.Truncate(time.Second).Add(left),
		})...)
		q.withToken(secret.Reveal()).Get("/v2/token").WantStatus(http.StatusOK).WantValue("expires_in", want)
	}
}

// TestChallengeNamesAnInvalidToken sends Bearer tokens that do not work. The challenge tells clients to request
// another.
func TestChallengeNamesAnInvalidToken(t *testing.T) {
	q := newFixture(t)
	const realm = `realm="https://example.com/v2/token"`
	const want = "Bearer " + realm + `,service="example.com",error="invalid_token", Basic ` + realm
	for _, token := range []string{"x", credentials.Mint(credentials.AccessToken).Reveal()} {
		for _, scheme := range []string{"Bearer ", "bearer "} {
			q.anonymous().With("Authorization", scheme+token).Get("/v2/").WantStatus(http.StatusUnauthorized).
				WantHeader("WWW-Authenticate", want)
		}
		q.withToken(token).Get("/v2/").WantStatus(http.StatusUnauthorized).WantHeader("WWW-Authenticate", bothChallenges)
	}
}

// TestChallengeByClient sends recorded User-Agent headers of clients.
func TestChallengeByClient(t *testing.T) {
	const both = `Bearer realm="%[1]s/v2/token",service="%[2]s", Basic realm="%[1]s/v2/token"`
	q := newFixture(t)
	for userAgent, isKnown := range map[string]bool{
		"docker/28.5.2 go/go1.24.9 git-commit/4b4ba3c kernel/6.8 os/linux arch/amd64 UpstreamClient(Docker-Client/28.5.2 \\(linux\\))": true,
		"Docker-Client/28.5.2 (linux)": true, "containerd/2.4.2": true, "Helm/3.22.0": true, "skopeo/1.9.3": true,
		"libpod/4.3.1": true,
		"crane/v0.22.1 go-containerregistry/v0.22.1": true, "cosign/v2.4.1 (linux; amd64) go-containerregistry/v0.20.2": true,
		"oras/1.2.3": true, "oras-go": true, "regclient/regctl (v0.11.7)": true,
		"containers/5.23.1 (github.com/containers/image)": true,
		"Wget/1.21.3": true, "Buildah/1.28.2": true,
		"": false, "Go-http-client/1.1": false, "Java/17": false, "dockerish/1": false, "not-docker/1": false,
		"(docker/1)": false,
	} {
		want := `Basic realm="Portside"`
		if !isKnown {
			want = fmt.Sprintf(both, "https://example.com", "example.com")
		}
		q.anonymous().With("User-Agent", userAgent).Get("/v2/").WantStatus(401).WantHeader("WWW-Authenticate", want)
	}
	q.gateway.baseURL = "http://localhost:3000"
	q.anonymous().Get("/v2/").WantHeader("WWW-Authenticate", fmt.Sprintf(both, "http://example.com", "example.com"))
}
