package main

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/shared/web"
)

// person is a user with an API key that the operator created, so that no other user had a hand in it.
type person struct {
	id, key string
	caller  principal.Principal
}

func (d *fixture) admin(email string) person {
	d.tb.Helper()
	user, key := d.user(email, principal.Admin)
	return person{id: user.ID, key: key, caller: d.caller(key)}
}

// caller returns the principal of an API key or a session.
func (d *fixture) caller(secret string) principal.Principal {
	d.tb.Helper()
	auth := credentials.NewAuthenticator(d.table.Requests, 0, d.clock)
	who, _, err := auth.Authenticate(d.tb.Context(), secret, credentials.APIKey, credentials.Session)
	if err != nil {
		d.tb.Fatal(err)
	}
	return who
}

// makeKey creates an API key for a user with another key, and returns its secret.
func (d *fixture) makeKey(with, userID string) string {
	d.tb.Helper()
	made, err := d.keys.Create(d.tb.Context(), d.caller(with), userID, users.NewKey{Name: "made"})
	if err != nil {
		d.tb.Fatal(err)
	}
	return made.Secret.Reveal()
}

func (d *fixture) requestWith(key string) (path string) {
	d.tb.Helper()
	return "/api/v1/credential-requests/" + d.withKey(key).
		Post("/api/v1/credential-requests", `{"accessLevel":"full","justification":"for me"}`).
		WantStatus(http.StatusCreated).Text("data.id")
}

func (d *fixture) decide(key, path, decision string) webtest.Response {
	d.tb.Helper()
	return d.withKey(key).Do(http.MethodPost, path+decision, "")
}

// TestDecisionNeedsAPersonWithoutAHandInTheRequest tries every way to launder a credential through keys of other users.
//
//proves:docs/security.md
func TestDecisionNeedsAPersonWithoutAHandInTheRequest(t *testing.T) {
	for name, attack := range map[string]func(d *fixture, a, b, c person) (request, decision string){
		"own request": func(_ *fixture, a, _, _ person) (string, string) { return a.key, a.key },
		"own request with another own key": func(d *fixture, a, _, _ person) (string, string) {
			return a.key, d.makeKey(a.key, a.id)
		},
		"key made for the approver": func(d *fixture, a, b, _ person) (string, string) {
			return a.key, d.makeKey(a.key, b.id)
		},
		"key made with a key made for another": func(d *fixture, a, b, c person) (string, string) {
			return a.key, d.makeKey(d.makeKey(a.key, b.id), c.id)
		},
		"key that a made key made for the same user": func(d *fixture, a, b, _ person) (string, string) {
			return a.key, d.makeKey(d.makeKey(a.key, b.id), b.id)
		},
		"request with a key made for the requester": func(d *fixture, a, b, _ person) (string, string) {
			return d.makeKey(a.key, b.id), a.key
		},
		"request with a key made for another, two steps": func(d *fixture, a, b, c person) (string, string) {
			return d.makeKey(d.makeKey(a.key, b.id), c.id), a.key
		},
		"both keys made by a third user": func(d *fixture, a, b, c person) (string, string) {
			return d.makeKey(a.key, b.id), d.makeKey(a.key, c.id)
		},
		"decision with a key made for the requester": func(d *fixture, a, b, c person) (string, string) {
			return d.makeKey(b.key, c.id), d.makeKey(d.makeKey(a.key, b.id), a.id)
		},
		"back to the requester's own name": func(d *fixture, a, b, _ person) (string, string) {
			return d.makeKey(d.makeKey(a.key, b.id), a.id), b.key
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			request, decision := attack(d, d.admin("a@example.com"), d.admin("b@example.com"), d.admin("c@example.com"))
			at := d.requestWith(request)
			for _, verb := range []string{"/approve", "/deny"} {
				refused := d.decide(decision, at, verb).WantStatus(http.StatusForbidden).WantValue("code", "FORBIDDEN")
				if detail := refused.Text("detail"); !strings.Contains(detail,
					"another user with the permission credentials:approve") {
					t.Errorf("%s is refused with %q, which does not say what to do", verb, detail)
				}
			}
			d.withKey(d.admin("d@example.com").key).Get(at).WantValue("data.status", "pending").WantValue("data.deciders.0", nil)
		})
	}
}

//proves:docs/security.md
func TestDecisionByAPersonWithoutAHandKeepsWhoReallyDecided(t *testing.T) {
	d := newFixture(t)
	a, b, c := d.admin("a@example.com"), d.admin("b@example.com"), d.admin("c@example.com")
	made := d.makeKey(a.key, b.id)
	at := d.requestWith(made)
	d.decide(d.makeKey(c.key, c.id), at, "/approve").WantStatus(http.StatusOK).
		WantValue("data.makers.0.userId", b.id).WantValue("data.makers.0.credentialId", d.caller(made).CredentialID).
		WantValue("data.makers.1.userId", a.id).WantValue("data.makers.1.credentialId", a.caller.CredentialID).
		WantValue("data.makers.2", nil).
		WantValue("data.deciders.0.userId", c.id).
		WantValue("data.deciders.1.credentialId", c.caller.CredentialID).WantValue("data.deciders.2", nil)
}

//proves:docs/security.md
func TestRenewedTokenKeepsTheMakersOfTheFirst(t *testing.T) {
	d := newFixture(t)
	a, b := d.admin("a@example.com"), d.admin("b@example.com")
	made := d.makeKey(a.key, b.id)
	token := d.withKey(made).Post("/api/v1/tokens", `{"name":"t","scopes":["read:helm-charts"]}`).Text("data.token")
	for range credentials.MaxMakers + 1 {
		d.advance(30 * day) // so that the line has few working tokens
		token = d.withToken(token).Post("/api/v1/tokens", `{"name":"t","scopes":["read:helm-charts"]}`).
			WantStatus(http.StatusCreated).Text("data.token")
	}
	d.withToken(token).Get("/api/v1/tokens").WantStatus(http.StatusOK).
		WantValue("data.0.makers.0.userId", b.id).WantValue("data.0.makers.0.credentialId", d.caller(made).CredentialID).
		WantValue("data.0.makers.1.credentialId", a.caller.CredentialID).WantValue("data.0.makers.2", nil)
}

// TestChainOfMakersIsBounded checks that the credential at the end of the longest chain works, and creates nothing.
//
//proves:docs/security.md
func TestChainOfMakersIsBounded(t *testing.T) {
	d := newFixture(t)
	key := d.admin("a@example.com")
	last := key.key
	for range credentials.MaxMakers {
		last = d.makeKey(last, key.id)
	}
	if got := len(d.caller(last).Makers); got != credentials.MaxMakers {
		t.Fatalf("%d makers, want %d", got, credentials.MaxMakers)
	}
	if _, err := d.keys.Create(t.Context(), d.caller(last), key.id, users.NewKey{Name: "x"}); !errors.Is(err, credentials.ErrTooManyMakers) {
		t.Errorf("a key beyond the bound: %v", err)
	}
	d.withKey(last).Post("/api/v1/tokens", `{"name":"t","scopes":["read:helm-charts"]}`).WantStatus(http.StatusConflict)
	d.requestWith(last)
}

// TestRevokedKeyCreatesNothing revokes a key between its authentication and the creation of another key.
//
//proves:docs/security.md
func TestRevokedKeyCreatesNothing(t *testing.T) {
	d := newFixture(t)
	a := d.admin("a@example.com")
	if err := d.keys.Revoke(t.Context(), principal.Operator(), a.id, a.caller.CredentialID); err != nil {
		t.Fatal(err)
	}
	if _, err := d.keys.Create(t.Context(), a.caller, a.id, users.NewKey{Name: "x"}); !errors.Is(err, users.ErrCaller) {
		t.Errorf("a revoked key creates another: %v", err)
	}
}

// TestTokensAndDecisionsNeedARecentSignIn creates a token and decides in a session that began 15 minutes ago.
//
//proves:docs/security.md
func TestTokensAndDecisionsNeedARecentSignIn(t *testing.T) {
	d := newFixture(t)
	a, b := d.admin("a@example.com"), d.admin("b@example.com")
	secret, _ := d.session(a)
	browser := d.anonymous().With("Cookie", web.SessionCookie+"="+secret.Reveal()).With("Sec-Fetch-Site", "same-origin")
	old, recent := d.requestWith(b.key), d.requestWith(b.key)
	browser.Post("/api/v1/tokens", all).WantStatus(http.StatusCreated)
	browser.Post(recent+"/approve", `{}`).WantStatus(http.StatusOK)
	d.advance(credentials.SessionRecent)
	for path, body := range map[string]string{"/api/v1/tokens": all, old + "/approve": `{}`, old + "/deny": `{}`} {
		browser.Post(path, body).WantStatus(http.StatusForbidden).WantValue("code", "SIGN_IN_REQUIRED")
	}
}

// TestChangedUsersKeepTheirHands changes or deletes the user who made the keys of both sides. A deletion revokes what
// the keys were made with.
//
//proves:docs/security.md
func TestChangedUsersKeepTheirHands(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *fixture, id string)
		other  int // status of a decision with another key
	}{
		"unchanged": {func(*fixture, string) {}, http.StatusOK},
		"demoted":   {func(d *fixture, id string) { role := principal.Viewer; d.change(id, users.Change{Role: &role}) }, http.StatusOK},
		"suspended": {func(d *fixture, id string) { status := users.Suspended; d.change(id, users.Change{Status: &status}) }, http.StatusOK},
		"deleted": {func(d *fixture, id string) {
			if err := d.users.Delete(d.tb.Context(), principal.Operator(), versions.Target{ID: id}); err != nil {
				d.tb.Fatal(err)
			}
		}, http.StatusConflict},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			a, b, other := d.admin("a@example.com"), d.admin("b@example.com"), d.admin("c@example.com")
			requesting, deciding := d.makeKey(a.key, b.id), d.makeKey(a.key, other.id)
			at := d.requestWith(requesting)
			c.change(d, a.id)
			d.decide(deciding, at, "/approve").WantStatus(http.StatusForbidden)
			d.decide(other.key, at, "/approve").WantStatus(c.other)
		})
	}
}
