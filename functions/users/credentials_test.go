package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/users"
)

//proves:docs/security.md
func TestAllCredentialsEnd(t *testing.T) {
	p := newFixture(t)
	target, key := p.user("ada@example.com", principal.User)
	at := "/v1/users/" + target.ID + "/credentials"
	browser := p.inSession(target)
	browser.Get("/v1/users").WantStatus(http.StatusOK)
	p.asAdmin().Delete(at).WantStatus(http.StatusNoContent)
	p.withKey(key).Get("/v1/users").WantStatus(http.StatusUnauthorized)
	browser.Get("/v1/users").WantStatus(http.StatusUnauthorized)
	p.asAdmin().Delete(at).WantStatus(http.StatusNoContent)

	issued, err := p.service().keys.Create(t.Context(), principal.Operator(), target.ID, users.NewKey{Name: "later"})
	if err != nil {
		t.Fatal(err)
	}
	p.withKey(issued.Secret.Reveal()).Get("/v1/users").WantStatus(http.StatusOK)
}

// An admin may end the own credentials, of which the last one makes the call.
func TestAdminEndsOwnCredentials(t *testing.T) {
	p := newFixture(t)
	p.asAdmin().Delete("/v1/users/" + p.admin.ID + "/credentials").WantStatus(http.StatusNoContent)
	p.asAdmin().Get("/v1/users").WantStatus(http.StatusUnauthorized)
}

func TestInvitationSurvivesTheEndOfCredentials(t *testing.T) {
	p := newFixture(t)
	at := p.invite()
	p.asAdmin().Delete(at[:len(at)-len("invitation")] + "credentials").WantStatus(http.StatusNoContent)
	p.anonymous().Post("/v1/users/activate", `{"token":"`+p.post.lastToken(t)+`"}`).WantStatus(http.StatusOK)
}

//proves:docs/security.md
func TestEndOfCredentialsNeedsPermission(t *testing.T) {
	p := newFixture(t)
	_, manager := p.user("manager@example.com", principal.Manager)
	viewer, key := p.user("viewer@example.com", principal.Viewer)
	p.withKey(manager).Delete("/v1/users/" + p.admin.ID + "/credentials").WantStatus(http.StatusForbidden)
	p.withKey(key).Delete("/v1/users/" + viewer.ID + "/credentials").WantStatus(http.StatusForbidden)
	p.asAdmin().Delete("/v1/users/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11/credentials").WantStatus(http.StatusNotFound)
}
