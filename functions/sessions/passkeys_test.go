package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/sessions/passkeys"
	"portside/shared/testkit/passkeytest"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
)

// authenticator returns an authenticator of a person who is on the portal.
func (f *fixture) authenticator() *passkeytest.Authenticator {
	f.tb.Helper()
	return passkeytest.New(f.tb, "https://portal.example.com", "portal.example.com")
}

// options returns the data of a response.
func options(tb testing.TB, r webtest.Response) json.RawMessage {
	tb.Helper()
	var body struct{ Data json.RawMessage }
	if err := json.Unmarshal(r.Body, &body); err != nil {
		tb.Fatal(err)
	}
	return body.Data
}

// register registers the authenticator's passkey.
func (b *browser) register(a *passkeytest.Authenticator) webtest.Response {
	b.f.tb.Helper()
	begun := b.client().Post("/v1/passkeys/options", "").WantStatus(http.StatusOK)
	response := a.Create(b.f.tb, options(b.f.tb, begun))
	return b.client().Post("/v1/passkeys", fmt.Sprintf(`{"name":"Work laptop","credential":%s}`, response))
}

// registered returns a browser in which Ada is signed in, and the passkey that she has registered.
func (f *fixture) registered() (*browser, *passkeytest.Authenticator) {
	f.tb.Helper()
	b, a := f.signedIn(), f.authenticator()
	b.register(a).WantStatus(http.StatusCreated)
	return b, a
}

// challenge begins a sign-in with a passkey.
func (b *browser) challenge() json.RawMessage {
	b.f.tb.Helper()
	return options(b.f.tb, b.client().Post("/v1/sign-in/passkey-options", "").WantStatus(http.StatusOK))
}

// usePasskey signs in with an authenticator.
func (b *browser) usePasskey(a *passkeytest.Authenticator) webtest.Response {
	b.f.tb.Helper()
	return b.send(a.Get(b.f.tb, b.challenge()))
}

// send signs in with the response of an authenticator.
func (b *browser) send(response json.RawMessage) webtest.Response {
	b.f.tb.Helper()
	return b.keep(b.client().Post("/v1/sessions", fmt.Sprintf(`{"passkey":%s}`, response)))
}

func TestPasskeyIsRegisteredUsedAndDeleted(t *testing.T) {
	f := newFixture(t)
	b, a := f.signedIn(), f.authenticator()
	b.client().Get("/v1/passkeys").WantStatus(http.StatusOK).WantValue("data.0", nil)
	id := b.register(a).WantStatus(http.StatusCreated).WantValue("data.name", "Work laptop").
		WantValue("data.createdAt", "2026-03-02T09:00:00Z").WantValue("data.lastUsedAt", nil).
		WantValue("data.isSynced", false).WantValue("data.isLocked", false).Text("data.id")

	f.clock.Advance(time.Hour)
	other := f.browser()
	other.usePasskey(a).WantStatus(http.StatusCreated).WantValue("data.user.email", "ada@example.com").
		WantValue("data.authenticatedAt", "2026-03-02T10:00:00Z").WantValue("data.device", "Firefox on Windows")
	other.client().Get("/v1/sessions/current").WantStatus(http.StatusOK)
	other.client().Get("/v1/passkeys").WantValue("data.0.id", id).WantValue("data.0.lastUsedAt", "2026-03-02T10:00:00Z").
		WantValue("data.1", nil)

	other.client().Delete("/v1/passkeys/" + strings.ToUpper(id)).WantStatus(http.StatusNoContent)
	other.client().Delete("/v1/passkeys/" + id).WantStatus(http.StatusNotFound)
	f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized)
	other.client().Get("/v1/sessions/current").WantStatus(http.StatusOK)
}

//proves:docs/security.md
func TestPasskeyOptions(t *testing.T) {
	f := newFixture(t)
	b, a := f.registered()
	made := b.client().Post("/v1/passkeys/options", "").WantStatus(http.StatusOK).
		WantValue("data.rp.id", "portal.example.com").WantValue("data.rp.name", "Portside").
		WantValue("data.user.name", "ada@example.com").WantValue("data.user.displayName", "Ada").
		WantValue("data.pubKeyCredParams.0.alg", float64(-7)).WantValue("data.timeout", float64(300_000)).
		WantValue("data.authenticatorSelection.residentKey", "required").
		WantValue("data.authenticatorSelection.userVerification", "required").WantValue("data.attestation", "none").
		WantValue("data.excludeCredentials.0.id", base64URL(a.CredentialID)).
		WantValue("data.excludeCredentials.0.transports.0", "internal").WantValue("data.excludeCredentials.1", nil)
	if n := len(made.Text("data.challenge")); n != 43 {
		t.Errorf("the challenge has %d characters, want 43", n)
	}
	f.browser().client().Post("/v1/sign-in/passkey-options", "").WantStatus(http.StatusOK).
		WantValue("data.rpId", "portal.example.com").WantValue("data.userVerification", "required").
		WantValue("data.allowCredentials", nil)
}

// TestPasskeySignInsFollowTheRules changes one thing in each sign-in. Every failure gets the same response.
func TestPasskeySignInsFollowTheRules(t *testing.T) {
	for name, change := range map[string]func(*passkeytest.Authenticator){
		"wrong origin":       func(a *passkeytest.Authenticator) { a.Origin = "https://portal.example.net" },
		"wrong site":         func(a *passkeytest.Authenticator) { a.SiteID = "example.com" },
		"unverified user":    func(a *passkeytest.Authenticator) { a.Flags &^= passkeytest.UserVerified },
		"unknown user":       func(a *passkeytest.Authenticator) { a.UserHandle = slices.Repeat([]byte{1}, 16) },
		"unknown credential": func(a *passkeytest.Authenticator) { a.CredentialID = slices.Repeat([]byte{1}, 32) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			_, a := f.registered()
			change(a)
			r := f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized)
			if r.Text("detail") != passkeys.ErrSignIn.Detail {
				t.Errorf("%s: %s", name, r.Text("detail"))
			}
		})
	}
}

func TestPasskeyOfAnotherUserSignsInThatUser(t *testing.T) {
	f := newFixture(t)
	_, adas := f.registered()
	bob, _ := f.user("bob@example.com", principal.Viewer)
	b := f.browser()
	link, _, err := f.service().OperatorLink(t.Context(), bob.Email)
	if err != nil {
		t.Fatal(err)
	}
	b.useLink(link.Reveal()).WantStatus(http.StatusCreated)
	bobs := f.authenticator()
	b.register(bobs).WantStatus(http.StatusCreated)
	f.browser().usePasskey(bobs).WantStatus(http.StatusCreated).WantValue("data.user.email", "bob@example.com")

	bobs.UserHandle = adas.UserHandle // bob claims to be ada
	f.browser().usePasskey(bobs).WantStatus(http.StatusUnauthorized)
	id := b.client().Get("/v1/passkeys").Text("data.0.id")
	f.signedIn().client().Delete("/v1/passkeys/" + id).WantStatus(http.StatusNotFound)
	b.register(adas).WantStatus(http.StatusConflict) // which is Ada's
}

func TestPasskeyChallengesWorkOnce(t *testing.T) {
	f := newFixture(t)
	b, a := f.registered()
	response := a.Get(t, b.challenge())
	f.browser().send(response).WantStatus(http.StatusCreated)
	f.browser().send(response).WantStatus(http.StatusUnauthorized)
	late := a.Get(t, b.challenge())
	f.clock.Advance(5 * time.Minute)
	f.browser().send(late).WantStatus(http.StatusUnauthorized)

	begun := b.client().Post("/v1/passkeys/options", "").WantStatus(http.StatusOK)
	second := f.authenticator()
	body := fmt.Sprintf(`{"name":"x","credential":%s}`, second.Create(t, options(t, begun)))
	b.client().Post("/v1/passkeys", body).WantStatus(http.StatusCreated)
	b.client().Post("/v1/passkeys", body).WantStatus(http.StatusConflict).WantHeader("X-Should-Retry", "false")
}

//proves:docs/security.md
func TestSuspendedAndDeletedUsersCannotUseTheirPasskeys(t *testing.T) {
	f := newFixture(t)
	f.user("root@example.com", principal.Admin) // so that Ada is not the last admin
	_, a := f.registered()
	for _, status := range []users.Status{users.Suspended, users.Inactive} {
		f.change(f.ada.ID, users.Change{Status: &status})
		f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized).WantValue("detail", passkeys.ErrSignIn.Detail)
	}
	active := users.Active
	f.change(f.ada.ID, users.Change{Status: &active})
	_, a = f.registered()
	f.browser().usePasskey(a).WantStatus(http.StatusCreated)
	if err := f.users().Delete(t.Context(), principal.Operator(), versions.Target{ID: f.ada.ID}); err != nil {
		t.Fatal(err)
	}
	f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized).WantValue("detail", passkeys.ErrSignIn.Detail)
	if set, err := f.store.Set(t.Context(), f.ada.ID); err != nil || len(set.Passkeys) > 0 {
		t.Errorf("the passkeys of a deleted user: %+v, %v", set, err)
	}
}

func TestACopiedPasskeyIsLocked(t *testing.T) {
	f := newFixture(t)
	b, a := f.registered()
	a.Counter = 7
	f.browser().usePasskey(a).WantStatus(http.StatusCreated)
	a.Counter = 7
	f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized).WantValue("detail", passkeys.ErrCloned.Detail)
	a.Counter = 9
	f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized)
	b.client().Get("/v1/passkeys").WantValue("data.0.isLocked", true)
}

//proves:docs/security.md
func TestDeletionNeedsARecentSession(t *testing.T) {
	f := newFixture(t)
	b, a := f.registered()
	id := b.client().Get("/v1/passkeys").Text("data.0.id")
	webtest.New(t, f.handler()).With("X-API-Key", f.key).Delete("/v1/passkeys/" + id).WantStatus(http.StatusUnauthorized)
	f.clock.Advance(15 * time.Minute)
	b.client().Delete("/v1/passkeys/"+id).WantStatus(http.StatusForbidden).WantValue("code", "SIGN_IN_REQUIRED")
	b.usePasskey(a).WantStatus(http.StatusCreated)
	b.client().Delete("/v1/passkeys/" + id).WantStatus(http.StatusNoContent)
}

//proves:docs/security.md
func TestRegistrationNeedsARecentSession(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	webtest.New(t, f.handler()).With("X-API-Key", f.key).Post("/v1/passkeys/options", "").WantStatus(http.StatusUnauthorized)
	webtest.New(t, f.handler()).With("X-API-Key", f.key).Get("/v1/passkeys").WantStatus(http.StatusOK)
	b.client().With("Sec-Fetch-Site", "cross-site").Post("/v1/passkeys/options", "").WantStatus(http.StatusForbidden)
	f.clock.Advance(15 * time.Minute)
	b.client().Post("/v1/passkeys/options", "").WantStatus(http.StatusForbidden).WantValue("code", "SIGN_IN_REQUIRED")
	b.client().Post("/v1/passkeys", `{"name":"x","credential":{}}`).WantStatus(http.StatusForbidden).
		WantValue("code", "SIGN_IN_REQUIRED")
}

func TestPasskeyRenewsASession(t *testing.T) {
	f := newFixture(t)
	b, a := f.registered()
	f.clock.Advance(time.Hour)
	old := f.browser()
	old.cookies = maps.Clone(b.cookies)
	b.usePasskey(a).WantStatus(http.StatusCreated)
	b.client().Post("/v1/passkeys/options", "").WantStatus(http.StatusOK)
	old.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
}

func TestPasskeysNeedAHostName(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.base = "http://127.0.0.1:3000"
	for _, path := range []string{"/v1/passkeys/options", "/v1/sign-in/passkey-options"} {
		r := b.client().Post(path, "").WantStatus(http.StatusConflict)
		if !strings.Contains(r.Text("detail"), "open http://localhost:3000") {
			t.Errorf("%s: %s", path, r.Text("detail"))
		}
	}
	b.client().Get("/v1/sign-in/methods").WantValue("data.passkey", false)
	f.base = "http://localhost:3000"
	b.client().Get("/v1/sign-in/methods").WantValue("data.passkey", true)
	local := passkeytest.New(t, "http://localhost:3000", "localhost")
	b.register(local).WantStatus(http.StatusCreated)
	b.usePasskey(local).WantStatus(http.StatusCreated)
}

func TestPasskeyRequestsRejectInvalidInput(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	for body, pointer := range map[string]string{
		`{"credential":{}}`: "/name", `{"name":"","credential":{}}`: "/name", `{"name":"x"}`: "/credential",
		`{"name":"x","credential":{}}`: "/credential", `{"name":"x","credential":"text"}`: "/credential", `{"name":"x","credential":{},"a":1}`: "/a",
		`{"name":"x","credential":{"id":"` + strings.Repeat("A", passkeys.MaxResponse) + `"}}`: "/credential",
	} {
		r := b.client().Post("/v1/passkeys", body).WantStatus(http.StatusBadRequest)
		if got := r.Pointers(); !slices.Equal(got, []string{pointer}) {
			t.Errorf("%.60s: %q, want %q", body, got, pointer)
		}
	}
	for body, pointer := range map[string]string{
		`{"passkey":{}}`: "/passkey", `{"passkey":{"id":1}}`: "/passkey", `{"passkey":{},"token":"x"}`: "", `{"passkey":null}`: "",
	} {
		r := f.browser().client().Post("/v1/sessions", body).WantStatus(http.StatusBadRequest)
		if got := r.Pointers(); !slices.Equal(got, []string{pointer}) {
			t.Errorf("%s: %q, want %q", body, got, pointer)
		}
	}
	b.client().Delete("/v1/passkeys/x").WantStatus(http.StatusBadRequest)
}
