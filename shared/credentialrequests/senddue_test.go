package credentialrequests_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentialrequests"
	"portside/shared/mail"
	"portside/shared/users"
)

func TestEachApproverIsMailedOnce(t *testing.T) {
	o := newFixture(t)
	o.mailer.rejectedAddresses = []string{"joan@example.com"}
	o.request()
	if got := o.mailer.recipients(); !slices.Equal(got, []string{"grace@example.com"}) {
		t.Fatalf("mails went to %v", got)
	}
	o.wait(mail.SendAfter, 0) // it is too early for the second attempt
	o.now = o.now.Add(time.Hour)
	if _, err := o.service.TakeDue(t.Context()); err == nil {
		t.Error("TakeDue returned no error although a mail was rejected")
	}
	o.mailer.rejectedAddresses = nil
	o.wait(time.Hour, 1)
	o.wait(time.Hour, 0)
	if got := o.mailer.recipients(); !slices.Equal(got, []string{"grace@example.com", "joan@example.com"}) {
		t.Errorf("mails went to %v", got)
	}
}

func TestUnmailedLinkIsReplaced(t *testing.T) {
	o := newFixture(t)
	r := o.request()
	o.mailer.rejectedAddresses = []string{"ada@example.com"}
	o.decide(r.ID, true)
	o.mailer.rejectedAddresses = nil
	o.wait(time.Hour, 1)
	old, link := newestLink(o.mailer.rejected), newestLink(o.mailer.sent)
	if _, err := o.service.Collect(t.Context(), old); !errors.Is(err, credentialrequests.ErrLink) {
		t.Errorf("collect with the link that was not mailed: %v", err)
	}
	password, err := o.service.Collect(t.Context(), link)
	if err != nil || !o.works(password) {
		t.Errorf("collect with the mailed link: %v", err)
	}
	o.wait(8*24*time.Hour, 0)
	if got := o.get(r.ID).Status; got != credentialrequests.Collected {
		t.Errorf("the request is %s", got)
	}
}

func TestDenialIsMailedLater(t *testing.T) {
	o := newFixture(t)
	r := o.request()
	o.mailer.rejectedAddresses = []string{"ada@example.com"}
	o.decide(r.ID, false)
	o.mailer.rejectedAddresses = nil
	o.wait(time.Hour, 1)
	o.wait(time.Hour, 0)
	if got := o.mailer.recipients(); len(got) != 3 || got[2] != "ada@example.com" {
		t.Errorf("mails went to %v", got)
	}
}

func TestUncollectedRequestExpires(t *testing.T) {
	o := newFixture(t)
	r := o.request()
	o.decide(r.ID, true)
	o.wait(credentialrequests.LinkLifetime-time.Second, 0)
	o.wait(time.Second, 1)
	r = o.get(r.ID)
	last := r.Events[len(r.Events)-1]
	if r.Status != credentialrequests.Expired || last.Action != credentialrequests.ActionExpired ||
		last.Actor != credentialrequests.System {
		t.Errorf("the request is %s, last event %+v", r.Status, last)
	}
	o.wait(30*24*time.Hour, 0)
}

func TestMailFailsAfterMaxAttempts(t *testing.T) {
	o := newFixture(t)
	r := o.request()
	o.mailer.rejectedAddresses = []string{"ada@example.com"}
	o.decide(r.ID, true)
	for range mail.MaxAttempts - 1 {
		o.now = o.now.Add(24 * time.Hour)
		if _, err := o.service.TakeDue(t.Context()); err == nil {
			t.Fatal("TakeDue returned no error although the mail was rejected")
		}
	}
	o.wait(24*time.Hour, 1)
	o.wait(24*time.Hour, 0)
	if got := o.get(r.ID).Status; got != credentialrequests.Expired {
		t.Errorf("the request is %s", got)
	}
	if _, err := o.service.Collect(t.Context(), newestLink(o.mailer.rejected)); !errors.Is(err,
		credentialrequests.ErrLink) {
		t.Errorf("collect with the last link: %v", err)
	}
}

func TestLinkIsNotSentToSuspendedRequester(t *testing.T) {
	o := newFixture(t)
	r := o.request()
	o.mailer.rejectedAddresses = []string{"ada@example.com"}
	o.decide(r.ID, true)
	o.mailer.rejectedAddresses = nil
	suspended, active := users.Suspended, users.Active
	o.change(users.Change{Status: &suspended})
	o.wait(time.Hour, 1)
	if link := newestLink(o.mailer.sent); link != "" {
		t.Error("a link was mailed to a suspended user")
	}
	o.change(users.Change{Status: &active})
	o.wait(time.Hour, 1)
	if _, err := o.service.Collect(t.Context(), newestLink(o.mailer.sent)); err != nil {
		t.Error(err)
	}
}

// change changes Ada as the operator.
func (o *fixture) change(change users.Change) {
	o.tb.Helper()
	if _, err := o.users.Update(o.tb.Context(), principal.Operator(), versions.Target{ID: o.ada.UserID},
		change); err != nil {
		o.tb.Fatal(err)
	}
}

// TestRequesterWithMaximumCredentials checks that a link is created only once other credentials
// have expired.
func TestRequesterWithMaximumCredentials(t *testing.T) {
	o := newFixture(t)
	r := o.request()
	o.fill()
	o.decide(r.ID, true)
	o.now = o.now.Add(time.Hour)
	if _, err := o.service.TakeDue(t.Context()); !errors.Is(err, credentialrequests.ErrTooMany) {
		t.Errorf("TakeDue = %v, want %v", err, credentialrequests.ErrTooMany)
	}
	o.wait(time.Minute, 0) // the step is not due yet
	o.wait(25*time.Hour, 1)
	if _, err := o.service.Collect(t.Context(), newestLink(o.mailer.sent)); err != nil {
		t.Error(err)
	}
}

func TestDigestIsRepeatedOnlyForWhoDidNotGetIt(t *testing.T) {
	o := newFixture(t)
	o.request()
	o.request()
	o.request()
	o.mailer.rejectedAddresses = []string{"joan@example.com"}
	o.now = o.now.Add(credentialrequests.DigestInterval)
	if _, err := o.service.TakeDue(t.Context()); err == nil {
		t.Error("TakeDue returned no error although a mail was rejected")
	}
	o.mailer.rejectedAddresses = nil
	o.wait(time.Hour, 2)
	o.wait(time.Hour, 0)
	if got, want := o.mailer.recipients(), []string{
		"grace@example.com", "joan@example.com", "grace@example.com", "joan@example.com",
	}; !slices.Equal(got, want) {
		t.Fatalf("mails went to %v, want %v", got, want)
	}
	for _, digest := range o.mailer.sent[2:] {
		if digest.Subject != "2 credential requests are waiting for your decision" ||
			strings.Count(digest.Text, "requests access to") != 2 ||
			!strings.Contains(digest.Text, base+"/portal/approvals") {
			t.Errorf("the digest %q is\n%s", digest.Subject, digest.Text)
		}
	}
}

// TestLongDigestIsCut has one request of each of 25 users of a customer, after a first one.
func TestLongDigestIsCut(t *testing.T) {
	o := newFixture(t)
	for _, who := range o.company("long", 26).viewers {
		input := credentialrequests.New{Level: credentialrequests.Full, Justification: "why not"}
		if _, err := o.service.Create(t.Context(), who, base, input); err != nil {
			t.Fatal(err)
		}
	}
	o.wait(credentialrequests.DigestInterval, 25)
	digest := o.mailer.sent[len(o.mailer.sent)-1]
	if len(o.mailer.sent) != 4 || strings.Count(digest.Text, "(u") != 20 ||
		!strings.Contains(digest.Text, "The page shows 5 more.") {
		t.Errorf("%d mails, the last is\n%s", len(o.mailer.sent), digest.Text)
	}
}
