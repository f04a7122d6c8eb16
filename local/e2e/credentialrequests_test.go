package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/testclient"
)

// testCredentialRequest follows a request from the mail to the approver to the collected password,
// using only mails, pages and the API.
func testCredentialRequest(t *testing.T, p *testStack) {
	const path = "/api/v1/credential-requests"
	_, requester := p.activateUser(t, "requester@example.com", "viewer")
	approverAt, approver := p.createUser(t, "approver@example.com", "admin")
	ada, grace := p.anonymous(t).as(requester), p.anonymous(t).as(approver)

	made := ada.Post(path, `{"accessLevel":"charts","justification":"Our staging <cluster>"}`).
		WantStatus(http.StatusCreated).
		WantValue("data.status", "pending")
	at := path + "/" + made.Text("data.id")
	mail, count := p.newestMail(t, "approver@example.com")
	if count != 1 || !strings.Contains(mail.Text("text"), at+"/approve") || !strings.Contains(mail.Text("html"), "&lt;cluster&gt;") {
		t.Fatalf("%d mails to the approver, the newest:\n%s", count, mail.Text("text"))
	}
	ada.Post(at+"/approve", `{}`).WantStatus(http.StatusForbidden)
	grace.Post(at+"/approve", `{"reason":"agreed"}`).WantStatus(http.StatusOK).WantValue("data.status", "approved")

	page, token := p.mailedLink(t, "requester@example.com")
	visitor := p.anonymous(t)
	visitor.Get(page).WantStatus(http.StatusOK).WantHeader("Referrer-Policy", "no-referrer")
	for _, file := range references(visitor.Get(page)) {
		visitor.Get(file).WantStatus(http.StatusOK)
	}
	body := `{"token":"` + token + `"}`
	statuses := testclient.Concurrently(6, func(int) int { return visitor.Post(path+"/collect", body).Status })
	if statuses[http.StatusOK] != 1 || statuses[http.StatusUnauthorized] != 5 {
		t.Errorf("statuses %v, want one 200 and five 401", statuses)
	}
	listed := ada.Get("/api/v1/tokens").WantStatus(http.StatusOK).WantValue("data.0.kind", "password").
		WantValue("data.0.status", "active")
	ada.Get(at).WantStatus(http.StatusOK).WantValue("data.status", "collected").
		WantValue("data.credentialId", listed.Text("data.0.id"))
	grace.Get(path+"?status=collected").WantStatus(http.StatusOK).WantValue("data.0.id", made.Text("data.id")).
		WantValue("pagination.hasMore", false)
	if actions := events(grace.Get(at)); !slices.Equal(actions, []string{"requested", "approved", "mailed", "collected"}) {
		t.Errorf("events %v", actions)
	}
	p.invoke(t, "SendMailFunction", "sendmail/schedule.json") // no mail is due
	if _, count := p.newestMail(t, "requester@example.com"); count != 2 {
		t.Errorf("%d mails to the requester, want the activation and the link", count)
	}
	p.admin(t).Delete(approverAt).WantStatus(http.StatusNoContent) // other tests expect one admin
}

// events returns the actions in a request's history.
func events(a response) []string {
	all, _ := a.JSON("data.events").([]any)
	actions := make([]string, len(all))
	for i, e := range all {
		actions[i], _ = e.(map[string]any)["action"].(string)
	}
	return actions
}
