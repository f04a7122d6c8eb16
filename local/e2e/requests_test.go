package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// credentialRequest plays a request from the mail to the approver to the use of the password: by mails, pages and API alone.
func credentialRequest(t *testing.T, p *portal) {
	const path = "/api/v1/credential-requests"
	_, requester := p.user(t, "requester@example.com", "viewer")
	approverAt, approver := p.user(t, "approver@example.com", "admin")
	ada, grace := p.visitor(t).as(requester), p.visitor(t).as(approver)

	made := ada.post(path, `{"accessLevel":"charts","justification":"Our staging <cluster>"}`).is(http.StatusCreated).
		has("data.status", "pending")
	at := path + "/" + made.text("data.id")
	mail, count := p.letter(t, "approver@example.com")
	if count != 1 || !strings.Contains(mail.text("text"), at+"/approve") || !strings.Contains(mail.text("html"), "&lt;cluster&gt;") {
		t.Fatalf("%d mails to the approver, the newest:\n%s", count, mail.text("text"))
	}
	ada.post(at+"/approve", `{}`).is(http.StatusForbidden)
	grace.post(at+"/approve", `{"reason":"agreed"}`).is(http.StatusOK).has("data.status", "approved")

	page, token := p.invite(t, "requester@example.com")
	visitor := p.visitor(t)
	visitor.get(page).is(http.StatusOK).hasHeader("Referrer-Policy", "no-referrer")
	for _, file := range references(visitor.get(page)) {
		visitor.get(file).is(http.StatusOK)
	}
	body := `{"token":"` + token + `"}`
	statuses := atOnce(6, func(int) int { return visitor.post(path+"/collect", body).status })
	if statuses[http.StatusOK] != 1 || statuses[http.StatusUnauthorized] != 5 {
		t.Errorf("statuses %v, want one 200 and five 401", statuses)
	}
	listed := ada.get("/api/v1/tokens").is(http.StatusOK).has("data.0.kind", "password").has("data.0.status", "active")
	ada.get(at).is(http.StatusOK).has("data.status", "collected").has("data.credentialId", listed.text("data.0.id"))
	grace.get(path+"?status=collected").is(http.StatusOK).has("data.0.id", made.text("data.id")).has("pagination.hasMore", false)
	if actions := events(grace.get(at)); !slices.Equal(actions, []string{"requested", "approved", "mailed", "collected"}) {
		t.Errorf("events %v", actions)
	}
	p.invoke(t, "SendMailFunction", "mail/schedule.json") // nothing is left to do
	if _, count := p.letter(t, "requester@example.com"); count != 1 {
		t.Errorf("%d mails to the requester, want 1", count)
	}
	p.root(t).delete(approverAt).is(http.StatusNoContent) // other parts count on one admin
}

// events are the actions in the trail of a request.
func events(a answer) []string {
	a.t.Helper()
	all, _ := a.json("data.events").([]any)
	actions := make([]string, len(all))
	for i, e := range all {
		actions[i], _ = e.(map[string]any)["action"].(string)
	}
	return actions
}
