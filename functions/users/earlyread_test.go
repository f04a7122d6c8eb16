package main

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
)

// TestRefusalsDoNotTellWhetherAUserExists compares the responses for a user and for an unknown ID, because the user is
// read while the caller is authenticated.
func TestRefusalsDoNotTellWhetherAUserExists(t *testing.T) {
	p := newFixtureWithLimit(t, 3)
	target, _ := p.user("target@example.com", principal.Viewer)
	_, other := p.user("other@example.com", principal.User)
	suspended, suspendedKey := p.user("suspended@example.com", principal.User)
	p.asAdmin().Put("/v1/users/"+suspended.ID, `{"status":"suspended"}`).WantStatus(http.StatusOK)
	for range 3 {
		p.withKey(other).Get("/v1/users/" + target.ID).WantStatus(http.StatusOK)
	}
	for name, test := range map[string]struct {
		client webtest.Client
		status int
	}{
		"no credential":      {p.anonymous(), http.StatusUnauthorized},
		"unknown key":        {p.withKey(credentials.Mint(credentials.APIKey).Reveal()), http.StatusUnauthorized},
		"forged key":         {p.withKey(forge(t, keyID(t, p.key))), http.StatusUnauthorized},
		"suspended owner":    {p.withKey(suspendedKey), http.StatusUnauthorized},
		"all requests used":  {p.withKey(other), http.StatusTooManyRequests},
		"session elsewhere":  {p.inSession(p.admin).With("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		"token as a session": {p.withKey(credentials.Mint(credentials.AccessToken).Reveal()), http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			exists := test.client.For(t).Get("/v1/users/" + target.ID).WantStatus(test.status)
			unknown := test.client.For(t).Get("/v1/users/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11").WantStatus(test.status)
			if diff := cmp.Diff(exists.Header, unknown.Header); diff != "" || !bytes.Equal(exists.Body, unknown.Body) {
				t.Errorf("headers: %s\nbodies: %s\n%s", diff, exists.Body, unknown.Body)
			}
		})
	}
}

func keyID(t *testing.T, key string) string {
	t.Helper()
	parsed, err := credentials.Parse(key)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.ID()
}
