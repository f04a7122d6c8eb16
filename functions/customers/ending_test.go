package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
)

// An end of all credentials takes effect with the next request, and the users can get others in the same millisecond.
//
//proves:docs/security.md
func TestCredentialsOfCustomerEnd(t *testing.T) {
	o := newFixture(t)
	at := o.create(`{"name":"Acme","slug":"acme"}`)
	other := o.create(`{"name":"Beta","slug":"beta"}`)
	id, otherID := at[len(path)+1:], other[len(path)+1:]
	ada, bob := o.userOf(id, "ada@example.com", principal.Admin), o.userOf(id, "bob@example.com", principal.Viewer)
	eve := o.userOf(otherID, "eve@example.com", principal.Admin)
	for _, key := range []string{ada, bob} {
		o.withKey(key).Get(at).WantStatus(http.StatusOK)
	}
	for range 2 { // the call can be repeated
		o.asAdmin().Delete(at + "/credentials").WantStatus(http.StatusNoContent)
	}
	for _, key := range []string{ada, bob} {
		o.withKey(key).Get(at).WantStatus(http.StatusUnauthorized)
	}
	o.withKey(eve).Get(other).WantStatus(http.StatusOK)
	o.asAdmin().Get(at).WantStatus(http.StatusOK).WantValue("data.status", "active").WantValue("data.users", 2).
		WantHeader("ETag", `"1"`)
	o.withKey(o.userOf(id, "new@example.com", principal.Viewer)).Get(at).WantStatus(http.StatusOK)
}

// Only staff with the permission ends the credentials of a customer.
func TestWhoMayEndCredentialsOfCustomer(t *testing.T) {
	o := newFixture(t)
	at := o.create(`{"name":"Acme","slug":"acme"}`)
	ada := o.userOf(at[len(path)+1:], "ada@example.com", principal.Admin)
	o.withKey(ada).Delete(at + "/credentials").WantStatus(http.StatusForbidden)
	o.withKey(o.user("viewer@example.com", principal.Viewer)).Delete(at + "/credentials").WantStatus(http.StatusForbidden)
	o.anonymous().Delete(at + "/credentials").WantStatus(http.StatusUnauthorized)
	o.asAdmin().Delete(path + "/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e99/credentials").WantStatus(http.StatusNotFound)
	o.asAdmin().Delete(path + "/x/credentials").WantStatus(http.StatusBadRequest)
	o.withKey(ada).Get(at).WantStatus(http.StatusOK)
	o.withKey(o.user("manager@example.com", principal.Manager)).Delete(at + "/credentials").
		WantStatus(http.StatusNoContent)
}
