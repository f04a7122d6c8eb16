package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// testCredentialRequest follows a request from the mail to the approver to the collected password,
// using only mails, pages and the API.
func testCredentialRequest(t *testing.T, p *testStack) {
	const path = "/api/v1/credential-requests"
	_, requester := p.createUser(t, "requester@example.com", "viewer")
	approverAt, approver := p.createUser(t, "approver@example.com", "admin")
	ada, grace := p.anonymous(t).as(requester), p.anonymous(t).as(approver)

	made := ada.post(path, `{"accessLevel":"charts","justification":"Our staging <cluster>"}`).
		wantStatus(http.StatusCreated).
		wantValue("data.status", "pending")
	at := path + "/" + made.text("data.id")
	mail, count := p.newestMail(t, "approver@example.com")
	if count != 1 || !strings.Contains(mail.text("text"), at+"/approve") || !strings.Contains(mail.text("html"), "&lt;cluster&gt;") {
		t.Fatalf("%d mails to the approver, the newest:\n%s", count, mail.text("text"))
	}
	ada.post(at+"/approve", `{}`).wantStatus(http.StatusForbidden)
	grace.post(at+"/approve", `{"reason":"agreed"}`).wantStatus(http.StatusOK).wantValue("data.status", "approved")

	page, token := p.mailedLink(t, "requester@example.com")
	visitor := p.anonymous(t)
	visitor.get(page).wantStatus(http.StatusOK).wantHeader("Referrer-Policy", "no-referrer")
	for _, file := range references(visitor.get(page)) {
		visitor.get(file).wantStatus(http.StatusOK)
	}
	body := `{"token":"` + token + `"}`
	statuses := runConcurrently(6, func(int) int { return visitor.post(path+"/collect", body).status })
	if statuses[http.StatusOK] != 1 || statuses[http.StatusUnauthorized] != 5 {
		t.Errorf("statuses %v, want one 200 and five 401", statuses)
	}
	listed := ada.get("/api/v1/tokens").wantStatus(http.StatusOK).wantValue("data.0.kind", "password").
		wantValue("data.0.status", "active")
	ada.get(at).wantStatus(http.StatusOK).wantValue("data.status", "collected").
		wantValue("data.credentialId", listed.text("data.0.id"))
	grace.get(path+"?status=collected").wantStatus(http.StatusOK).wantValue("data.0.id", made.text("data.id")).
		wantValue("pagination.hasMore", false)
	if actions := events(grace.get(at)); !slices.Equal(actions, []string{"requested", "approved", "mailed", "collected"}) {
		t.Errorf("events %v", actions)
	}
	p.invoke(t, "SendMailFunction", "sendmail/schedule.json") // no mail is due
	if _, count := p.newestMail(t, "requester@example.com"); count != 1 {
		t.Errorf("%d mails to the requester, want 1", count)
	}
	p.admin(t).delete(approverAt).wantStatus(http.StatusNoContent) // other tests expect one admin
}

// events returns the actions in a request's history.
func events(a response) []string {
	a.t.Helper()
	all, _ := a.json("data.events").([]any)
	actions := make([]string, len(all))
	for i, e := range all {
		actions[i], _ = e.(map[string]any)["action"].(string)
	}
	return actions
}
