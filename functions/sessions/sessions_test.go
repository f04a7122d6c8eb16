package main

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/shared/web"
)

//proves:docs/security.md
func TestSessionsAreListedAndEnded(t *testing.T) {
	f := newFixture(t)
	first := f.signedIn()
	f.clock.Advance(time.Minute)
	second := f.signedIn()
	list := second.client().Get("/v1/sessions").WantStatus(http.StatusOK).WantValue("data.0.isCurrent", true).
		WantValue("data.1.isCurrent", false).WantValue("data.2", nil).WantValue("data.1.lastUsedAt", "2026-03-02T09:00:00Z")
	other := "/v1/sessions/" + list.Text("data.1.id")
	second.keep(second.client().Delete(other).WantStatus(http.StatusNoContent).WantHeader("Clear-Site-Data", ""))
	second.client().Delete(other).WantStatus(http.StatusNotFound)
	first.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
	second.client().Get("/v1/sessions/current").WantStatus(http.StatusOK)
	for _, id := range []string{"x", "current%2F", credentials.Mint(credentials.Session).ID()} {
		second.client().Delete("/v1/sessions/" + id).WantStatus(http.StatusNotFound)
	}
	second.keep(second.client().Delete("/v1/sessions/current").WantStatus(http.StatusNoContent).
		WantHeader("Clear-Site-Data", `"storage"`))
	if second.cookies[web.SessionCookie] != "" {
		t.Error("the cookie remains after the sign-out")
	}
}

// TestAnonymousCallerGetsNoError asks for the current session with a session, without one, and with cookies that do not
// work.
func TestAnonymousCallerGetsNoError(t *testing.T) {
	f := newFixture(t)
	nobody := func(b *browser) {
		t.Helper()
		answer := b.client().Get("/v1/sign-in/session").WantStatus(http.StatusOK).WantHeader("Cache-Control", "no-store")
		if string(answer.Body) != "{}\n" {
			t.Errorf("nobody is signed in, but the answer is %s", answer.Body)
		}
	}
	nobody(f.browser())
	b := f.signedIn()
	got, want := b.client().Get("/v1/sign-in/session").WantStatus(http.StatusOK), b.client().Get("/v1/sessions/current")
	if !bytes.Equal(got.Body, want.Body) {
		t.Errorf("the session is %s, want %s", got.Body, want.Body)
	}
	for _, cookie := range []string{
		"x", credentials.Mint(credentials.Session).Reveal(), f.key, credentials.Mint(credentials.APIKey).Reveal(),
	} {
		other := f.browser()
		other.cookies[web.SessionCookie] = cookie
		nobody(other)
	}
	webtest.New(t, f.handler()).With("X-API-Key", f.key).Get("/v1/sign-in/session").WantStatus(http.StatusOK).WantValue("data", nil)
	b.client().With("Origin", "https://evil.example").With("Sec-Fetch-Site", "cross-site").Get("/v1/sign-in/session").
		WantStatus(http.StatusForbidden)
	b.client().Delete("/v1/sessions/current").WantStatus(http.StatusNoContent)
	nobody(b)
}

// TestEndingOtherSessionsNeedsARecentSession has an intruder at an unattended browser, who must not sign the user out
// elsewhere.
//
//proves:docs/security.md
func TestEndingOtherSessionsNeedsARecentSession(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.clock.Advance(15 * time.Minute)
	id := b.client().Get("/v1/sessions/current").WantStatus(http.StatusOK).Text("data.id")
	b.client().Delete("/v1/sessions/"+id).WantStatus(http.StatusForbidden).WantValue("code", "SIGN_IN_REQUIRED")
	b.client().Delete("/v1/sessions").WantStatus(http.StatusForbidden).WantValue("code", "SIGN_IN_REQUIRED")
	b.client().Delete("/v1/sessions/current").WantStatus(http.StatusNoContent)
}

//proves:docs/security.md
func TestSignOutEverywhere(t *testing.T) {
	f := newFixture(t)
	b, other := f.signedIn(), f.signedIn()
	b.keep(b.client().Delete("/v1/sessions").WantStatus(http.StatusNoContent))
	if b.cookies[web.SessionCookie] != "" {
		t.Error("the cookie remains")
	}
	other.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
	key := webtest.New(t, f.handler()).With("X-API-Key", f.key)
	key.Get("/v1/sessions").WantStatus(http.StatusOK).WantValue("data.0", nil)
	key.Delete("/v1/sessions").WantStatus(http.StatusNoContent)
	key.Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
	key.Delete("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
}

//proves:docs/security.md
func TestOtherPeoplesSessionsDoNotExist(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	id := b.client().Get("/v1/sessions/current").Text("data.id")
	_, key := f.user("grace@example.com", principal.Admin)
	grace := webtest.New(t, f.handler()).With("X-API-Key", key)
	grace.Get("/v1/sessions").WantValue("data.0", nil)
	grace.Delete("/v1/sessions/" + id).WantStatus(http.StatusNotFound)
	grace.Delete("/v1/sessions").WantStatus(http.StatusNoContent)
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusOK)
}

//proves:docs/security.md
func TestAnotherSignInEndsTheSessionOfTheBrowser(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	before := b.cookies[web.SessionCookie]
	f.clock.Advance(time.Hour)
	link, _, err := f.service().OperatorLink(t.Context(), f.ada.Email)
	if err != nil {
		t.Fatal(err)
	}
	b.useLink(link.Reveal()).WantStatus(http.StatusCreated).WantValue("data.authenticatedAt", "2026-03-02T10:00:00Z")
	stolen := f.browser()
	stolen.cookies[web.SessionCookie] = before
	stolen.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
	b.client().Get("/v1/sessions").WantValue("data.0.isCurrent", true).WantValue("data.1", nil)
}

//proves:docs/security.md
func TestEleventhSessionEndsTheOldest(t *testing.T) {
	f := newFixture(t)
	var all []*browser
	for range credentials.MaxSessions + 1 {
		all = append(all, f.signedIn())
		f.clock.Advance(time.Minute)
	}
	all[0].client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
	for _, b := range all[1:] {
		b.client().Get("/v1/sessions/current").WantStatus(http.StatusOK)
	}
}

//proves:docs/security.md
func TestSessionsEndWithTheirUser(t *testing.T) {
	f := newFixture(t)
	f.user("root@example.com", principal.Admin) // so that Ada can be changed
	suspended, active, viewer := users.Suspended, users.Active, principal.Viewer
	b := f.signedIn()
	f.change(f.ada.ID, users.Change{Role: &viewer})
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusOK).WantValue("data.user.role", "viewer")
	f.change(f.ada.ID, users.Change{Status: &suspended})
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
	f.change(f.ada.ID, users.Change{Status: &active})
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
	b = f.signedIn()
	stored, err := f.people.Get(t.Context(), f.ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.people.Delete(t.Context(), stored, f.clock.Now()); err != nil {
		t.Fatal(err)
	}
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
}

// TestUserWithAllCredentialsCanBeChanged fills both limits, because one transaction changes all credentials.
func TestUserWithAllCredentialsCanBeChanged(t *testing.T) {
	f := newFixture(t)
	f.user("root@example.com", principal.Admin)
	keys := users.NewKeys(f.people, f.people.Keys, f.clock.Now)
	for range credentials.MaxLive - 1 {
		if _, err := keys.Create(t.Context(), principal.Operator(), f.ada.ID, users.NewKey{Name: "test"}); err != nil {
			t.Fatal(err)
		}
	}
	var last *browser
	for range credentials.MaxSessions {
		last = f.signedIn()
	}
	viewer, suspended := principal.Viewer, users.Suspended
	f.change(f.ada.ID, users.Change{Role: &viewer, Status: &suspended})
	last.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
	stored, err := f.people.Get(t.Context(), f.ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.people.Delete(t.Context(), stored, f.clock.Now()); err != nil {
		t.Error(err)
	}
}

//proves:docs/security.md
func TestIdleSessionEnds(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.clock.Advance(11 * time.Hour)
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusOK)
	f.clock.Advance(11 * time.Hour)
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusOK)
	f.clock.Advance(12 * time.Hour)
	for range 2 { // the first request does not revive it
		b.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
	}
	f.signedIn().client().Get("/v1/sessions").WantValue("data.0.isCurrent", true).WantValue("data.1", nil)
}

// sessionID returns the id of the browser's session.
func (b *browser) sessionID() string {
	b.f.tb.Helper()
	for _, text := range b.cookies {
		if secret, err := credentials.Parse(text); err == nil && secret.Kind() == credentials.Session {
			return secret.ID()
		}
	}
	b.f.tb.Fatal("the browser has no session")
	return ""
}

// TestLapsedSessionsCanStillBeReported signs in again after a session was not used. Its record must stay, because a
// thief may have requested a password in it.
func TestLapsedSessionsCanStillBeReported(t *testing.T) {
	f := newFixture(t)
	id := f.signedIn().sessionID()
	f.clock.Advance(13 * time.Hour)
	f.signedIn()
	lapsed, err := f.keys.Get(t.Context(), id)
	if err != nil || lapsed.Reason != "expired or not used" || !lapsed.RevokedAt.Equal(f.clock.Now()) {
		t.Errorf("the session has ended at %v because it was %q, %v", lapsed.RevokedAt, lapsed.Reason, err)
	}
	if left, err := f.keys.List(t.Context(), f.ada.ID, credentials.Session); err != nil || len(left) != 1 {
		t.Errorf("%d sessions are listed, %v; want the new one", len(left), err)
	}
}

// TestPurgedSessionDoesNotPreventASignIn deletes the record of a session before its listing, as the database may do
// after their retention.
func TestPurgedSessionDoesNotPreventASignIn(t *testing.T) {
	client := awstest.DynamoDB(t)
	table := awstest.Table(t, client, "CredentialsTable")
	f := newFixtureOn(t, client, table)
	id := f.signedIn().sessionID()
	f.clock.Advance(credentials.Retention + credentials.SessionLifetime)
	if _, err := client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: &table, Key: items.Key("credential#"+id, "credential"),
	}); err != nil {
		t.Fatal(err)
	}
	f.signedIn()
}

//proves:docs/security.md
func TestCookieIsUsedOnlyForTheSameOrigin(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	for site, want := range map[string]int{
		"same-origin": http.StatusOK, "none": http.StatusOK, "": http.StatusOK,
		"cross-site": http.StatusForbidden, "same-site": http.StatusForbidden, "other": http.StatusForbidden,
	} {
		b.client().With("Sec-Fetch-Site", site).Get("/v1/sessions").WantStatus(want)
	}
	b.client().With("Sec-Fetch-Site", "cross-site").Delete("/v1/sessions").WantStatus(http.StatusForbidden).
		WantValue("code", "FORBIDDEN")
	elsewhere := b.client().With("Sec-Fetch-Site", "").With("Origin", "https://evil.example") // of a browser without Sec-Fetch-Site
	elsewhere.Delete("/v1/sessions").WantStatus(http.StatusForbidden)
	elsewhere.Get("/v1/sessions").WantStatus(http.StatusForbidden)
	b.client().With("Sec-Fetch-Site", "cross-site").With("X-API-Key", f.key).Get("/v1/sessions").WantStatus(http.StatusOK)
	b.client().With("X-API-Key", "psk_mistyped").Get("/v1/sessions").WantStatus(http.StatusUnauthorized)
	b.client().With("Authorization", "Bearer x").Get("/v1/sessions").WantStatus(http.StatusUnauthorized)
	twice := web.SessionCookie + "=" + b.cookies[web.SessionCookie]
	b.client().With("Cookie", twice+"; "+twice).Get("/v1/sessions").WantStatus(http.StatusUnauthorized)
	b.client().With("Cookie", "other=x; "+twice).Get("/v1/sessions").WantStatus(http.StatusOK)
	b.client().With("Cookie", web.SessionCookie+"="+f.key).Get("/v1/sessions").WantStatus(http.StatusUnauthorized)
}

// A session names the customer of its user, also after the user has moved.
func TestSessionNamesTheCustomer(t *testing.T) {
	client := awstest.DynamoDB(t)
	f := newFixtureOn(t, client, awstest.Table(t, client, "CredentialsTable"))
	f.user("root@example.com", principal.Admin)
	b := f.signedIn()
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusOK).WantValue("data.user.customerId", nil)

	acme := "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e21"
	customer := f.keys.Customers.Add(acme, customerstates.State{})
	if err := transactions.Write(t.Context(), client, []types.TransactWriteItem{customer}); err != nil {
		t.Fatal(err)
	}
	f.change(f.ada.ID, users.Change{CustomerID: &acme})
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized) // a move ends all credentials
	f.signedIn().client().Get("/v1/sessions/current").WantStatus(http.StatusOK).WantValue("data.user.customerId", acme)
}
