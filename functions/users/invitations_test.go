package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/mail"
	"portside/shared/testkit/webtest"
)

// invite creates a pending user and returns the path of the invitation.
func (p *fixture) invite() string {
	p.tb.Helper()
	return "/v1/users/" + p.asAdmin().Post("/v1/users", invited).WantStatus(http.StatusCreated).
		Text("data.id") + "/invitation"
}

func TestInvitationIsSentAgain(t *testing.T) {
	p := newFixture(t)
	at := p.invite()
	p.asAdmin().Get(at).WantStatus(http.StatusOK).WantValue("data.status", "sent").
		WantValue("data.createdAt", "2026-03-02T09:00:00Z").WantValue("data.expiresAt", "2026-03-09T09:00:00Z")
	first := p.post.lastToken(t)

	p.asAdmin().Post(at, "").WantStatus(http.StatusTooManyRequests).WantValue("code", "RATE_LIMITED").
		WantHeader("Retry-After", "60")
	p.clock.Advance(time.Minute)
	p.asAdmin().Post(at, "").WantStatus(http.StatusOK).WantValue("data.status", "sent").
		WantValue("data.createdAt", "2026-03-02T09:01:00Z").WantValue("data.expiresAt", "2026-03-09T09:01:00Z")
	p.anonymous().Post("/v1/users/activate", `{"token":"`+first+`"}`).WantStatus(http.StatusUnauthorized)
	p.anonymous().Post("/v1/users/activate", `{"token":"`+p.post.lastToken(t)+`"}`).WantStatus(http.StatusOK)

	p.asAdmin().Get(at).WantStatus(http.StatusNotFound).
		WantValue("detail", "The user has no invitation, because the user is not pending.")
	p.asAdmin().Post(at, "").WantStatus(http.StatusConflict).WantValue("code", "CONFLICT")
	nobody := "/v1/users/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11/invitation"
	p.asAdmin().Get(nobody).WantStatus(http.StatusNotFound)
	p.asAdmin().Post(nobody, "").WantStatus(http.StatusNotFound)
}

func TestManyInvitationsTakeHours(t *testing.T) {
	p := newFixture(t)
	at := p.invite()
	for range 3 {
		p.clock.Advance(time.Minute)
		p.asAdmin().Post(at, "").WantStatus(http.StatusOK)
	}
	p.clock.Advance(time.Minute)
	p.asAdmin().Post(at, "").WantStatus(http.StatusTooManyRequests).WantHeader("Retry-After", "3540")
	p.clock.Advance(59 * time.Minute)
	p.asAdmin().Post(at, "").WantStatus(http.StatusOK)
	p.clock.Advance(59 * time.Minute)
	p.asAdmin().Post(at, "").WantStatus(http.StatusTooManyRequests).WantHeader("Retry-After", "60")
}

func TestExpiredInvitationIsSentAgain(t *testing.T) {
	p := newFixture(t)
	at := p.invite()
	p.clock.Advance(7 * 24 * time.Hour)
	p.asAdmin().Get(at).WantValue("data.status", "expired")
	p.asAdmin().Post(at, "").WantStatus(http.StatusOK).WantValue("data.status", "sent")
	p.anonymous().Post("/v1/users/activate", `{"token":"`+p.post.lastToken(t)+`"}`).WantStatus(http.StatusOK)
}

func TestUnsentInvitationIsWaiting(t *testing.T) {
	p := newFixture(t)
	p.post.closed = true
	at := p.invite()
	p.asAdmin().Get(at).WantValue("data.status", "waiting")
	p.clock.Advance(time.Minute)
	p.asAdmin().Post(at, "").WantStatus(http.StatusOK).WantValue("data.status", "waiting")
	p.post.closed = false
	p.clock.Advance(2 * time.Minute)
	if sent, err := p.service().inviter.SendDue(t.Context()); sent != 1 || err != nil {
		t.Fatalf("sent %d, error %v; want 1", sent, err)
	}
	p.asAdmin().Get(at).WantValue("data.status", "sent")
	p.anonymous().Post("/v1/users/activate", `{"token":"`+p.post.lastToken(t)+`"}`).WantStatus(http.StatusOK)
}

// After the last failed attempt, the user does not have the link, so it must not be reported as sent.
func TestAbandonedInvitationIsExpired(t *testing.T) {
	p := newFixture(t)
	p.post.closed = true
	at := p.invite()
	for range mail.MaxAttempts + 1 {
		p.asAdmin().Get(at).WantValue("data.status", "waiting")
		p.clock.Advance(24 * time.Hour)
		_, _ = p.service().inviter.SendDue(t.Context()) // fails, because the mailbox is closed
	}
	p.asAdmin().Get(at).WantValue("data.status", "expired")
	p.post.closed = false
	if sent, err := p.service().inviter.SendDue(t.Context()); sent != 0 || err != nil {
		t.Errorf("sent %d, error %v", sent, err)
	}
	p.clock.Advance(24 * time.Hour)
	p.asAdmin().Post(at, "").WantStatus(http.StatusOK).WantValue("data.status", "sent")
}

// The users of an import have no link before their mail is sent.
func TestInvitationOfAnImportedUser(t *testing.T) {
	p := newFixture(t)
	file := `"email,name,role\nada@example.com,Ada,user\n"`
	p.asAdmin().Post("/v1/users/imports", `{"format":"csv","text":`+file+`,"sendActivationEmail":true}`).
		WantStatus(http.StatusOK)
	at := "/v1/users/" + p.asAdmin().Get("/v1/users?email=ada@example.com").Text("data.0.id") + "/invitation"
	p.asAdmin().Get(at).WantStatus(http.StatusOK).WantValue("data.status", "waiting").WantValue("data.expiresAt", nil)
	p.asAdmin().Post(at, "").WantStatus(http.StatusOK).WantValue("data.status", "sent")
	p.clock.Advance(time.Hour)
	if sent, err := p.service().inviter.SendDue(t.Context()); sent != 0 || err != nil {
		t.Errorf("the schedule sent %d more mails, error %v", sent, err)
	}
	if n := len(p.post.letters); n != 1 {
		t.Errorf("%d mails, want 1", n)
	}
}

func TestConcurrentResendsSendOneMail(t *testing.T) {
	p := newFixture(t)
	at := p.invite()
	p.clock.Advance(time.Hour)
	statuses := webtest.Concurrently(6, func(int) int { return p.asAdmin().Post(at, "").Status })
	refused := statuses[http.StatusTooManyRequests] + statuses[http.StatusServiceUnavailable]
	if statuses[http.StatusOK] != 1 || refused != 5 {
		t.Errorf("statuses %v, want one 200", statuses)
	}
	if n := len(p.post.letters); n != 2 {
		t.Errorf("%d mails, want 2", n)
	}
}

func TestInvitationNeedsPermission(t *testing.T) {
	p := newFixture(t)
	_, manager := p.user("manager@example.com", principal.Manager)
	_, viewer := p.user("viewer@example.com", principal.Viewer)
	admin := "/v1/users/" + p.asAdmin().Post("/v1/users", strings.Replace(invited, `"role":"user"`, `"role":"admin"`, 1)).
		WantStatus(http.StatusCreated).Text("data.id") + "/invitation"
	p.clock.Advance(time.Hour)
	p.withKey(viewer).Post(admin, "").WantStatus(http.StatusForbidden)
	p.withKey(manager).Post(admin, "").WantStatus(http.StatusForbidden)
	p.anonymous().Post(admin, "").WantStatus(http.StatusUnauthorized)
}
