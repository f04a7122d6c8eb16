package credentialrequests_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentialrequests"
	"portside/shared/mail"
	"portside/shared/users"
)

func TestApproversAreToldOnceEach(t *testing.T) {
	o := newOffice(t)
	o.post.refused = []string{"joan@example.com"}
	o.request()
	if got := o.post.recipients(); !slices.Equal(got, []string{"grace@example.com"}) {
		t.Fatalf("mails went to %v", got)
	}
	o.wait(mail.SendAfter, 0) // the pause after the first try is not over
	o.now = o.now.Add(time.Hour)
	if _, err := o.service.SendDue(t.Context()); err == nil {
		t.Error("no error while a mail is refused")
	}
	o.post.refused = nil
	o.wait(time.Hour, 1)
	o.wait(time.Hour, 0)
	if got := o.post.recipients(); !slices.Equal(got, []string{"grace@example.com", "joan@example.com"}) {
		t.Errorf("mails went to %v", got)
	}
}

func TestLinkThatCouldNotBeMailedIsReplaced(t *testing.T) {
	o := newOffice(t)
	r := o.request()
	o.post.refused = []string{"ada@example.com"}
	o.decide(r.ID, true)
	o.post.refused = nil
	o.wait(time.Hour, 1)
	old, link := newestLink(o.post.turnedOff), newestLink(o.post.letters)
	if _, err := o.service.Collect(t.Context(), old); !errors.Is(err, credentialrequests.ErrLink) {
		t.Errorf("the link that was not mailed: %v", err)
	}
	password, err := o.service.Collect(t.Context(), link)
	if err != nil || !o.works(password) {
		t.Errorf("the link that was mailed: %v", err)
	}
	o.wait(8*24*time.Hour, 0)
	if got := o.get(r.ID).Status; got != credentialrequests.Collected {
		t.Errorf("the request is %s", got)
	}
}

func TestRefusalIsMailedLater(t *testing.T) {
	o := newOffice(t)
	r := o.request()
	o.post.refused = []string{"ada@example.com"}
	o.decide(r.ID, false)
	o.post.refused = nil
	o.wait(time.Hour, 1)
	o.wait(time.Hour, 0)
	if got := o.post.recipients(); len(got) != 3 || got[2] != "ada@example.com" {
		t.Errorf("mails went to %v", got)
	}
}

func TestUncollectedRequestExpires(t *testing.T) {
	o := newOffice(t)
	r := o.request()
	o.decide(r.ID, true)
	o.wait(credentialrequests.LinkLifetime-time.Second, 0)
	o.wait(time.Second, 1)
	r = o.get(r.ID)
	last := r.Events[len(r.Events)-1]
	if r.Status != credentialrequests.Expired || last.Action != credentialrequests.ActionExpired || last.Actor != credentialrequests.System {
		t.Errorf("the request is %s, last event %+v", r.Status, last)
	}
	o.wait(30*24*time.Hour, 0)
}

func TestMailIsGivenUp(t *testing.T) {
	o := newOffice(t)
	r := o.request()
	o.post.refused = []string{"ada@example.com"}
	o.decide(r.ID, true)
	for range mail.MaxAttempts - 1 {
		o.now = o.now.Add(24 * time.Hour)
		if _, err := o.service.SendDue(t.Context()); err == nil {
			t.Fatal("no error while the mail is refused")
		}
	}
	o.wait(24*time.Hour, 1)
	o.wait(24*time.Hour, 0)
	if got := o.get(r.ID).Status; got != credentialrequests.Expired {
		t.Errorf("the request is %s", got)
	}
	if _, err := o.service.Collect(t.Context(), newestLink(o.post.turnedOff)); !errors.Is(err, credentialrequests.ErrLink) {
		t.Errorf("the last link: %v", err)
	}
}

func TestLinkWaitsForASuspendedRequester(t *testing.T) {
	o := newOffice(t)
	r := o.request()
	o.post.refused = []string{"ada@example.com"}
	o.decide(r.ID, true)
	o.post.refused = nil
	suspended, active := users.Suspended, users.Active
	o.change(users.Change{Status: &suspended})
	o.wait(time.Hour, 1)
	if link := newestLink(o.post.letters); link != "" {
		t.Error("a link was mailed to a suspended user")
	}
	o.change(users.Change{Status: &active})
	o.wait(time.Hour, 1)
	if _, err := o.service.Collect(t.Context(), newestLink(o.post.letters)); err != nil {
		t.Error(err)
	}
}

// change changes Ada past all permissions.
func (o *office) change(change users.Change) {
	o.tb.Helper()
	if _, err := o.users.Update(o.tb.Context(), principal.Operator(), versions.Target{ID: o.ada.UserID}, change); err != nil {
		o.tb.Fatal(err)
	}
}

// TestRequesterWithAllCredentialsTaken has no room for a link, until some expire.
func TestRequesterWithAllCredentialsTaken(t *testing.T) {
	o := newOffice(t)
	r := o.request()
	o.fill()
	o.decide(r.ID, true)
	o.now = o.now.Add(time.Hour)
	if _, err := o.service.SendDue(t.Context()); !errors.Is(err, credentialrequests.ErrTooMany) {
		t.Errorf("the link was made, or failed for another reason: %v", err)
	}
	o.wait(time.Minute, 0) // it rests
	o.wait(25*time.Hour, 1)
	if _, err := o.service.Collect(t.Context(), newestLink(o.post.letters)); err != nil {
		t.Error(err)
	}
}
