package main

import (
	"errors"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/revocation"
	"portside/shared/revocation/revocationdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
)

// TestScheduleContinuesARevocation interrupts the end of a key after its first transaction. The schedule ends what the
// key has made, and mails the other owner.
//
//proves:docs/security.md
func TestScheduleContinuesARevocation(t *testing.T) {
	o := newFixture(t)
	caller, other := o.user("ada@example.com", principal.Admin), o.user("grace@example.com", principal.Viewer)
	made, err := o.keys.Create(t.Context(), caller, other.UserID, users.NewKey{Name: "made"})
	if err != nil {
		t.Fatal(err)
	}
	writes := 0
	interrupted := awstest.Faulty(o.client, func(operation string, _ int) error {
		if operation == "TransactWriteItems" {
			writes++
		}
		if writes > 0 && operation != "TransactWriteItems" || writes > 1 {
			return errors.New("the process has crashed")
		}
		return nil
	})
	store := revocationdynamo.New(interrupted, credentialsdynamo.New(interrupted, o.table.Name(), ""))
	ending := revocation.NewService(revocation.Parts{Store: store, Jobs: store, Now: func() time.Time { return o.now }})
	if err := ending.End(t.Context(), caller.CredentialID, "deleted", "https://portal.example.com"); err != nil {
		t.Fatal(err)
	}
	revoked := func() bool {
		key, err := o.table.Get(t.Context(), made.Key.ID)
		if err != nil {
			t.Fatal(err)
		}
		return !key.RevokedAt.IsZero()
	}
	if revoked() {
		t.Fatal("the key has ended before the schedule, so the test shows nothing")
	}
	o.mustRun()
	if revoked() {
		t.Fatal("the schedule did not wait for the request")
	}
	o.now = o.now.Add(time.Hour)
	o.mustRun()
	if !revoked() {
		t.Error("the key works")
	}
	due, err := o.table.Notices.DueNotices(t.Context(), o.now.AddDate(1, 0, 0), 10)
	if got := o.server.recipients(); len(got) != 2 || got[0] != "grace@example.com" || got[1] != got[0] || len(due) != 0 || err != nil {
		t.Errorf("mails to %v about the creation and the end, and %d unsent, %v; want two to the owner", got, len(due), err)
	}
	if notices, err := o.notices.SendDue(t.Context()); notices != 0 || err != nil {
		t.Errorf("%d more mails, %v", notices, err)
	}
}
