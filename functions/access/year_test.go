package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/expirynotices"
	"portside/shared/testkit/webtest"
)

const day = 24 * time.Hour

// fleet is a pipeline with the tokens that it has had, first to last.
type fleet struct {
	*depot
	user, key string
	held      []heldToken
	notices   *expirynotices.Sender
}

type heldToken struct {
	id, secret string
	issued     time.Time
}

// TestAYearOfAPipeline issues a token for 90 days and renews it every 60, about as docs/rotation.md has it, for a year. Its
// owner's notices are sent once a day.
func TestAYearOfAPipeline(t *testing.T) {
	d := newDepot(t)
	user, key := d.user("pipeline@example.com", principal.Manager)
	f := &fleet{depot: d, user: user.ID, key: key, notices: d.sender()}
	began := d.now
	f.hold(d.person(key).Post("/api/v1/tokens", forQuarter).Is(http.StatusCreated).Has("data.rotatedFrom", nil))
	for d.now.Before(began.AddDate(1, 0, 0)) {
		f.overlap(t)
		f.live(t, 60)
		f.renew(t)
	}
	if len(f.held) != 8 { // days 0, 60, … 420
		t.Fatalf("there were %d tokens", len(f.held))
	}
	f.lineage(t)
	f.end(t)
	f.told(t)
	f.forget(t)
}

const forQuarter = `{"name":"pipeline","scopes":["read:helm-charts"],"expiration_days":90}`

func (f *fleet) newest() heldToken { return f.held[len(f.held)-1] }

func (f *fleet) hold(made webtest.Response) {
	f.held = append(f.held, heldToken{made.Text("data.id"), made.Text("data.token"), f.now})
}

// renew makes the successor with the newest token.
func (f *fleet) renew(t *testing.T) {
	t.Helper()
	old := f.newest()
	f.hold(f.machine(old.secret).For(t).Post("/api/v1/tokens", forQuarter).Is(http.StatusCreated).
		Has("data.rotatedFrom", old.id).Has("data.expiresAt", f.now.Add(90*day).Format(time.RFC3339)))
}

// overlap follows the token before the newest from the renewal to its last moment, and past it, and comes back to the
// renewal. Only the newest is used on that day, which its last use tells.
func (f *fleet) overlap(t *testing.T) {
	t.Helper()
	renewal := f.now
	defer func() { f.now = renewal }()
	f.pass(3 * time.Minute)
	f.use(f.newest(), http.StatusOK)
	if len(f.held) < 2 {
		return
	}
	old, expiry := f.held[len(f.held)-2], renewal.Add(30*day)
	f.show(old).Has("data.status", "active").Has("data.lastUsedAt", renewal.Format(time.RFC3339)) // when it was renewed
	f.now = expiry.Add(-time.Millisecond)
	f.use(old, http.StatusOK)
	f.use(f.newest(), http.StatusOK)
	f.show(old).Has("data.status", "active").Has("data.lastUsedAt", expiry.Add(-5*time.Minute).Format(time.RFC3339))
	f.now = expiry
	f.use(old, http.StatusUnauthorized)
	f.use(f.newest(), http.StatusOK)
	f.show(old).Has("data.status", "expired").Has("data.reason", nil).Has("data.revokedAt", nil)
}

func (f *fleet) use(token heldToken, status int) {
	f.tb.Helper()
	f.machine(token.secret).Get("/api/v1/tokens/" + token.id).Is(status)
}

// show is what a person sees of a token.
func (f *fleet) show(token heldToken) webtest.Response {
	f.tb.Helper()
	return f.person(f.key).Get("/api/v1/tokens/" + token.id).Is(http.StatusOK)
}

// lineage follows rotatedFrom from the newest token to the first, as far as they are kept: 90 days after their expiry.
func (f *fleet) lineage(t *testing.T) {
	t.Helper()
	for i, token := range slices.Backward(f.held) {
		shown := f.person(f.key).Get("/api/v1/tokens/" + token.id)
		if f.now.Sub(token.issued) >= 180*day {
			shown.Is(http.StatusNotFound)
			continue
		}
		shown.Is(http.StatusOK).Has("data.rotatedFrom", f.held[i-1].id)
	}
	f.lists(t, 3) // of day 420, 360 and 300; that of day 240 has just gone
}

// lists checks how many of the newest tokens are listed, newest first.
func (f *fleet) lists(t *testing.T, n int) {
	t.Helper()
	list := f.person(f.key).For(t).Get("/api/v1/tokens?userId=" + f.user).Is(http.StatusOK)
	all, _ := list.JSON("data").([]any)
	if len(all) != n {
		t.Fatalf("on %s, %d tokens are listed, want %d", f.now.Format(time.DateOnly), len(all), n)
	}
	for i, entry := range all {
		if want := f.held[len(f.held)-1-i].id; entry.(map[string]any)["id"] != want {
			t.Errorf("number %d of the list is not %s", i, want)
		}
	}
	for _, token := range f.held {
		if strings.Contains(string(list.Body), token.secret) {
			t.Error("the list shows a secret")
		}
	}
}

// end revokes the newest token in the middle of its life. The one before it goes on to its own end.
func (f *fleet) end(t *testing.T) {
	t.Helper()
	f.live(t, 15)
	last, before := f.newest(), f.held[len(f.held)-2]
	f.person(f.key).Delete("/api/v1/tokens/" + last.id).Is(http.StatusNoContent)
	f.use(last, http.StatusUnauthorized)
	f.machine(last.secret).Post("/api/v1/tokens", forQuarter).Is(http.StatusUnauthorized)
	f.use(before, http.StatusOK)
	f.show(last).Has("data.status", "revoked").Has("data.reason", "revoked by "+f.user).
		Has("data.revokedAt", f.now.Format(time.RFC3339))
	f.live(t, 15)
	f.use(before, http.StatusUnauthorized)
}

// forget waits until the last token has gone from the list: 90 days after it was revoked, and not after it would have
// expired. The engine's TTL removes nothing here, as DynamoDB's may be days late.
func (f *fleet) forget(t *testing.T) {
	t.Helper()
	f.live(t, 75)
	f.told(t) // nothing of the revoked one
	f.pass(-time.Millisecond)
	f.lists(t, 2) // the revoked one, and the one before it, which expired 75 days ago
	f.pass(time.Millisecond)
	all, _ := f.person(f.key).Get("/api/v1/tokens").JSON("data").([]any)
	if len(all) != 1 {
		t.Errorf("%d tokens are listed, want the one that expired", len(all))
	}
	last := "/api/v1/tokens/" + f.newest().id
	f.person(f.key).Get(last).Is(http.StatusNotFound)
	f.person(f.key).Delete(last).Is(http.StatusNotFound)
	f.use(f.newest(), http.StatusUnauthorized)
	f.pass(15 * day)
	f.person(f.key).Get("/api/v1/tokens").Is(http.StatusOK).Has("data", []any{})
}
