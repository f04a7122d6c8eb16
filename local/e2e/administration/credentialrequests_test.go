package administration

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/local/e2e/e2etest"
)

// TestCredentialRequest follows a request from the mail to the approver to the collected password, using only mails,
// pages and the API. The requester belongs to an own customer, so no other request delays the mail.
func TestCredentialRequest(t *testing.T) {
	p := e2etest.Shared(t)
	const path = "/api/v1/credential-requests"
	_, requester := p.Users.Activate(t, "requester", "viewer", `"customerId":"`+p.CreateCustomer(t, "Acme", "acme")+`"`)
	_, approver := p.Users.Create(t, "approver", "admin")
	ada, grace := p.As(t, requester), p.As(t, approver)

	made := ada.Post(path, `{"accessLevel":"charts","justification":"Our staging <cluster>"}`).
		WantStatus(http.StatusCreated).
		WantValue("data.status", "pending")
	at := path + "/" + made.Text("data.id")
	mails := slices.DeleteFunc(p.Mail.To(t, "approver"), func(m e2etest.Mail) bool {
		return !strings.Contains(m.Text, at+"/approve")
	})
	if len(mails) != 1 || !strings.Contains(mails[0].HTML, "&lt;cluster&gt;") {
		t.Fatalf("the mails to the approver about the request are %q", mails)
	}
	ada.Post(at+"/approve", `{}`).WantStatus(http.StatusForbidden)
	grace.Post(at+"/approve", `{"reason":"agreed"}`).WantStatus(http.StatusOK).WantValue("data.status", "approved")

	page, token := p.Mail.Link(t, "requester")
	visitor := p.Anonymous(t)
	visitor.Get(page).WantStatus(http.StatusOK).WantHeader("Referrer-Policy", "no-referrer")
	visitor.WantFilesOf(page)
	body := `{"token":"` + token + `"}`
	statuses := e2etest.AtOnce(6, func() int { return visitor.Post(path+"/collect", body).Status })
	if statuses[http.StatusOK] != 1 || statuses[http.StatusUnauthorized] != 5 {
		t.Errorf("statuses %v, want one 200 and five 401", statuses)
	}
	listed := ada.Get("/api/v1/tokens").WantStatus(http.StatusOK).WantValue("data.0.kind", "password").
		WantValue("data.0.status", "active")
	ada.Get(at).WantStatus(http.StatusOK).WantValue("data.status", "collected").
		WantValue("data.credentialId", listed.Text("data.0.id"))
	if collected := grace.Get(path + "?status=collected"); !strings.Contains(string(collected.Body),
		made.Text("data.id")) {
		t.Errorf("the collected requests are %s", collected)
	}
	if actions := events(grace.Get(at)); !slices.Equal(actions, []string{"requested", "approved", "mailed", "collected"}) {
		t.Errorf("events %v", actions)
	}
	p.Operator.Invoke(t, "SendMailFunction", "sendmail/schedule.json") // no mail is due
	if _, count := p.Mail.Newest(t, "requester"); count != 2 {
		t.Errorf("%d mails to the requester, want the activation and the link", count)
	}
}

// events returns the actions in a request's history.
func events(a e2etest.Response) []string {
	all, _ := a.JSON("data.events").([]any)
	actions := make([]string, len(all))
	for i, e := range all {
		actions[i], _ = e.(map[string]any)["action"].(string)
	}
	return actions
}

// TestFourEyes tries to approve an admin's own request with keys that the admin has made for others.
func TestFourEyes(t *testing.T) {
	p := e2etest.Shared(t)
	const requests = "/api/v1/credential-requests"
	adminAt, admin := p.Users.Activate(t, "laundering", "admin")
	bAt, _ := p.Users.Activate(t, "b", "admin")
	cAt, c := p.Users.Activate(t, "c", "admin")
	makeKey := func(with, at string) string {
		return p.As(t, with).Post(at+"/api-keys", `{"name":"made"}`).WantStatus(http.StatusCreated).Text("data.key")
	}
	forB := makeKey(admin, bAt)
	var notices []e2etest.Mail
	e2etest.Await(t, "the notice to the owner", func() bool {
		notices = slices.DeleteFunc(p.Mail.To(t, "b"), func(m e2etest.Mail) bool { return m.Subject != e2etest.KeyNotice })
		return len(notices) > 0
	})
	if text := notices[0].Text; !strings.Contains(text, p.Email("laundering")) {
		t.Errorf("the mail to the owner does not name who made the key:\n%s", text)
	}
	forC := makeKey(forB, cAt)
	at := requests + "/" + p.As(t, admin).Post(requests, `{"accessLevel":"full","justification":"for me"}`).
		WantStatus(http.StatusCreated).Text("data.id")
	for _, key := range []string{admin, forB, forC, makeKey(forC, adminAt), makeKey(admin, cAt)} {
		p.As(t, key).Post(at+"/approve", `{}`).WantStatus(http.StatusForbidden)
	}
	p.As(t, c).Post(at+"/approve", `{}`).WantStatus(http.StatusOK).
		WantValue("data.deciders.0.userId", cAt[len("/v1/users/"):])

	p.Anonymous(t).Post("/api/v1/tokens/revoke", `{"token":"`+forB+`"}`).WantStatus(http.StatusNoContent)
	for _, ended := range []string{forB, forC} {
		p.As(t, ended).Get("/v1/users").WantStatus(http.StatusUnauthorized)
	}
	p.As(t, c).Get("/v1/users").WantStatus(http.StatusOK)
}
