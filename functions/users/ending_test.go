package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
)

// TestDeletionEndsWhatTheKeyMade deletes a key with and without the credentials that were created with it.
//
//proves:docs/security.md
func TestDeletionEndsWhatTheKeyMade(t *testing.T) {
	p := newFixture(t)
	user, key := p.user("ada@example.com", principal.Admin)
	other, otherKey := p.user("grace@example.com", principal.Viewer)
	at := "/v1/users/" + user.ID + "/api-keys"
	leaked := p.withKey(key).Post(at, `{"name":"leaked"}`).WantStatus(http.StatusCreated)
	made := p.withKey(leaked.Text("data.key")).Post(at, `{"name":"made"}`).Text("data.key")
	forOther := p.withKey(made).Post("/v1/users/"+other.ID+"/api-keys", `{"name":"made"}`).Text("data.key")

	path := at + "/" + leaked.Text("data.id")
	p.withKey(otherKey).Delete(path + "?made=true").WantStatus(http.StatusForbidden)
	p.asAdmin().Delete("/v1/users/" + other.ID + "/api-keys/" + leaked.Text("data.id") + "?made=true").
		WantStatus(http.StatusNotFound)
	p.withKey(key).Delete(path).WantStatus(http.StatusNoContent)
	for _, stays := range []string{made, forOther} {
		p.withKey(stays).Get("/v1/users").WantStatus(http.StatusOK)
	}
	for range 2 { // the request can be repeated, also for a key that was deleted before
		p.withKey(key).Delete(path + "?made=true").WantStatus(http.StatusNoContent)
	}
	for _, ended := range []string{made, forOther, leaked.Text("data.key")} {
		p.withKey(ended).Get("/v1/users").WantStatus(http.StatusUnauthorized)
	}
	for _, stays := range []string{key, otherKey, p.key} {
		p.withKey(stays).Get("/v1/users").WantStatus(http.StatusOK)
	}
	p.withKey(key).Delete(at + "/x?made=true").WantStatus(http.StatusNotFound)
	p.withKey(key).Delete(path + "?made=perhaps").WantStatus(http.StatusBadRequest)
}
