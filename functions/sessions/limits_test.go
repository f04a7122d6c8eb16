package main

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/users"
)

// otherThan returns a code that differs from the given one.
func otherThan(code string) string {
	if code == "0000000000" {
		return "0000000001"
	}
	return "0000000000"
}

// TestNeighborsCannotUseUpOtherWaysToSignIn has a stranger in the same network fail with every way to sign in.
//
//proves:docs/security.md
func TestNeighborsCannotUseUpOtherWaysToSignIn(t *testing.T) {
	f := newFixture(t)
	b, a := f.registered()
	other := f.browser()
	mailed := f.browser()
	mailed.ask("ada@example.com")
	token, _ := f.post.last(t)
	for range 300 {
		other.useLink("x").WantStatus(http.StatusUnauthorized)
	}
	other.useLink("x").WantStatus(http.StatusTooManyRequests).WantHeader("Retry-After", "600")
	b.usePasskey(a).WantStatus(http.StatusCreated)
	for range 400 {
		other.client().Post("/v1/sign-in/passkey-options", "").WantStatus(http.StatusOK)
	}
	b.usePasskey(a).WantStatus(http.StatusCreated)
	mailed.useLink(token).WantStatus(http.StatusCreated)
}

// TestNeighborsCannotUseUpTheMailsOfAKnownBrowser has a stranger in the same network use up all limits of mails.
//
//proves:docs/security.md
func TestNeighborsCannotUseUpTheMailsOfAKnownBrowser(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	b.client().Delete("/v1/sessions/current").WantStatus(http.StatusNoContent)
	f.clock.Advance(100 * 24 * time.Hour)
	for i := range 30 {
		f.browser().ask(fmt.Sprintf("a%d@example.com", i%5))
	}
	f.browser().ask("ada@example.com").WantStatus(http.StatusTooManyRequests).WantHeader("Retry-After", "600")

	b.ask("eve@example.com").WantStatus(http.StatusTooManyRequests) // the browser is known for one address
	for range 5 {
		b.ask("ada@example.com").WantStatus(http.StatusAccepted)
	}
	token, _ := f.post.last(t)
	b.ask("ada@example.com").WantStatus(http.StatusTooManyRequests)
	before := b.cookies[knownCookie]
	b.useLink(token).WantStatus(http.StatusCreated)
	if b.cookies[knownCookie] != before {
		t.Error("a known browser got another secret")
	}
	stranger := f.browser()
	stranger.cookies[knownCookie] = forgedWithID(t, before)
	stranger.ask("ada@example.com").WantStatus(http.StatusTooManyRequests)

	f.clock.Advance(80*24*time.Hour + time.Second) // 180 days after the sign-in that made it known
	for i := range 30 {
		f.browser().ask(fmt.Sprintf("a%d@example.com", i))
	}
	b.ask("ada@example.com").WantStatus(http.StatusTooManyRequests)
	f.clock.Advance(time.Hour)
	b.ask("ada@example.com").WantStatus(http.StatusAccepted)
	token, _ = f.post.last(t)
	if b.useLink(token).WantStatus(http.StatusCreated); b.cookies[knownCookie] == before {
		t.Error("the browser is not known again")
	}
}

// TestKnownBrowserOfADeletedUserIsAStranger has a new user with the address of a deleted one.
//
//proves:docs/security.md
func TestKnownBrowserOfADeletedUserIsAStranger(t *testing.T) {
	f := newFixture(t)
	f.user("root@example.com", principal.Admin)
	b := f.signedIn()
	if err := f.users().Delete(t.Context(), principal.Operator(), versions.Target{ID: f.ada.ID}); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		f.browser().ask("ada@example.com").WantStatus(http.StatusAccepted)
	}
	b.ask("ada@example.com").WantStatus(http.StatusTooManyRequests)
	f.ada, _ = f.user("ada@example.com", principal.Viewer)
	b.ask("ada@example.com").WantStatus(http.StatusTooManyRequests)
	before := b.cookies[knownCookie]
	link, _, err := f.service().OperatorLink(t.Context(), f.ada.Email)
	if err != nil {
		t.Fatal(err)
	}
	if b.useLink(link.Reveal()).WantStatus(http.StatusCreated); b.cookies[knownCookie] == before {
		t.Error("the browser of the deleted user counts for the new one")
	}
	b.ask("ada@example.com").WantStatus(http.StatusAccepted)
}

// TestAddressGetsOneHundredMailsPerDay asks for mails from many networks.
//
//proves:docs/security.md
func TestAddressGetsOneHundredMailsPerDay(t *testing.T) {
	f := newFixture(t)
	for i := range 100 {
		f.browser().from(fmt.Sprintf("203.0.113.%d:1", i)).ask("ada@example.com").WantStatus(http.StatusAccepted)
		f.clock.Advance(time.Minute)
	}
	f.browser().from("198.51.100.1:1").ask("ada@example.com").WantStatus(http.StatusTooManyRequests)
	f.browser().from("198.51.100.1:1").ask("eve@example.com").WantStatus(http.StatusAccepted)
	f.clock.Advance(24 * time.Hour)
	f.browser().from("198.51.100.1:1").ask("ada@example.com").WantStatus(http.StatusAccepted)
}

// guessFromTenNetworks has strangers use up the codes of an address.
func (f *fixture) guessFromTenNetworks(email string) {
	f.tb.Helper()
	for i := range 10 {
		stranger := f.browser().from(fmt.Sprintf("203.0.113.%d:1", i))
		stranger.ask(email).WantStatus(http.StatusAccepted)
		stranger.guess(email, 5)
	}
}

// guess tries wrong codes for the newest mail.
func (b *browser) guess(email string, times int) {
	b.f.tb.Helper()
	_, code := b.f.post.last(b.f.tb)
	for range times {
		b.useCode(email, otherThan(code)).WantStatus(http.StatusUnauthorized)
	}
}

// TestStrangersCannotUseUpTheCodesOfAKnownBrowser also has the known browser use up its own codes.
//
//proves:docs/security.md
func TestStrangersCannotUseUpTheCodesOfAKnownBrowser(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.guessFromTenNetworks("ada@example.com")
	b.ask("ada@example.com").WantStatus(http.StatusAccepted)
	_, code := f.post.last(t)
	b.useCode("ada@example.com", code).WantStatus(http.StatusCreated)

	for range 9 { // 45 codes, after the right one
		f.clock.Advance(time.Hour)
		b.ask("ada@example.com").WantStatus(http.StatusAccepted)
		b.guess("ada@example.com", 5)
	}
	f.clock.Advance(time.Hour)
	b.ask("ada@example.com").WantStatus(http.StatusAccepted)
	b.guess("ada@example.com", 4)
	token, code := f.post.last(t)
	b.useCode("ada@example.com", code).WantStatus(http.StatusTooManyRequests).WantHeader("Retry-After", "18000")
	b.useLink(token).WantStatus(http.StatusCreated)
}

// TestFiftyCodesPerAddressAndDay has strangers guess codes in many browsers. The link of a mail still works.
//
//proves:docs/security.md
func TestFiftyCodesPerAddressAndDay(t *testing.T) {
	f := newFixture(t)
	f.guessFromTenNetworks("ada@example.com")
	b := f.browser()
	b.ask("ada@example.com").WantStatus(http.StatusAccepted)
	token, code := f.post.last(t)
	for range 6 {
		b.useCode("ada@example.com", code).WantStatus(http.StatusTooManyRequests).WantHeader("Retry-After", "54000")
	}
	b.useLink(token).WantStatus(http.StatusCreated)
	f.clock.Advance(24 * time.Hour)
	b.ask("ada@example.com").WantStatus(http.StatusAccepted)
	_, code = f.post.last(t)
	b.useCode("ada@example.com", code).WantStatus(http.StatusCreated)
}

// TestSignInsOfAUserAreLimited has a user sign in again and again, which makes each concurrent change by an
// administrator fail.
//
//proves:docs/security.md
func TestSignInsOfAUserAreLimited(t *testing.T) {
	f := newFixture(t)
	f.user("root@example.com", principal.Admin)
	b, a := f.registered()
	for range 19 {
		b.usePasskey(a).WantStatus(http.StatusCreated)
	}
	b.usePasskey(a).WantStatus(http.StatusTooManyRequests).WantHeader("Retry-After", "600")
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusOK)

	suspended, target := users.Suspended, versions.Target{ID: f.ada.ID}
	if _, err := f.users().Update(t.Context(), principal.Operator(), target,
		users.Change{Status: &suspended}); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(10 * time.Minute)
	b.usePasskey(a).WantStatus(http.StatusUnauthorized)
}

// TestAddressGetsSixtyMailsPerHour asks for mails from many networks at once.
//
//proves:docs/security.md
func TestAddressGetsSixtyMailsPerHour(t *testing.T) {
	f := newFixture(t)
	for i := range 60 {
		f.browser().from(fmt.Sprintf("203.0.113.%d:1", i)).ask("ada@example.com").WantStatus(http.StatusAccepted)
	}
	f.browser().from("198.51.100.1:1").ask("ada@example.com").WantStatus(http.StatusTooManyRequests).
		WantHeader("Retry-After", "3600")
	f.clock.Advance(time.Hour)
	f.browser().from("198.51.100.1:1").ask("ada@example.com").WantStatus(http.StatusAccepted)
}
