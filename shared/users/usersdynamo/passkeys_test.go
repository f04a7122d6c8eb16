package usersdynamo_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/transactions"
	"portside/shared/sessions/passkeys"
	"portside/shared/sessions/passkeys/passkeysdynamo"
	"portside/shared/users"
)

//proves:docs/security.md
func TestDeletingAUserDeletesThePasskeys(t *testing.T) {
	d := newFixture(t)
	created, err := d.store.Create(t.Context(), users.Creation{User: newUser("ada@example.com", principal.User)})
	if err != nil {
		t.Fatal(err)
	}
	ada := created.User
	keys := credentialsdynamo.New(d.client, d.keys, d.counts)
	_, session := credentials.NewSession(credentials.Owner{ID: ada.ID, Role: ada.Role, Active: true}, "test", leapDay())
	writes := append(keys.Writes.Issue(session), keys.Writes.Tally(ada.ID, credentialsdynamo.Change{Sessions: 1}))
	if err := transactions.Write(t.Context(), d.client, writes); err != nil {
		t.Fatal(err)
	}
	store := passkeysdynamo.New(d.client, keys)
	add := func() error {
		passkey := passkeys.Passkey{ID: "1", Name: "laptop",
			Key: passkeys.Key{CredentialID: []byte("id"), Public: []byte("key")}}
		return store.Add(t.Context(), passkeys.Set{UserID: ada.ID}, passkey, principal.Credential{ID: session.ID})
	}
	if err := add(); err != nil {
		t.Fatal(err)
	}
	if err := d.store.Delete(t.Context(), ada, leapDay()); err != nil {
		t.Fatal(err)
	}
	if set, err := store.Set(t.Context(), ada.ID); err != nil || len(set.Passkeys) != 0 || set.Version != 0 {
		t.Errorf("after the deletion: %+v, %v", set, err)
	}
	if err := add(); err == nil { // with the session that the deletion has revoked
		t.Error("a deleted user has a new passkey")
	}
}

// Passkeys end with all credentials of the customer, and the next change of the set removes them.
//
//proves:docs/security.md
func TestPasskeysEndWithTheCustomer(t *testing.T) {
	const userID, customerID = "0199aaaa-0000-7000-8000-000000000001", "0199cccc-0000-7000-8000-00000000000e"
	d := newFixture(t)
	keys := credentialsdynamo.New(d.client, d.keys, d.counts)
	store := passkeysdynamo.New(d.client, keys)
	owner := credentials.Owner{ID: userID, CustomerID: customerID, Role: principal.User, Active: true}
	_, session := credentials.NewSession(owner, "test", leapDay())
	writes := append(keys.Writes.Issue(session), keys.Customers.Add(customerID, customerstates.State{}))
	if err := transactions.Write(t.Context(), d.client, writes); err != nil {
		t.Fatal(err)
	}
	add := func(id string, generation int64, at time.Time) passkeys.Set {
		set, err := store.Set(t.Context(), userID)
		if err != nil {
			t.Fatal(err)
		}
		passkey := passkeys.Passkey{
			ID: id, CustomerID: customerID, Key: passkeys.Key{CredentialID: []byte(id)}, Generation: generation, CreatedAt: at,
		}
		by := principal.Credential{ID: session.ID, CustomerID: customerID, Generation: generation}
		if err := store.Add(t.Context(), set, passkey, by); err != nil {
			t.Fatal(err)
		}
		if set, err = store.Set(t.Context(), userID); err != nil {
			t.Fatal(err)
		}
		return set
	}
	if set := add("old", 0, leapDay().Add(time.Hour)); len(set.Passkeys) != 1 {
		t.Fatalf("%+v", set)
	}
	end := []types.TransactWriteItem{keys.Customers.EndCredentials(customerID, leapDay())}
	if err := transactions.Write(t.Context(), d.client, end); err != nil {
		t.Fatal(err)
	}
	if set, err := store.Set(t.Context(), userID); err != nil || len(set.Passkeys) != 0 || set.Version != 1 {
		t.Errorf("after the end: %+v, %v", set, err)
	}
	if set := add("new", 1, leapDay().Add(-time.Hour)); len(set.Passkeys) != 1 || set.Passkeys[0].ID != "new" {
		t.Errorf("after another registration: %+v", set)
	}
}
