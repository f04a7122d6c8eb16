package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
)

const invited = `{"email":"ada@example.com","name":"Ada <b>& Co</b>","role":"user"}`

func TestActivation(t *testing.T) {
	p := newFixture(t)
	at := "/v1/users/" + p.asAdmin().Post("/v1/users", invited).WantStatus(http.StatusCreated).
		WantValue("data.status", "pending").Text("data.id")
	letter := p.post.letters[0]
	if letter.To != "ada@example.com" || !strings.Contains(letter.HTML, "Ada &lt;b&gt;&amp; Co&lt;/b&gt;") ||
		!strings.Contains(letter.Text, "9 March 2026, 09:00 UTC") {
		t.Errorf("unexpected message: %+v", letter.Text)
	}
	token := p.post.lastToken(t)
	p.clock.Advance(time.Hour)
	activated := p.anonymous().Post("/v1/users/activate", `{"token":"`+token+`"}`).WantStatus(http.StatusOK).
		WantValue("data.status", "active").WantValue("data.updatedAt", "2026-03-02T10:00:00Z").
		WantValue("data.lastLoginAt", "2026-03-02T10:00:00Z")
	p.withKey(activated.Text("data.apiKey")).Get(at).WantStatus(http.StatusOK).WantValue("data.status", "active").
		WantHeader("ETag", `"2"`)
	p.asAdmin().Get("/v1/users").WantValue("data.1.status", "active")

	p.anonymous().Post("/v1/users/activate", `{"token":"`+token+`"}`).WantStatus(http.StatusUnauthorized).
		WantValue("code", "UNAUTHORIZED")
	p.withKey(activated.Text("data.apiKey")).Get(at+"/api-keys").WantValue("data.0.name", "first key").
		WantValue("data.1", nil)
}

func TestActivateRejectsInvalidLinks(t *testing.T) {
	p := newFixture(t)
	for name, c := range map[string]struct {
		email  string
		before func(at string)
	}{
		"expired":            {"a@example.com", func(string) { p.clock.Advance(7 * 24 * time.Hour) }},
		"deleted user":       {"b@example.com", func(at string) { p.asAdmin().Delete(at).WantStatus(http.StatusNoContent) }},
		"activated by admin": {"c@example.com", func(at string) { p.asAdmin().Put(at, `{"status":"active"}`).WantStatus(http.StatusOK) }},
		"suspended":          {"d@example.com", func(at string) { p.asAdmin().Put(at, `{"status":"suspended"}`).WantStatus(http.StatusOK) }},
	} {
		t.Run(name, func(t *testing.T) {
			created := p.asAdmin().For(t).Post("/v1/users", strings.Replace(invited, "ada@example.com", c.email, 1)).
				WantStatus(http.StatusCreated)
			token := p.post.lastToken(t)
			c.before("/v1/users/" + created.Text("data.id"))
			p.anonymous().For(t).Post("/v1/users/activate", `{"token":"`+token+`"}`).WantStatus(http.StatusUnauthorized)
		})
	}
	for _, token := range []string{"", "x", p.key, credentials.Mint(credentials.Link).Reveal(), strings.Repeat("t", 5000)} {
		p.anonymous().Post("/v1/users/activate", `{"token":"`+token+`"}`).WantStatus(http.StatusUnauthorized)
	}
	p.anonymous().Post("/v1/users/activate", `{}`).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "/token")
}

// TestWrongActivationLinksAreLimited guesses links. A link that works is accepted from the same network.
//
//proves:docs/security.md
func TestWrongActivationLinksAreLimited(t *testing.T) {
	p := newFixture(t)
	p.asAdmin().Post("/v1/users", invited).WantStatus(http.StatusCreated)
	activate := func(token string) webtest.Response {
		return p.anonymous().Post("/v1/users/activate", `{"token":"`+token+`"}`)
	}
	p.clock.Advance(18 * time.Second)
	used := p.post.lastToken(t)
	activate(used).WantStatus(http.StatusOK)
	p.asAdmin().Post("/v1/users", strings.Replace(invited, "ada@", "ben@", 1)).WantStatus(http.StatusCreated)
	for i := range credentials.MaxUnknown {
		activate([]string{used, "x"}[i%2]).WantStatus(http.StatusUnauthorized) // does not count
	}
	for range credentials.MaxUnknown {
		activate(credentials.Mint(credentials.Link).Reveal()).WantStatus(http.StatusUnauthorized)
	}
	for range 2 {
		activate(credentials.Mint(credentials.Link).Reveal()).WantStatus(http.StatusTooManyRequests).
			WantValue("code", "RATE_LIMITED").WantHeader("Retry-After", "42")
	}
	activate(used).WantStatus(http.StatusUnauthorized)
	activate(p.post.lastToken(t)).WantStatus(http.StatusOK)
	p.clock.Advance(time.Minute)
	activate(credentials.Mint(credentials.Link).Reveal()).WantStatus(http.StatusUnauthorized)
}

func TestPendingUserCanBeChanged(t *testing.T) {
	p := newFixture(t)
	at := "/v1/users/" + p.asAdmin().Post("/v1/users", invited).WantStatus(http.StatusCreated).Text("data.id")
	p.asAdmin().Put(at, `{"role":"viewer","name":"Ada"}`).WantStatus(http.StatusOK).WantValue("data.status", "pending")
	p.asAdmin().Post(at+"/api-keys", `{"name":"x"}`).WantStatus(http.StatusConflict)
	p.anonymous().Post("/v1/users/activate", `{"token":"`+p.post.lastToken(t)+`"}`).WantStatus(http.StatusOK).
		WantValue("data.role", "viewer").WantValue("data.name", "Ada")
}

func TestConcurrentActivationsActivateOnce(t *testing.T) {
	p := newFixture(t)
	p.asAdmin().Post("/v1/users", invited).WantStatus(http.StatusCreated)
	body := `{"token":"` + p.post.lastToken(t) + `"}`
	statuses := webtest.Concurrently(6, func(int) int { return p.anonymous().Post("/v1/users/activate", body).Status })
	if statuses[http.StatusOK] != 1 || statuses[http.StatusUnauthorized] != 5 {
		t.Errorf("statuses %v, want one 200 and five 401", statuses)
	}
}

func TestFailedMailIsSentLater(t *testing.T) {
	p := newFixture(t)
	p.post.closed = true
	p.asAdmin().Post("/v1/users", invited).WantStatus(http.StatusCreated)
	if sent, err := p.service().inviter.SendDue(t.Context()); sent != 0 || err != nil {
		t.Errorf("sent %d, error %v; want none while the request may still send it", sent, err)
	}
	p.clock.Advance(2 * time.Minute)
	if _, err := p.service().inviter.SendDue(t.Context()); err == nil {
		t.Error("no error while the mailbox is closed")
	}
	p.post.closed = false
	if sent, err := p.service().inviter.SendDue(t.Context()); sent != 0 || err != nil {
		t.Errorf("sent %d, error %v; want none during the pause after a failure", sent, err)
	}
	p.clock.Advance(2 * time.Minute)
	if sent, err := p.service().inviter.SendDue(t.Context()); sent != 1 || err != nil {
		t.Fatalf("sent %d, error %v; want 1", sent, err)
	}
	p.clock.Advance(2 * time.Minute)
	if sent, err := p.service().inviter.SendDue(t.Context()); sent != 0 || err != nil {
		t.Errorf("sent %d again, error %v", sent, err)
	}
	p.anonymous().Post("/v1/users/activate", `{"token":"`+p.post.lastToken(t)+`"}`).WantStatus(http.StatusOK)
}

func TestReplayedCreationSendsOneMail(t *testing.T) {
	p := newFixture(t)
	for range 3 {
		p.asAdmin().With("Idempotency-Key", "k").Post("/v1/users", invited).WantStatus(http.StatusCreated)
	}
	if n := len(p.post.letters); n != 1 {
		t.Errorf("%d messages, want 1", n)
	}
}
