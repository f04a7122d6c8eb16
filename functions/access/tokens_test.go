package main

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/users"
)

const (
	all    = `{"name":"pipeline","scopes":["read:helm-charts","read:docker-images"],"expiration_days":60}`
	images = `{"name":"narrow","scopes":["read:docker-images:acme/*"]}`
)

func TestTokenIsCreatedRenewedAndRevoked(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)

	made := d.withKey(key).Post("/api/v1/tokens", all).WantStatus(http.StatusCreated).
		WantValue("data.name", "pipeline").WantValue("data.scopes", []any{"read:docker-images", "read:helm-charts"}).
		WantValue("data.createdAt", "2026-03-02T09:00:00Z").WantValue("data.expiresAt", "2026-05-01T09:00:00Z").
		WantValue("data.rotatedFrom", nil)
	first, id := made.Text("data.token"), made.Text("data.id")
	made.WantHeader("Location", "/api/v1/tokens/"+id)

	d.advance(50 * 24 * time.Hour)
	renewed := d.withToken(first).Post("/api/v1/tokens", all).WantStatus(http.StatusCreated).
		WantValue("data.rotatedFrom", id)
	second := renewed.Text("data.token")
	d.withToken(first).Get("/api/v1/tokens/"+id).WantStatus(http.StatusOK).WantValue("data.status", "active").
		WantValue("data.lastUsedAt", "2026-04-21T09:00:00Z") // both tokens are valid during the overlap

	d.advance(10 * 24 * time.Hour)
	d.withToken(first).Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized)
	listed := d.withToken(second).Get("/api/v1/tokens").WantStatus(http.StatusOK).WantValue("data.2", nil).
		WantValue("data.0.rotatedFrom", id).WantValue("data.1.status", "expired").WantValue("data.1.reason", nil)
	if strings.Contains(string(listed.Body), second[20:]) {
		t.Error("the list contains a secret")
	}

	d.withToken(second).Delete("/api/v1/tokens/" + renewed.Text("data.id")).WantStatus(http.StatusNoContent) // revokes itself
	d.withToken(second).Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized)
	revoked := d.withKey(key).Get("/api/v1/tokens/"+renewed.Text("data.id")).WantStatus(http.StatusOK).
		WantValue("data.status", "revoked")
	if !strings.HasPrefix(revoked.Text("data.reason"), "revoked by ") {
		t.Errorf("the reason is %q", revoked.Text("data.reason"))
	}
	d.withKey(key).Delete("/api/v1/tokens/" + renewed.Text("data.id")).WantStatus(http.StatusNoContent) // as the first time
	d.withKey(key).Get("/api/v1/tokens/"+renewed.Text("data.id")).
		WantValue("data.revokedAt", revoked.Text("data.revokedAt"))
}

// TestFirstUseIsNotBeforeTheCreation uses a token at once. The time of the use is rounded down to 5 minutes.
func TestFirstUseIsNotBeforeTheCreation(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	d.advance(3 * time.Minute)
	made := d.withKey(key).Post("/api/v1/tokens", all).WantStatus(http.StatusCreated)
	d.withToken(made.Text("data.token")).Get("/api/v1/tokens").WantStatus(http.StatusOK).
		WantValue("data.0.lastUsedAt", made.Text("data.createdAt"))
	d.withKey(key).Get("/api/v1/tokens/"+made.Text("data.id")).WantValue("data.lastUsedAt", made.Text("data.createdAt"))
}

func TestTokenIsRevokedOnlyWithItsETag(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	made := d.withKey(key).Post("/api/v1/tokens", all).WantStatus(http.StatusCreated)
	at := "/api/v1/tokens/" + made.Text("data.id")
	tag := d.withKey(key).Get(at).WantStatus(http.StatusOK).Header.Get("ETag")
	d.withKey(key).With("If-None-Match", tag).Get(at).WantStatus(http.StatusNotModified)
	d.withToken(made.Text("data.token")).Get(at).WantStatus(http.StatusOK) // a use changes the token
	used := d.withKey(key).With("If-None-Match", tag).Get(at).WantStatus(http.StatusOK).Header.Get("ETag")

	for _, query := range []string{"", "?line=true"} {
		d.withKey(key).With("If-Match", tag).Delete(at + query).WantStatus(http.StatusPreconditionFailed)
		d.withKey(key).Get(at).WantValue("data.status", "active")
	}
	d.withKey(key).With("If-Match", `"other", `+used).Delete(at).WantStatus(http.StatusNoContent)
	d.withKey(key).With("If-Match", used).Delete(at).WantStatus(http.StatusNoContent) // as the first time
	d.withKey(key).With("If-Match", "*").Delete(at).WantStatus(http.StatusNoContent)
}

func TestRenewalCannotExtendScopes(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	narrow := d.withKey(key).Post("/api/v1/tokens", images).WantStatus(http.StatusCreated).
		WantValue("data.expiresAt", "2026-05-31T09:00:00Z").Text("data.token") // 90 days
	for scopes, status := range map[string]int{
		`["read:docker-images:acme/*"]`:                      http.StatusCreated,
		`["read:docker-images:acme/api"]`:                    http.StatusCreated,
		`["read:docker-images"]`:                             http.StatusForbidden,
		`["read:helm-charts"]`:                               http.StatusForbidden,
		`["read:docker-images:acme/api","read:helm-charts"]`: http.StatusForbidden,
		`["read:docker-images:other/*"]`:                     http.StatusForbidden,
	} {
		d.withToken(narrow).Post("/api/v1/tokens", `{"name":"n","scopes":`+scopes+`}`).WantStatus(status)
	}
}

func TestCreateTokenRejectsInvalidInput(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	for body, pointers := range map[string][]string{
		`{}`:                       {"/name", "/scopes"},
		`{"name":"n","scopes":[]}`: {"/scopes"},
		`{"name":"evil\u202etxt","scopes":["read:helm-charts"]}`:                                {"/name"},
		`{"name":"","scopes":["x"]}`:                                                            {"/name", "/scopes/0"},
		`{"name":"n","scopes":null}`:                                                            {"/scopes"},
		`{"name":"n","scopes":"all"}`:                                                           {"/scopes"},
		`{"name":"n","scopes":["read:helm-charts","write:all"]}`:                                {"/scopes/1"},
		`{"name":"n","scopes":["read:helm-charts"],"expiration_days":0}`:                        {"/expiration_days"},
		`{"name":"n","scopes":["read:helm-charts"],"expiration_days":366}`:                      {"/expiration_days"},
		`{"name":"n","scopes":["read:helm-charts"],"expiration_days":1.5}`:                      {"/expiration_days"},
		`{"name":"n","scopes":["read:helm-charts"],"expiration_days":"30"}`:                     {"/expiration_days"},
		`{"name":"n","scopes":["read:helm-charts"],"expirationDays":366}`:                       {"/expirationDays", "/expiration_days"},
		`{"name":"n","scopes":["read:helm-charts"],"expirationDays":9,"expiration_days":9}`:     {"/expirationDays"},
		`{"name":"` + strings.Repeat("n", 101) + `","scopes":["read:helm-charts"]}`:             {"/name"},
		`{"name":"n","scopes":["` + strings.Repeat("read:helm-charts\",\"", 20) + `read:all"]}`: {"/scopes"},
	} {
		response := d.withKey(key).Post("/api/v1/tokens", body).WantStatus(http.StatusBadRequest)
		if got := slices.Sorted(slices.Values(response.Pointers())); !slices.Equal(got, pointers) {
			t.Errorf("%s: pointers %q, want %q", body, got, pointers)
		}
	}
	d.withKey(key).Get("/api/v1/tokens").WantValue("data", []any{}) // no token was created
}

func TestTokenTakesBothNamesOfItsDays(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	for _, name := range []string{"expiration_days", "expirationDays"} {
		d.withKey(key).Post("/api/v1/tokens", `{"name":"n","scopes":["read:helm-charts"],"`+name+`":30}`).
			WantStatus(http.StatusCreated).
			WantValue("data.expiresAt", "2026-04-01T09:00:00Z")
	}
}

func TestTokenPermissions(t *testing.T) {
	d := newFixture(t)
	manager, managerKey := d.user("manager@example.com", principal.Manager)
	_, userKey := d.user("user@example.com", principal.User)
	token := d.withKey(managerKey).Post("/api/v1/tokens", all)
	at := "/api/v1/tokens/" + token.Text("data.id")

	d.withKey(userKey).Post("/api/v1/tokens", all).WantStatus(http.StatusForbidden)
	d.withKey(userKey).Get("/api/v1/tokens").WantStatus(http.StatusOK).WantValue("data", []any{})
	d.withKey(userKey).Get("/api/v1/tokens?userId=" + manager.ID).WantStatus(http.StatusForbidden)
	d.withKey(userKey).Get(at).WantStatus(http.StatusNotFound)
	d.withKey(userKey).Delete(at).WantStatus(http.StatusNotFound)
	_, other := d.user("other@example.com", principal.Manager)
	d.withKey(other).Get("/api/v1/tokens?userId="+manager.ID).WantStatus(http.StatusOK).
		WantValue("data.0.id", token.Text("data.id"))
	d.withKey(other).Delete(at).WantStatus(http.StatusNoContent)
	d.withToken(token.Text("data.token")).Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized)
	d.anonymous().Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized)
}

func TestTokensRejectOtherCredentials(t *testing.T) {
	d := newFixture(t)
	user, key := d.user("manager@example.com", principal.Manager)
	token := d.withKey(key).Post("/api/v1/tokens", all).Text("data.token")
	password := d.password(user)
	changed := []byte(token)
	changed[25] ^= 1
	for name, bad := range map[string]string{
		"password as Bearer": password, "API key as Bearer": key, "changed": string(changed), "empty": "",
		"unknown": credentials.Mint(credentials.AccessToken).Reveal(),
	} {
		t.Run(name, func(t *testing.T) {
			response := d.withToken(bad).For(t).Post("/api/v1/tokens", all).WantStatus(http.StatusUnauthorized)
			if !slices.Contains(response.Header.Values("WWW-Authenticate"), `Bearer realm="Portside"`) {
				t.Errorf("challenges %q", response.Header.Values("WWW-Authenticate"))
			}
		})
	}
	d.withKey(token).Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized) // a token sent as an API key
	d.anonymous().With("Authorization", "bearer "+token).Get("/api/v1/tokens").WantStatus(http.StatusOK)
}

// password creates a password for the user without a request and its approval.
func (d *fixture) password(user users.User) string {
	d.tb.Helper()
	secret := credentials.Mint(credentials.Password)
	keys, err := d.keys.List(d.tb.Context(), principal.Operator(), user.ID)
	if err != nil {
		d.tb.Fatal(err)
	}
	err = d.store.Issue(d.tb.Context(), credentials.Credential{
		ID: secret.ID(), Kind: credentials.Password, Hash: secret.Hash(), Username: "acme", Scopes: []string{"read:helm-charts"},
		Owner: credentials.Owner{ID: user.ID, Active: true}, CreatedAt: d.now,
	}, principal.Credential{ID: keys[0].ID})
	if err != nil {
		d.tb.Fatal(err)
	}
	return secret.Reveal()
}

func TestTokensStopWhenTheUserIsSuspendedOrDeleted(t *testing.T) {
	d := newFixture(t)
	user, key := d.user("manager@example.com", principal.Manager)
	token := d.withKey(key).Post("/api/v1/tokens", all)
	suspended, active := users.Suspended, users.Active
	d.change(user.ID, users.Change{Status: &suspended})
	d.withToken(token.Text("data.token")).Post("/api/v1/tokens", all).WantStatus(http.StatusUnauthorized)
	d.change(user.ID, users.Change{Status: &active})
	d.withToken(token.Text("data.token")).Post("/api/v1/tokens", all).WantStatus(http.StatusCreated)
	if err := d.users.Delete(t.Context(), principal.Operator(), versions.Target{ID: user.ID}); err != nil {
		t.Fatal(err)
	}
	d.withToken(token.Text("data.token")).Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized)
	_, admin := d.user("second@example.com", principal.Admin)
	d.withKey(admin).Get("/api/v1/tokens?userId="+user.ID).WantStatus(http.StatusOK).
		WantValue("data.0.reason", "user deleted")
}

func TestRevokeLeakedToken(t *testing.T) {
	d := newFixture(t)
	user, key := d.user("manager@example.com", principal.Manager)
	token := d.withKey(key).Post("/api/v1/tokens", all)
	password := d.password(user)
	for _, text := range []string{token.Text("data.token"), password} {
		for range 2 { // a second report has no effect
			d.report(text)
		}
	}
	d.withToken(token.Text("data.token")).Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized)
	d.withKey(key).Get("/api/v1/tokens/"+token.Text("data.id")).WantValue("data.reason", "reported as leaked")
	for _, text := range []string{"x", "", credentials.Mint(credentials.AccessToken).Reveal()} {
		d.report(text)
	}
	d.report(key) // an API key
	d.withKey(key).Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized)
}

func TestRevokeLeakedTokenRevokesRenewedTokens(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	leaked := d.withKey(key).Post("/api/v1/tokens", all).Text("data.token")
	child := d.withToken(leaked).Post("/api/v1/tokens", all).Text("data.token")
	grandchild := d.withToken(child).Post("/api/v1/tokens", all).Text("data.token")
	other := d.withKey(key).Post("/api/v1/tokens", all).Text("data.token")
	d.report(leaked)
	for _, token := range []string{leaked, child, grandchild} {
		d.withToken(token).Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized)
	}
	d.withToken(other).Get("/api/v1/tokens").WantStatus(http.StatusOK)
}

// TestRevokeLeakedTokenDuringRenewal reports a leak while the token is being renewed. No renewed token may stay valid.
func TestRevokeLeakedTokenDuringRenewal(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	for range 5 {
		leaked := d.withKey(key).Post("/api/v1/tokens", all).Text("data.token")
		successors := make([]string, 4)
		var wait sync.WaitGroup
		for i := range successors {
			wait.Go(func() {
				if response := d.withToken(leaked).Post("/api/v1/tokens", all); response.Status == http.StatusCreated {
					successors[i] = response.Text("data.token")
				}
			})
		}
		wait.Go(func() { d.report(leaked) })
		wait.Wait()
		for _, token := range successors {
			if token != "" {
				d.withToken(token).Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized)
			}
		}
	}
}

// TestRenewalDuringRevocation renews a token while it is being revoked. A new token may exist only if a response
// contained it.
func TestRenewalDuringRevocation(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	token := d.withKey(key).Post("/api/v1/tokens", all)
	var (
		wait    sync.WaitGroup
		mu      sync.Mutex
		created int
	)
	for range 6 {
		wait.Go(func() {
			if d.withToken(token.Text("data.token")).Post("/api/v1/tokens", all).Status == http.StatusCreated {
				mu.Lock()
				defer mu.Unlock()
				created++
			}
		})
	}
	wait.Go(func() { d.withToken(token.Text("data.token")).Delete("/api/v1/tokens/" + token.Text("data.id")) })
	wait.Wait()
	listed, _ := d.withKey(key).Get("/api/v1/tokens").JSON("data").([]any)
	if len(listed) != 1+created {
		t.Errorf("%d new tokens exist, but %d responses contained one", len(listed)-1, created)
	}
	d.withToken(token.Text("data.token")).Post("/api/v1/tokens", all).WantStatus(http.StatusUnauthorized)
}

//proves:docs/security.md
func TestTokenCanRevokeOnlyItsFamily(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	first := d.withKey(key).Post("/api/v1/tokens", all)
	second := d.withToken(first.Text("data.token")).Post("/api/v1/tokens", all)
	sibling := d.withToken(first.Text("data.token")).Post("/api/v1/tokens", all)
	other := d.withKey(key).Post("/api/v1/tokens", all)
	renewed := d.withToken(second.Text("data.token"))
	for _, stranger := range []string{sibling.Text("data.id"), other.Text("data.id")} {
		renewed.Delete("/api/v1/tokens/" + stranger).WantStatus(http.StatusForbidden)
	}
	third := renewed.Post("/api/v1/tokens", all)
	renewed.Delete("/api/v1/tokens/" + third.Text("data.id")).WantStatus(http.StatusNoContent)
	renewed.Delete("/api/v1/tokens/" + first.Text("data.id")).WantStatus(http.StatusNoContent)
	renewed.Delete("/api/v1/tokens/" + second.Text("data.id")).WantStatus(http.StatusNoContent)
	d.withKey(key).Delete("/api/v1/tokens/" + other.Text("data.id")).WantStatus(http.StatusNoContent)
}

// TestDailyTokenLimit tries to get around the limits by revoking tokens.
//
//proves:docs/security.md
func TestDailyTokenLimit(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	for i := range credentials.MaxDaily {
		if i%20 == 0 {
			d.advance(time.Minute) // of the rate limit
		}
		made := d.withKey(key).Post("/api/v1/tokens", all).WantStatus(http.StatusCreated)
		d.withKey(key).Delete("/api/v1/tokens/" + made.Text("data.id")).WantStatus(http.StatusNoContent)
	}
	d.withKey(key).Post("/api/v1/tokens", all).WantStatus(http.StatusTooManyRequests).WantValue("code", "QUOTA_EXCEEDED")
	d.advance(15 * time.Hour) // the next day in UTC
	d.withKey(key).Post("/api/v1/tokens", all).WantStatus(http.StatusCreated)
}

func TestTokenLimit(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	short := `{"name":"n","scopes":["read:helm-charts"],"expiration_days":1}`
	for range credentials.MaxLive - 1 {
		d.withKey(key).Post("/api/v1/tokens", short).WantStatus(http.StatusCreated)
	}
	d.withKey(key).Post("/api/v1/tokens", short).WantStatus(http.StatusConflict).WantHeader("X-Should-Retry", "false")
	d.advance(25 * time.Hour)
	d.withKey(key).Post("/api/v1/tokens", short).WantStatus(http.StatusCreated)
}
