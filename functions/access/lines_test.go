package main

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
	"portside/shared/tokens"
)

const (
	forOneDay  = `{"name":"n","scopes":["read:helm-charts"],"expiration_days":1}`
	forOneYear = `{"name":"n","scopes":["read:helm-charts"],"expiration_days":365}`
)

func wantExpiry(r webtest.Response, at time.Time) webtest.Response {
	return r.WantStatus(http.StatusCreated).WantValue("data.expiresAt", at.Format(time.RFC3339))
}

// TestRenewalLastsNoLongerThanItsToken renews a token for a day with a wish for a year.
//
//proves:docs/security.md
func TestRenewalLastsNoLongerThanItsToken(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	first := wantExpiry(d.withKey(key).Post("/api/v1/tokens", forOneDay), d.now.AddDate(0, 0, 1))
	first.WantValue("data.line.firstTokenId", first.Text("data.id")).
		WantValue("data.line.expiresAt", d.now.AddDate(0, 0, 365).Format(time.RFC3339))
	d.advance(20 * time.Hour)
	second := wantExpiry(d.withToken(first.Text("data.token")).Post("/api/v1/tokens", forOneYear), d.now.AddDate(0, 0, 1))
	second.WantValue("data.line.firstTokenId", first.Text("data.id")).
		WantValue("data.line.expiresAt", first.Text("data.line.expiresAt"))
	d.withKey(key).Get("/api/v1/tokens/"+second.Text("data.id")).WantValue("data.line.firstTokenId", first.Text("data.id"))
	d.withToken(second.Text("data.token")).
		Post("/api/v1/tokens", `{"name":"n","scopes":["read:helm-charts"],"line_expiration_days":700}`).
		WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/line_expiration_days")
}

func TestLineDays(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	for days, fields := range map[int]string{
		365: `"expiration_days":1`, 480: `"expiration_days":240`, 730: `"expiration_days":365`,
		30: `"expiration_days":30,"line_expiration_days":30`,
	} {
		d.withKey(key).Post("/api/v1/tokens", `{"name":"n","scopes":["read:helm-charts"],`+fields+`}`).
			WantStatus(http.StatusCreated).
			WantValue("data.line.expiresAt", d.now.AddDate(0, 0, days).Format(time.RFC3339))
	}
	for _, wrong := range []string{
		`"line_expiration_days":731`, `"line_expiration_days":0`,
		`"expiration_days":31,"line_expiration_days":30`,
	} {
		d.withKey(key).Post("/api/v1/tokens", `{"name":"n","scopes":["read:helm-charts"],`+wrong+`}`).
			WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/line_expiration_days")
	}
}

// TestNoTokenOutlivesItsLine renews tokens of a line at random times, until none of them can be renewed.
//
//proves:docs/security.md
func TestNoTokenOutlivesItsLine(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	dice := rand.New(rand.NewPCG(1, 2))
	first := d.withKey(key).Post("/api/v1/tokens",
		`{"name":"n","scopes":["read:helm-charts"],"expiration_days":40,"line_expiration_days":150}`)
	end := d.now.AddDate(0, 0, 150)
	current := first
	for current.Status == http.StatusCreated {
		expires, err := time.Parse(time.RFC3339, current.Text("data.expiresAt"))
		if err != nil || expires.After(end) {
			t.Fatalf("a token expires at %s, its line at %s; %v", expires, end, err)
		}
		d.advance(time.Duration(dice.Int64N(int64(expires.Sub(d.now)))))
		current = d.withToken(current.Text("data.token")).Post("/api/v1/tokens", forOneYear)
	}
	current.WantStatus(http.StatusConflict).WantHeader("X-Should-Retry", "false")
	if d.now.AddDate(0, 0, 40).Before(end) {
		t.Errorf("the last renewal was refused at %s, long before the line ends at %s", d.now, end)
	}
}

// TestLineQuotaLeavesRoomForItsOwner renews a token as often as possible. Afterwards its owner can still create as many
// as on any day.
//
//proves:docs/security.md
func TestLineQuotaLeavesRoomForItsOwner(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	leaked := d.withKey(key).Post("/api/v1/tokens", all).Text("data.token")
	var newest webtest.Response
	for range tokens.MaxLineLive - 1 {
		newest = d.withToken(leaked).Post("/api/v1/tokens", all).WantStatus(http.StatusCreated)
	}
	d.withToken(leaked).Post("/api/v1/tokens", all).WantStatus(http.StatusConflict).WantHeader("X-Should-Retry", "false")
	for range tokens.MaxLineDaily - tokens.MaxLineLive + 1 {
		d.withToken(leaked).Delete("/api/v1/tokens/" + newest.Text("data.id")).WantStatus(http.StatusNoContent)
		newest = d.withToken(leaked).Post("/api/v1/tokens", all).WantStatus(http.StatusCreated)
	}
	d.withToken(leaked).Delete("/api/v1/tokens/" + newest.Text("data.id")).WantStatus(http.StatusNoContent)
	d.withToken(leaked).Post("/api/v1/tokens", all).WantStatus(http.StatusTooManyRequests).
		WantValue("code", "QUOTA_EXCEEDED")
	for range credentials.MaxLive - tokens.MaxLineLive - 1 { // with the key
		d.withKey(key).Post("/api/v1/tokens", all).WantStatus(http.StatusCreated)
	}
	d.advance(15 * time.Hour) // the next day in UTC
	d.withToken(leaked).Post("/api/v1/tokens", all).WantStatus(http.StatusCreated)
}

// TestRacingRenewalsKeepTheQuota renews a token many times at once.
//
//proves:docs/security.md
func TestRacingRenewalsKeepTheQuota(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	token := d.withKey(key).Post("/api/v1/tokens", all).Text("data.token")
	var created atomic.Int64
	var racers sync.WaitGroup
	for range 3 * tokens.MaxLineLive {
		racers.Go(func() {
			if r := d.withToken(token).Post("/api/v1/tokens", all); r.Status == http.StatusCreated {
				created.Add(1)
			}
		})
	}
	racers.Wait()
	if n := created.Load(); n != tokens.MaxLineLive-1 {
		t.Errorf("%d renewals succeeded, want %d", n, tokens.MaxLineLive-1)
	}
}
