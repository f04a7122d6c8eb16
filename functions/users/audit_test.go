package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/shared/core/audit"
	"portside/shared/testkit/audittest"
)

// TestChangesAreAudited makes each change of a user, and checks the events in their order. Reads and refused requests
// write none.
func TestChangesAreAudited(t *testing.T) {
	p := newFixture(t)
	before := len(audittest.Events(t, p.client, p.log))
	id := p.asAdmin().Post("/v1/users", invited).WantStatus(http.StatusCreated).Text("data.id")
	at, token := "/v1/users/"+id, p.post.lastToken(t)
	first := p.anonymous().Post("/v1/users/activate", `{"token":"`+token+`"}`).WantStatus(http.StatusOK).
		Text("data.apiKey")
	p.asAdmin().Put(at, `{"role":"viewer"}`).WantStatus(http.StatusOK)
	p.asAdmin().Put(at, `{"role":"viewer"}`).WantStatus(http.StatusOK) // changes nothing
	second := p.withKey(first).Post(at+"/api-keys", `{"name":"build"}`).WantStatus(http.StatusCreated)
	p.withKey(first).Put(at, `{"role":"admin"}`).WantStatus(http.StatusForbidden)
	p.withKey(first).Delete(at + "/api-keys/" + second.Text("data.id")).WantStatus(http.StatusNoContent)
	p.asAdmin().Delete(at + "/sessions").WantStatus(http.StatusNoContent)
	p.asAdmin().Delete(at + "/credentials").WantStatus(http.StatusNoContent)
	p.asAdmin().Delete(at).WantStatus(http.StatusNoContent)

	events := audittest.Events(t, p.client, p.log)[before:]
	want := []audit.Action{
		audit.UserCreated, audit.UserActivated, audit.CredentialCreated, audit.UserUpdated, audit.CredentialCreated,
		audit.CredentialRevoked,
		audit.UserSignedOut, audit.UserCredentialsEnded, audit.UserDeleted,
	}
	var got []audit.Action
	for _, e := range events {
		got = append(got, e.Action)
		if e.RequestID != "test-request" || e.Actor.Kind != audit.Person || e.Actor.Address == "" {
			t.Errorf("%s: the request is %q, the actor %+v", e.Action, e.RequestID, e.Actor)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	updated := events[3]
	if string(updated.Before["role"]) != `"user"` || string(updated.After["role"]) != `"viewer"` ||
		len(updated.After) != 2 {
		t.Errorf("the change of the role is %s, before %s", updated.After, updated.Before) // role and version
	}
	if updated.Actor.ID != p.admin.ID ||
		updated.Target != (audit.Target{Kind: audit.User, ID: id, Name: "ada@example.com"}) {
		t.Errorf("the change of the role is by %+v on %+v", updated.Actor, updated.Target)
	}
	if owner := events[1].Actor.ID; owner != id { // who has no credential yet
		t.Errorf("the user was activated by %q", owner)
	}
	wantNoSecret(t, events, token, first, second.Text("data.key"), p.key)
}

// wantNoSecret checks that no event has one of the secrets, or the part of it that is not public.
func wantNoSecret(t *testing.T, events []audit.Event, secrets ...string) {
	t.Helper()
	text, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if len(secret) < 20 || strings.Contains(string(text), secret[len(secret)-20:]) {
			t.Errorf("the events have the secret %q", secret)
		}
	}
}
