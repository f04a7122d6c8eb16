package credentialrequests_test

import (
	"errors"
	"testing"

	"portside/shared/credentialrequests"
	"portside/shared/credentials"
	"portside/shared/dynamo/transactions"
)

// end revokes the credential of Ada with which she makes requests.
func (o *fixture) end(kind credentials.Kind, reason string) {
	o.tb.Helper()
	used, err := o.credentials.Get(o.tb.Context(), o.ada.CredentialID)
	if err != nil {
		o.tb.Fatal(err)
	}
	used.Kind, used.RevokedAt, used.Reason = kind, o.now, reason
	if err := transactions.Write(o.tb.Context(), o.client, o.credentials.Revoke(used)); err != nil {
		o.tb.Fatal(err)
	}
}

// useInstead lets Ada make requests with a credential of a kind instead of a key.
func (o *fixture) useInstead(kind credentials.Kind) {
	o.tb.Helper()
	secret := credentials.Mint(kind)
	used := credentials.Credential{
		ID: secret.ID(), Kind: kind, Hash: secret.Hash(), CreatedAt: o.now, ExpiresAt: o.now.AddDate(0, 1, 0),
		Owner: credentials.Owner{ID: o.ada.UserID, Role: o.ada.Role, Active: true},
	}
	if err := transactions.Write(o.tb.Context(), o.client, o.credentials.Issue(used)); err != nil {
		o.tb.Fatal(err)
	}
	o.ada.CredentialID = used.ID
}

// TestRequestOfARevokedCredential revokes the credential with which a request was made: before the decision, and before the collection.
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
				o.useInstead(test.kind)
			}
			pending, approved := o.request(), o.request()
			o.decide(approved.ID, true)
			mails := len(o.mailer.sent)
			o.end(test.kind, test.reason)
			_, err := o.service.Decide(t.Context(), o.grace, credentialrequests.Decision{ID: pending.ID, Approve: true, BaseURL: base})
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
