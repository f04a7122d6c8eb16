package credentialrequests_test

import (
	"errors"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/credentials"
	"portside/shared/dynamo/transactions"
	"portside/shared/mail"
)

// end revokes a credential.
func (o *fixture) end(id, reason string) {
	o.tb.Helper()
	used, err := o.credentials.Get(o.tb.Context(), id)
	if err != nil {
		o.tb.Fatal(err)
	}
	used.RevokedAt, used.Reason = o.now, reason
	if err := transactions.Write(o.tb.Context(), o.client, o.credentials.Writes.Revoke(used)); err != nil {
		o.tb.Fatal(err)
	}
}

// useInstead lets a person use a new credential of a kind.
func (o *fixture) useInstead(who *principal.Principal, kind credentials.Kind) {
	o.tb.Helper()
	secret := credentials.Mint(kind)
	used := credentials.Credential{
		ID: secret.ID(), Kind: kind, Hash: secret.Hash(), CreatedAt: o.now, ExpiresAt: o.now.AddDate(0, 1, 0),
		Owner: credentials.Owner{ID: who.UserID, Role: who.Role, Active: true}, Makers: who.Makers,
	}
	if err := transactions.Write(o.tb.Context(), o.client, o.credentials.Writes.Issue(used)); err != nil {
		o.tb.Fatal(err)
	}
	who.CredentialID = used.ID
}

// TestRequestOfARevokedCredential revokes the credential with which a request was made: before the decision, and before
// the collection.
//
//proves:docs/security.md
func TestRequestOfARevokedCredential(t *testing.T) {
	for name, test := range map[string]struct {
		kind   credentials.Kind
		reason string
		isOver bool
	}{
		"revoked key":            {kind: credentials.APIKey, reason: "revoked by its owner", isOver: true},
		"leaked key":             {kind: credentials.APIKey, reason: credentials.ReasonLeaked, isOver: true},
		"leaked session":         {kind: credentials.Session, reason: credentials.ReasonLeaked, isOver: true},
		"session that has ended": {kind: credentials.Session, reason: "signed out"},
		"used link":              {kind: credentials.Link, reason: "used"},
		"leaked link":            {kind: credentials.Link, reason: credentials.ReasonLeaked, isOver: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := newFixture(t)
			if test.kind != credentials.APIKey {
				o.useInstead(&o.ada, test.kind)
			}
			pending, approved := o.request(), o.request()
			o.decide(approved.ID, true)
			mails := len(o.mailer.sent)
			o.end(o.ada.CredentialID, test.reason)
			_, err := o.service.Decide(t.Context(), o.grace,
				credentialrequests.Decision{ID: pending.ID, Approve: true, BaseURL: base})
			if isRefused := errors.Is(err, credentialrequests.ErrMaker); isRefused != test.isOver || !isRefused && err != nil {
				t.Errorf("the approval: %v", err)
			}
			_, err = o.service.Collect(t.Context(), newestLink(o.mailer.sent[:mails]))
			if isRefused := errors.Is(err, credentialrequests.ErrLink); isRefused != test.isOver || !isRefused && err != nil {
				t.Errorf("the collection: %v", err)
			}
			if test.isOver {
				o.decide(pending.ID, false)
			}
		})
	}
}

// TestApprovalWithARevokedCredential revokes the credential with which a request was approved, or one with which that
// credential was created, before the collection.
//
//proves:docs/security.md
func TestApprovalWithARevokedCredential(t *testing.T) {
	for name, test := range map[string]struct {
		kind    credentials.Kind
		isMaker bool // whether the maker of the credential ends instead
		reason  string
		isOver  bool
	}{
		"revoked key":                {kind: credentials.APIKey, reason: "revoked by its owner", isOver: true},
		"leaked key":                 {kind: credentials.APIKey, reason: credentials.ReasonLeaked, isOver: true},
		"key made with a leaked key": {kind: credentials.APIKey, isMaker: true, reason: credentials.ReasonLeaked, isOver: true},
		"leaked session":             {kind: credentials.Session, reason: credentials.ReasonLeaked, isOver: true},
		"session that has ended":     {kind: credentials.Session, reason: "signed out"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newFixture(t)
			ended := o.grace.CredentialID
			if test.isMaker {
				o.grace.Makers = o.grace.Hand()
			}
			o.useInstead(&o.grace, test.kind)
			if !test.isMaker {
				ended = o.grace.CredentialID
			}
			o.decide(o.request().ID, true)
			link := newestLink(o.mailer.sent)
			o.end(ended, test.reason)
			_, err := o.service.Collect(t.Context(), link)
			if isRefused := errors.Is(err, credentialrequests.ErrLink); isRefused != test.isOver || !isRefused && err != nil {
				t.Errorf("the collection: %v", err)
			}
		})
	}
}

// TestLongestChainsFitOneTransaction requests and approves with the longest chains of makers, all of other users.
//
//proves:docs/security.md
func TestLongestChainsFitOneTransaction(t *testing.T) {
	o := newFixture(t)
	for _, who := range []*principal.Principal{&o.ada, &o.grace} {
		for range credentials.MaxMakers {
			who.Makers = append(who.Makers, principal.Maker{UserID: newID(), CredentialID: credentials.Mint(credentials.APIKey).ID()})
		}
	}
	o.decide(o.request().ID, true)
	if password, err := o.service.Collect(t.Context(), newestLink(o.mailer.sent)); err != nil || !o.works(password) {
		t.Errorf("the collection: %v", err)
	}
}

// TestOldRequestsCanOnlyBeDenied decides on requests just before and after the limit. Later, the record of a leaked
// credential may be purged.
//
//proves:docs/security.md
func TestOldRequestsCanOnlyBeDenied(t *testing.T) {
	o := newFixture(t)
	first, second, third := o.request(), o.request(), o.request()
	limit := first.CreatedAt.AddDate(0, 0, credentialrequests.MaxPendingDays)
	o.now = limit.Add(-time.Millisecond)
	o.decide(first.ID, true)
	o.now = limit
	_, err := o.service.Decide(t.Context(), o.grace,
		credentialrequests.Decision{ID: second.ID, Approve: true, BaseURL: base})
	if !errors.Is(err, credentialrequests.ErrTooOld) {
		t.Errorf("the approval: %v", err)
	}
	o.decide(second.ID, false)
	o.now = limit.AddDate(1, 0, 0)
	o.decide(third.ID, false)
	longest := credentialrequests.LinkLifetime
	for n := range mail.MaxAttempts {
		longest += mail.RetryDelay(n + 1)
	}
	if last := limit.Add(longest); !last.Before(first.CreatedAt.Add(credentials.Retention)) {
		t.Errorf("a password can be collected until %v, when the record of a leaked credential may be purged", last)
	}
}
