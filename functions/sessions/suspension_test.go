package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/users"
)

// TestSuspensionEndsSessionsAndPasskeysForGood has a thief who knows a session and has registered a passkey. Neither may work again
// after an administrator has talked to the user and made the user active.
func TestSuspensionEndsSessionsAndPasskeysForGood(t *testing.T) {
	f := newFixture(t)
	f.user("root@example.com", principal.Admin)
	for _, status := range []users.Status{users.Suspended, users.Inactive} {
		b, a := f.registered()
		f.change(f.ada.ID, users.Change{Status: &status})
		b.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
		f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized)

		active := users.Active
		f.change(f.ada.ID, users.Change{Status: &active})
		b.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
		f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized)
	}
	b, a := f.registered() // the user can register a passkey again
	b.client().Get("/v1/passkeys").WantValue("data.0.name", "Work laptop").WantValue("data.1", nil)
	f.browser().usePasskey(a).WantStatus(http.StatusCreated)
}

func TestAdministratorSignsAUserOut(t *testing.T) {
	f := newFixture(t)
	b, a := f.registered()
	if err := f.users().SignOut(t.Context(), principal.Operator(), f.ada.ID); err != nil {
		t.Fatal(err)
	}
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
	f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized)
	f.signedIn().client().Get("/v1/passkeys").WantStatus(http.StatusOK).WantValue("data.0", nil)
}
