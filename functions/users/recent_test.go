package main

import (
	"net/http"
	"strings"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/shared/web"
)

// inSession returns a browser in which the user has just signed in.
func (p *fixture) inSession(user users.User) webtest.Client {
	p.tb.Helper()
	owner := credentials.Owner{ID: user.ID, Role: user.Role, Active: true}
	secret, session := credentials.NewSession(owner, "test", p.clock.Now())
	if err := p.store.Keys.Issue(p.tb.Context(), user, users.Issued{Key: session}); err != nil {
		p.tb.Fatal(err)
	}
	return p.anonymous().With("Cookie", web.SessionCookie+"="+secret.Reveal()).With("Sec-Fetch-Site", "same-origin")
}

// TestNewKeyNeedsARecentSignIn creates keys in a session that gets older.
//
//proves:docs/security.md
func TestNewKeyNeedsARecentSignIn(t *testing.T) {
	p := newFixture(t)
	browser := p.inSession(p.admin)
	at := "/v1/users/" + p.admin.ID + "/api-keys"
	browser.Post(at, `{"name":"x"}`).WantStatus(http.StatusCreated)
	p.clock.Advance(credentials.SessionRecent)
	browser.Post(at, `{"name":"x"}`).WantStatus(http.StatusForbidden).WantValue("code", "SIGN_IN_REQUIRED")
	browser.Get(at).WantStatus(http.StatusOK)
	p.asAdmin().Post(at, `{"name":"x"}`).WantStatus(http.StatusCreated)
}

// TestChangesOfUsersNeedARecentSignIn changes users in a session that began 15 minutes ago. An intruder who finds an
// admin's browser unattended must not create or promote a user, because the intruder could sign in as that user later.
//
//proves:docs/security.md
func TestChangesOfUsersNeedARecentSignIn(t *testing.T) {
	p := newFixture(t)
	target, _ := p.user("target@example.com", principal.Viewer)
	at, browser := "/v1/users/"+target.ID, p.inSession(p.admin)
	browser.Put(at, `{"name":"Still recent"}`).WantStatus(http.StatusOK)
	p.clock.Advance(credentials.SessionRecent)
	for name, response := range map[string]webtest.Response{
		"create": browser.Post("/v1/users",
			`{"email":"e@example.com","name":"E","role":"admin","sendActivationEmail":false}`),
		"import":   browser.Post("/v1/users/imports", `{"format":"csv","text":"email,name,role\ne@example.com,E,admin\n"}`),
		"promote":  browser.Put(at, `{"role":"admin"}`),
		"delete":   browser.Delete(at),
		"sign out": browser.Delete(at + "/sessions"),
	} {
		t.Run(name, func(t *testing.T) {
			if response.Status != http.StatusForbidden || response.Text("code") != "SIGN_IN_REQUIRED" {
				t.Errorf("%s: %d %s", name, response.Status, response.Body)
			}
		})
	}
	browser.Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 2)
	p.asAdmin().Put(at, `{"role":"manager"}`).WantStatus(http.StatusOK)
}

// TestSigningOutAUser ends the sessions of a user. API keys continue to work.
//
//proves:docs/security.md
func TestSigningOutAUser(t *testing.T) {
	p := newFixture(t)
	target, key := p.user("target@example.com", principal.Viewer)
	_, manager := p.user("manager@example.com", principal.Manager)
	_, viewer := p.user("viewer@example.com", principal.Viewer)
	at, browser := "/v1/users/"+target.ID+"/sessions", p.inSession(target)
	p.withKey(viewer).Delete(at).WantStatus(http.StatusForbidden)
	p.withKey(manager).Delete("/v1/users/" + p.admin.ID + "/sessions").WantStatus(http.StatusForbidden)
	browser.Get("/v1/users").WantStatus(http.StatusOK)

	p.withKey(manager).Delete("/v1/users/" + strings.ToUpper(target.ID) + "/sessions").WantStatus(http.StatusNoContent)
	browser.Get("/v1/users").WantStatus(http.StatusUnauthorized)
	p.withKey(key).Get("/v1/users").WantStatus(http.StatusOK)
	p.withKey(manager).Delete(at).WantStatus(http.StatusNoContent) // the session is gone
	p.withKey(manager).Delete("/v1/users/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11/sessions").WantStatus(http.StatusNotFound)
	p.asAdmin().Get("/v1/users/"+target.ID).WantHeader("ETag", `"1"`) // the user itself does not change
}
