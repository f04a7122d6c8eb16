package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// testFourEyes tries to approve an admin's own request with keys that the admin has made for others.
func testFourEyes(t *testing.T, p *testStack) {
	const requests = "/api/v1/credential-requests"
	adminAt, admin := p.activateUser(t, "laundering@example.com", "admin")
	bAt, _ := p.activateUser(t, "b@example.com", "admin")
	cAt, c := p.activateUser(t, "c@example.com", "admin")
	makeKey := func(with, at string) string {
		return p.anonymous(t).as(with).Post(at+"/api-keys", `{"name":"made"}`).WantStatus(http.StatusCreated).Text("data.key")
	}
	forB := makeKey(admin, bAt)
	if mail := p.awaitNotice(t, "b@example.com"); !strings.Contains(mail.Text("text"), "laundering@example.com") {
		t.Errorf("the mail to the owner does not name who made the key:\n%s", mail.Text("text"))
	}
	forC := makeKey(forB, cAt)
	at := requests + "/" + p.anonymous(t).as(admin).Post(requests, `{"accessLevel":"full","justification":"for me"}`).
		WantStatus(http.StatusCreated).Text("data.id")
	for _, key := range []string{admin, forB, forC, makeKey(forC, adminAt), makeKey(admin, cAt)} {
		p.anonymous(t).as(key).Post(at+"/approve", `{}`).WantStatus(http.StatusForbidden)
	}
	p.anonymous(t).as(c).Post(at+"/approve", `{}`).WantStatus(http.StatusOK).WantValue("data.deciders.0.userId", cAt[len("/v1/users/"):])

	p.anonymous(t).Post("/api/v1/tokens/revoke", `{"token":"`+forB+`"}`).WantStatus(http.StatusNoContent)
	for _, ended := range []string{forB, forC} {
		p.anonymous(t).as(ended).Get("/v1/users").WantStatus(http.StatusUnauthorized)
	}
	p.anonymous(t).as(c).Get("/v1/users").WantStatus(http.StatusOK)
	for _, user := range []string{adminAt, bAt, cAt} { // other tests expect one admin
		p.admin(t).Delete(user).WantStatus(http.StatusNoContent)
	}
}

// awaitNotice returns the newest mail about a new key to the address.
func (p *testStack) awaitNotice(t *testing.T, to string) (newest response) {
	t.Helper()
	await(t, "a notice to "+to, func() bool {
		mails := p.mailsTo(t, to, func(subject string) bool { return subject == noticeSubject })
		if len(mails) > 0 {
			newest = mails[0]()
		}
		return len(mails) > 0
	})
	return newest
}
