package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
)

// to returns the texts of the messages to an address, oldest first.
func (b *mailbox) to(address string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var texts []string
	for _, m := range b.letters {
		if m.To == address {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

//proves:docs/security.md
func TestOwnerGetsMailWhenAnotherUserCreatesAKey(t *testing.T) {
	p := newFixture(t)
	user, key := p.user("ada@example.com", principal.Viewer)
	at := "/v1/users/" + user.ID + "/api-keys"
	p.withKey(key).Post(at, `{"name":"own"}`).WantStatus(http.StatusCreated)
	if got := p.post.to("ada@example.com"); len(got) != 0 {
		t.Fatalf("a mail about an own key: %v", got)
	}
	once := p.asAdmin().With("Idempotency-Key", onceKey)
	made := once.Post(at, `{"name":"for you"}`).WantStatus(http.StatusCreated)
	once.Post(at, `{"name":"for you"}`).WantHeader("Idempotency-Replayed", "true")
	got := p.post.to("ada@example.com")
	if len(got) != 1 {
		t.Fatalf("%d mails, want 1: %v", len(got), got)
	}
	text := strings.Join(strings.Fields(strings.ReplaceAll(got[0], "\u200c", "")), " ")
	for _, wanted := range []string{
		"root@example.com (root@example.com) created the API key “for you” (" + made.Text("data.id") + ") for your account on 2 March 2026, 09:00 UTC.",
		"https://portal.example.com/portal/account",
	} {
		if !strings.Contains(text, wanted) {
			t.Errorf("the mail lacks %q:\n%s", wanted, got[0])
		}
	}
	if strings.Contains(got[0], made.Text("data.key")[17:]) {
		t.Error("the mail contains the secret")
	}
	p.clock.Advance(time.Hour)
	if sent, err := p.service().notices.SendDue(t.Context()); sent != 0 || err != nil {
		t.Errorf("the schedule sends %d mails again, %v", sent, err)
	}
}

//proves:docs/security.md
func TestMailAboutAKeyIsSentLaterIfTheMailServerFails(t *testing.T) {
	p := newFixture(t)
	user, _ := p.user("ada@example.com", principal.Viewer)
	p.post.closed = true
	p.asAdmin().Post("/v1/users/"+user.ID+"/api-keys", `{"name":"for you"}`).WantStatus(http.StatusCreated)
	p.clock.Advance(2 * time.Minute)
	if sent, err := p.service().notices.SendDue(t.Context()); sent != 0 || err == nil {
		t.Errorf("%d mails and no error while no mail can be sent", sent)
	}
	p.post.closed = false
	if sent, err := p.service().notices.SendDue(t.Context()); sent != 0 || err != nil {
		t.Errorf("%d mails before the next attempt is due, %v", sent, err)
	}
	p.clock.Advance(5 * time.Minute)
	for _, want := range []int{1, 0} {
		if sent, err := p.service().notices.SendDue(t.Context()); sent != want || err != nil {
			t.Errorf("%d mails, %v, want %d", sent, err, want)
		}
	}
	if got := p.post.to("ada@example.com"); len(got) != 1 {
		t.Errorf("%d mails, want 1", len(got))
	}
}

func TestNoticeToADeletedUserIsDropped(t *testing.T) {
	p := newFixture(t)
	user, _ := p.user("ada@example.com", principal.Viewer)
	p.post.closed = true
	p.asAdmin().Post("/v1/users/"+user.ID+"/api-keys", `{"name":"for you"}`).WantStatus(http.StatusCreated)
	p.asAdmin().Delete("/v1/users/" + user.ID).WantStatus(http.StatusNoContent)
	p.post.closed = false
	p.clock.Advance(time.Hour)
	if _, err := p.service().notices.SendDue(t.Context()); err != nil {
		t.Error(err)
	}
	if due, err := p.keys.Notices.DueNotices(t.Context(), p.clock.Now().AddDate(1, 0, 0), 10); len(due) != 0 || err != nil {
		t.Errorf("notices left: %v, %v", due, err)
	}
}
