package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/notices/expirynotices"
	"portside/shared/testkit/webtest"
)

const day = 24 * time.Hour

// pipeline has the tokens that a pipeline has had, oldest first.
type pipeline struct {
	*fixture
	user, key string
	tokens    []pipelineToken
	notices   *expirynotices.Sender
}

type pipelineToken struct {
	id, secret string
	issued     time.Time
}

// TestPipelineRenewsTokensForAYear creates a token for 90 days, in a line of two years, and renews it every 60 days for
// a year, as in docs/rotation.md. Expiry notices are sent once a day.
func TestPipelineRenewsTokensForAYear(t *testing.T) {
	d := newFixture(t)
	user, key := d.user("pipeline@example.com", principal.Manager)
	f := &pipeline{fixture: d, user: user.ID, key: key, notices: d.sender()}
	began := d.now
	f.addToken(d.withKey(key).Post("/api/v1/tokens", inLongLine).WantStatus(http.StatusCreated).
		WantValue("data.rotatedFrom", nil))
	for d.now.Before(began.AddDate(1, 0, 0)) {
		f.checkOverlap(t)
		f.runDays(t, 60)
		f.renew(t)
	}
	if len(f.tokens) != 8 { // days 0, 60, … 420
		t.Fatalf("the pipeline had %d tokens, want 8", len(f.tokens))
	}
	f.checkLineage(t)
	f.revokeNewest(t)
	f.checkNotices(t)
	f.checkDeletion(t)
}

const (
	forQuarter = `{"name":"pipeline","scopes":["read:helm-charts"],"expiration_days":90}`
	inLongLine = `{"name":"pipeline","scopes":["read:helm-charts"],"expiration_days":90,"line_expiration_days":730}`
)

func (f *pipeline) newest() pipelineToken { return f.tokens[len(f.tokens)-1] }

func (f *pipeline) addToken(made webtest.Response) {
	f.tokens = append(f.tokens, pipelineToken{made.Text("data.id"), made.Text("data.token"), f.now})
}

// renew creates a new token with the newest one.
func (f *pipeline) renew(t *testing.T) {
	t.Helper()
	old := f.newest()
	f.addToken(f.withToken(old.secret).For(t).Post("/api/v1/tokens", forQuarter).WantStatus(http.StatusCreated).
		WantValue("data.rotatedFrom", old.id).WantValue("data.expiresAt", f.now.Add(90*day).Format(time.RFC3339)))
}

// checkOverlap checks that the second newest token is valid from the renewal until it expires, and then resets the
// clock to the renewal.
func (f *pipeline) checkOverlap(t *testing.T) {
	t.Helper()
	renewal := f.now
	defer func() { f.now = renewal }()
	f.advance(3 * time.Minute)
	f.use(f.newest(), http.StatusOK)
	if len(f.tokens) < 2 {
		return
	}
	old, expiry := f.tokens[len(f.tokens)-2], renewal.Add(30*day)
	f.show(old).WantValue("data.status", "active").WantValue("data.lastUsedAt", renewal.Format(time.RFC3339)) // used by the renewal
	f.now = expiry.Add(-time.Millisecond)
	f.use(old, http.StatusOK)
	f.use(f.newest(), http.StatusOK)
	f.show(old).WantValue("data.status", "active").
		WantValue("data.lastUsedAt", expiry.Add(-5*time.Minute).Format(time.RFC3339))
	f.now = expiry
	f.use(old, http.StatusUnauthorized)
	f.use(f.newest(), http.StatusOK)
	f.show(old).WantValue("data.status", "expired").WantValue("data.reason", nil).WantValue("data.revokedAt", nil)
}

func (f *pipeline) use(token pipelineToken, status int) {
	f.tb.Helper()
	f.withToken(token.secret).Get("/api/v1/tokens/" + token.id).WantStatus(status)
}

// show returns the description of a token.
func (f *pipeline) show(token pipelineToken) webtest.Response {
	f.tb.Helper()
	return f.withKey(f.key).Get("/api/v1/tokens/" + token.id).WantStatus(http.StatusOK)
}

// checkLineage checks rotatedFrom of the tokens that are still listed, which is until 90 days after their expiry.
func (f *pipeline) checkLineage(t *testing.T) {
	t.Helper()
	for i, token := range slices.Backward(f.tokens) {
		shown := f.withKey(f.key).Get("/api/v1/tokens/" + token.id)
		if f.now.Sub(token.issued) >= 180*day {
			shown.WantStatus(http.StatusNotFound)
			continue
		}
		shown.WantStatus(http.StatusOK).WantValue("data.rotatedFrom", f.tokens[i-1].id)
	}
	f.checkList(t, 3) // of days 420, 360 and 300; the list has dropped the one of day 240
}

// checkList checks that the n newest tokens are listed, newest first.
func (f *pipeline) checkList(t *testing.T, n int) {
	t.Helper()
	list := f.withKey(f.key).For(t).Get("/api/v1/tokens?userId=" + f.user).WantStatus(http.StatusOK)
	all, _ := list.JSON("data").([]any)
	if len(all) != n {
		t.Fatalf("%s: %d tokens are listed, want %d", f.now.Format(time.DateOnly), len(all), n)
	}
	for i, entry := range all {
		if want := f.tokens[len(f.tokens)-1-i].id; entry.(map[string]any)["id"] != want {
			t.Errorf("token %d in the list is not %s", i, want)
		}
	}
	for _, token := range f.tokens {
		if strings.Contains(string(list.Body), token.secret) {
			t.Error("the list contains a secret")
		}
	}
}

// revokeNewest revokes the newest token and checks that the previous one stays valid until it expires.
func (f *pipeline) revokeNewest(t *testing.T) {
	t.Helper()
	f.runDays(t, 15)
	last, before := f.newest(), f.tokens[len(f.tokens)-2]
	f.withKey(f.key).Delete("/api/v1/tokens/" + last.id).WantStatus(http.StatusNoContent)
	f.use(last, http.StatusUnauthorized)
	f.withToken(last.secret).Post("/api/v1/tokens", forQuarter).WantStatus(http.StatusUnauthorized)
	f.use(before, http.StatusOK)
	f.show(last).WantValue("data.status", "revoked").WantValue("data.reason", "revoked by its owner").
		WantValue("data.revokedAt", f.now.Format(time.RFC3339))
	f.runDays(t, 15)
	f.use(before, http.StatusUnauthorized)
}

// checkDeletion checks that the revoked token is listed for 90 days after its revocation. The engine's TTL deletes
// nothing here, and DynamoDB's can be days late.
func (f *pipeline) checkDeletion(t *testing.T) {
	t.Helper()
	f.runDays(t, 75)
	f.checkNotices(t) // no notices for the revoked token
	f.advance(-time.Millisecond)
	f.checkList(t, 2) // the revoked token, and the previous one, which expired 75 days ago
	f.advance(time.Millisecond)
	all, _ := f.withKey(f.key).Get("/api/v1/tokens").JSON("data").([]any)
	if len(all) != 1 {
		t.Errorf("%d tokens are listed, want only the expired one", len(all))
	}
	last := "/api/v1/tokens/" + f.newest().id
	f.withKey(f.key).Get(last).WantStatus(http.StatusNotFound)
	f.withKey(f.key).Delete(last).WantStatus(http.StatusNotFound)
	f.use(f.newest(), http.StatusUnauthorized)
	f.advance(15 * day)
	f.withKey(f.key).Get("/api/v1/tokens").WantStatus(http.StatusOK).WantValue("data", []any{})
}
