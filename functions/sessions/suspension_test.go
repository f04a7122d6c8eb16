package main

import (
	"net/http"
	"strings"
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

// TestUsersLearnOfNewPasskeys registers passkeys, also while no mail can be sent.
func TestUsersLearnOfNewPasskeys(t *testing.T) {
	f := newFixture(t)
	f.registered()
	if len(f.post.letters) != 1 {
		t.Fatalf("%d mails, want 1", len(f.post.letters))
	}
	letter := f.post.letters[0]
	if letter.To != "ada@example.com" || !strings.Contains(letter.Text, "2 March 2026, 09:00 UTC") || strings.Contains(letter.Text, "laptop") {
		t.Errorf("unexpected message to %s:\n%s", letter.To, letter.Text)
	}
	f.post.closed = true
	f.registered()
}

func TestAdministratorSignsAUserOut(t *testing.T) {
	f := newFixture(t)
	b, a := f.registered()
	if err := f.users().End(t.Context(), principal.Operator(), f.ada.ID, users.EndSessions); err != nil {
		t.Fatal(err)
	}
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
	f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized)
	f.signedIn().client().Get("/v1/passkeys").WantStatus(http.StatusOK).WantValue("data.0", nil)
}
