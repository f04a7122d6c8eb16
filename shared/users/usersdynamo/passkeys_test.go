package usersdynamo_test

import (
	"testing"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/transactions"
	"portside/shared/passkeys"
	"portside/shared/passkeys/passkeysdynamo"
	"portside/shared/users"
)

func TestDeletingAUserDeletesThePasskeys(t *testing.T) {
	d := newFixture(t)
	created, err := d.store.Create(t.Context(), users.Creation{User: newUser("ada@example.com", principal.User)})
	if err != nil {
		t.Fatal(err)
	}
	ada := created.User
	keys := credentialsdynamo.New(d.client, d.keys, d.counts)
	_, session := credentials.NewSession(credentials.Owner{ID: ada.ID, Role: ada.Role, Active: true}, "test", leapDay())
	writes := append(keys.Issue(session), keys.Tally(ada.ID, credentialsdynamo.Change{Sessions: 1}))
	if err := transactions.Write(t.Context(), d.client, writes); err != nil {
		t.Fatal(err)
	}
	store := passkeysdynamo.New(d.client, keys)
	add := func() error {
		passkey := passkeys.Passkey{ID: "1", Name: "laptop", Key: passkeys.Key{CredentialID: []byte("id"), Public: []byte("key")}}
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
