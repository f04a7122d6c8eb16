package main

import (
	"net/http"
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
	if err := p.store.Issue(p.tb.Context(), user, session); err != nil {
		p.tb.Fatal(err)
	}
	return p.anonymous().With("Cookie", web.SessionCookie+"="+secret.Reveal()).With("Sec-Fetch-Site", "same-origin")
}

// TestNewKeyNeedsARecentSignIn creates keys in a session that gets older.
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

// TestChangesOfUsersNeedARecentSignIn has a passer-by use the browser of an admin who signed in 15 minutes ago. A user whom the
// passer-by creates or promotes would be a new secret: they could sign in as that user at home.
func TestChangesOfUsersNeedARecentSignIn(t *testing.T) {
	p := newFixture(t)
	target, _ := p.user("target@example.com", principal.Viewer)
	at, browser := "/v1/users/"+target.ID, p.inSession(p.admin)
	browser.Put(at, `{"name":"Still recent"}`).WantStatus(http.StatusOK)
	p.clock.Advance(credentials.SessionRecent)
	for name, response := range map[string]webtest.Response{
		"create":  browser.Post("/v1/users", `{"email":"e@example.com","name":"E","role":"admin","sendActivationEmail":false}`),
		"import":  browser.Post("/v1/users/imports", `{"format":"csv","text":"email,name,role\ne@example.com,E,admin\n"}`),
		"promote": browser.Put(at, `{"role":"admin"}`),
		"delete":  browser.Delete(at),
	} {
		if response.Status != http.StatusForbidden || response.Text("code") != "SIGN_IN_REQUIRED" {
			t.Errorf("%s: %d %s", name, response.Status, response.Body)
		}
	}
	browser.Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 2)
	p.asAdmin().Put(at, `{"role":"manager"}`).WantStatus(http.StatusOK)
}
