package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
)

func TestKeyIsCreatedUsedAndDeleted(t *testing.T) {
	p := newFixture(t)
	user, key := p.user("ada@example.com", principal.Viewer)
	me, at := p.withKey(key), "/v1/users/"+user.ID+"/api-keys"

	p.clock.Advance(time.Minute) // so that it is second in the list
	made := me.Post(at, `{"name":"build server","expirationDays":30}`).WantStatus(http.StatusCreated).
		WantValue("data.name", "build server").WantValue("data.createdAt", "2026-03-02T09:01:00Z").
		WantValue("data.expiresAt", "2026-04-01T09:01:00Z").WantValue("data.lastUsedAt", nil)
	secret, id := made.Text("data.key"), made.Text("data.id")
	if parsed, err := credentials.Parse(secret); err != nil || parsed.ID() != id || parsed.Kind() != credentials.APIKey {
		t.Fatalf("the key does not have the documented form: %v", err)
	}
	other := p.withKey(secret)
	p.clock.Advance(6 * time.Minute)
	other.Get("/v1/users/" + user.ID).WantStatus(http.StatusOK)
	listed := me.Get(at).WantStatus(http.StatusOK).WantValue("data.1.id", id).
		WantValue("data.1.lastUsedAt", "2026-03-02T09:05:00Z").WantValue("data.2", nil)
	if strings.Contains(string(listed.Body), secret[20:]) {
		t.Error("the list contains the secret")
	}

	p.clock.Advance(30 * 24 * time.Hour)
	other.Get("/v1/users/" + user.ID).WantStatus(http.StatusUnauthorized) // expired
	me.Get(at).WantValue("data.1.id", id)
	one := me.Get(made.Header.Get("Location")).WantStatus(http.StatusOK).WantValue("data.name", made.Text("data.name"))
	me.With("If-Match", `"other"`).Delete(at + "/" + id).WantStatus(http.StatusPreconditionFailed)
	me.With("If-Match", one.Header.Get("ETag")).Delete(at + "/" + id).WantStatus(http.StatusNoContent)
	me.Delete(at + "/" + id).WantStatus(http.StatusNoContent) // as the first time
	me.With("If-Match", one.Header.Get("ETag")).Delete(at + "/" + id).WantStatus(http.StatusNoContent)
	me.Get(at + "/" + id).WantStatus(http.StatusNotFound)
	me.Get(at).WantValue("data.1", nil)
}

//proves:docs/security.md
func TestRevokedKeyIsUnauthorized(t *testing.T) {
	p := newFixture(t)
	user, key := p.user("ada@example.com", principal.Viewer)
	parsed, err := credentials.Parse(key)
	if err != nil {
		t.Fatal(err)
	}
	p.withKey(key).Get("/v1/users").WantStatus(http.StatusOK)
	p.withKey(key).Delete("/v1/users/" + user.ID + "/api-keys/" + parsed.ID()).WantStatus(http.StatusNoContent) // a key may delete itself
	p.withKey(key).Get("/v1/users").WantStatus(http.StatusUnauthorized)
}

func TestKeyPermissions(t *testing.T) {
	p := newFixture(t)
	user, key := p.user("ada@example.com", principal.User)
	_, manager := p.user("manager@example.com", principal.Manager)
	at := "/v1/users/" + user.ID + "/api-keys"
	id := p.withKey(key).Get(at).Text("data.0.id")

	p.withKey(manager).Get(at).WantStatus(http.StatusForbidden)
	p.withKey(manager).Post(at, `{"name":"x"}`).WantStatus(http.StatusForbidden)
	p.withKey(manager).Delete(at + "/" + id).WantStatus(http.StatusForbidden)
	// The response does not reveal whether the ID exists.
	p.withKey(manager).Get("/v1/users/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11/api-keys").WantStatus(http.StatusForbidden)
	p.asAdmin().Post(at, `{"name":"for ada"}`).WantStatus(http.StatusCreated)
	p.asAdmin().Delete("/v1/users/" + p.admin.ID + "/api-keys/" + id).WantStatus(http.StatusNotFound) // the key of another user
	for _, bad := range []string{"x", strings.Repeat("a", 3000), id + "x", "%00"} {
		p.asAdmin().Delete(at + "/" + bad).WantStatus(http.StatusNotFound)
	}
	p.asAdmin().Delete(at + "/" + id).WantStatus(http.StatusNoContent)
	p.asAdmin().Get("/v1/users/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11/api-keys").WantStatus(http.StatusNotFound)
	p.asAdmin().Post("/v1/users/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11/api-keys", `{"name":"x"}`).
		WantStatus(http.StatusNotFound)
}

func TestCreateKeyRejectsInvalidInput(t *testing.T) {
	p := newFixture(t)
	at := "/v1/users/" + p.admin.ID + "/api-keys"
	for body, pointer := range map[string]string{
		`{}`: "/name", `{"name":""}`: "/name", `{"name":"` + strings.Repeat("n", 101) + `"}`: "/name", `{"name":"a\nb"}`: "/name",
		`{"name":"n","expirationDays":0}`: "/expirationDays", `{"name":"n","expirationDays":3651}`: "/expirationDays",
		`{"name":"n","expirationDays":1.5}`: "/expirationDays", `{"name":"n","scopes":[]}`: "/scopes",
	} {
		response := p.asAdmin().Post(at, body).WantStatus(http.StatusBadRequest)
		if got := response.Pointers(); !slices.Equal(got, []string{pointer}) {
			t.Errorf("%s: pointers %q, want %q", body, got, pointer)
		}
	}
}

func TestKeyTakesBothNamesOfItsDays(t *testing.T) {
	p := newFixture(t)
	at := "/v1/users/" + p.admin.ID + "/api-keys"
	for _, name := range []string{"expirationDays", "expiration_days"} {
		p.asAdmin().Post(at, `{"name":"n","`+name+`":30}`).WantStatus(http.StatusCreated).
			WantValue("data.expiresAt", "2026-04-01T09:00:00Z")
	}
	both := p.asAdmin().Post(at, `{"name":"n","expirationDays":30,"expiration_days":30}`).
		WantStatus(http.StatusBadRequest).Pointers()
	if !slices.Equal(both, []string{"/expiration_days"}) {
		t.Errorf("pointers %q", both)
	}
}

func TestKeyLimit(t *testing.T) {
	p := newFixture(t)
	at := "/v1/users/" + p.admin.ID + "/api-keys"
	for i := range credentials.MaxLive - 1 {
		p.asAdmin().Post(at, fmt.Sprintf(`{"name":"n%d","expirationDays":1}`, i)).WantStatus(http.StatusCreated)
	}
	p.asAdmin().Post(at, `{"name":"one more"}`).WantStatus(http.StatusConflict)
	second, _ := p.user("second@example.com", principal.Admin)
	p.asAdmin().Put("/v1/users/"+second.ID, `{"status":"inactive"}`).WantStatus(http.StatusOK)
	p.clock.Advance(25 * time.Hour)
	p.asAdmin().Post(at, `{"name":"one more"}`).WantStatus(http.StatusCreated) // the other keys have expired
}

//proves:docs/security.md
func TestStatusAndRoleTakeEffectAtOnce(t *testing.T) {
	p := newFixture(t)
	user, key := p.user("ada@example.com", principal.Manager)
	at := "/v1/users/" + user.ID
	second := p.withKey(key).Post(at+"/api-keys", `{"name":"second"}`).Text("data.key")
	for _, k := range []string{key, second} {
		p.withKey(k).Post("/v1/users", `{"email":"x@example.com","name":"X"}`).WantStatus(http.StatusBadRequest) // permitted, but invalid
	}
	p.asAdmin().Put(at, `{"role":"viewer"}`).WantStatus(http.StatusOK)
	for _, k := range []string{key, second} {
		p.withKey(k).Post("/v1/users", `{}`).WantStatus(http.StatusForbidden)
	}
	for _, status := range []string{"suspended", "inactive"} {
		p.asAdmin().Put(at, `{"status":"`+status+`"}`).WantStatus(http.StatusOK)
		p.withKey(key).Get("/v1/users").WantStatus(http.StatusUnauthorized)
		p.asAdmin().Post(at+"/api-keys", `{"name":"x"}`).WantStatus(http.StatusConflict)
	}
	p.asAdmin().Put(at, `{"status":"active"}`).WantStatus(http.StatusOK)
	p.withKey(second).Get("/v1/users").WantStatus(http.StatusOK)
	p.asAdmin().Delete(at).WantStatus(http.StatusNoContent)
	for _, k := range []string{key, second} {
		p.withKey(k).Get("/v1/users").WantStatus(http.StatusUnauthorized)
	}
}

// TestKeysCreatedDuringSuspensionDoNotWork creates keys while the user is being suspended. None may work afterwards.
func TestKeysCreatedDuringSuspensionDoNotWork(t *testing.T) {
	p := newFixture(t)
	user, key := p.user("ada@example.com", principal.User)
	at := "/v1/users/" + user.ID
	made := make([]string, 8)
	webtest.Concurrently(len(made)+1, func(i int) int {
		if i == len(made) {
			return p.asAdmin().Put(at, `{"status":"suspended"}`).WantStatus(http.StatusOK).Status
		}
		response := p.asAdmin().Post(at+"/api-keys", `{"name":"x"}`)
		if response.Status == http.StatusCreated {
			made[i] = response.Text("data.key")
		}
		return response.Status
	})
	for _, k := range slices.Concat(made, []string{key}) {
		if k != "" {
			p.withKey(k).Get("/v1/users").WantStatus(http.StatusUnauthorized)
		}
	}
}

//proves:docs/security.md
func TestInvalidCredentialsGetTheSameResponse(t *testing.T) {
	p := newFixture(t)
	_, key := p.user("ada@example.com", principal.User)
	want := string(p.anonymous().Get("/v1/users").WantStatus(http.StatusUnauthorized).Body)
	swapped := []byte(key)
	swapped[25] ^= 1
	for name, bad := range map[string]string{
		"garbage": "x", "empty": " ", "one character changed": string(swapped), "cut": key[:len(key)-1], "longer": key + "x",
		"unknown": credentials.Mint(credentials.APIKey).Reveal(), "token": credentials.Mint(credentials.AccessToken).Reveal(),
		"link": credentials.Mint(credentials.Link).Reveal(), "long": strings.Repeat("k", 8000), "NUL": "psk_\x00",
	} {
		t.Run(name, func(t *testing.T) {
			response := p.withKey(bad).For(t).Get("/v1/users").WantStatus(http.StatusUnauthorized)
			if got := string(response.Body); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if response.Header.Get("WWW-Authenticate") == "" {
				t.Error("no WWW-Authenticate")
			}
		})
	}
	p.anonymous().With("x-api-KEY", key).Get("/v1/users").WantStatus(http.StatusOK)
}

//proves:docs/security.md
func TestRateLimit(t *testing.T) {
	p := newFixtureWithLimit(t, 3)
	_, other := p.user("other@example.com", principal.User)
	p.clock.Advance(20 * time.Second)
	for left := 2; left >= 0; left-- {
		p.asAdmin().Get("/v1/users").WantStatus(http.StatusOK).WantHeader("RateLimit-Policy", `"credential";q=3;w=60`).
			WantHeader("RateLimit", fmt.Sprintf(`"credential";r=%d;t=40`, left))
	}
	p.asAdmin().Get("/v1/users").WantStatus(http.StatusTooManyRequests).WantValue("code", "RATE_LIMITED").
		WantHeader("Retry-After", "40")
	p.withKey(other).Get("/v1/users").WantStatus(http.StatusOK) // the limit applies to each credential
	p.clock.Advance(40 * time.Second)
	p.asAdmin().Get("/v1/users").WantStatus(http.StatusOK)

	parsed, err := credentials.Parse(p.key)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.keys.SetRateLimit(t.Context(), parsed.ID(), 500); err != nil {
		t.Fatal(err)
	}
	p.asAdmin().Get("/v1/users").WantStatus(http.StatusOK).WantHeader("RateLimit-Policy", `"credential";q=500;w=60`)
}

//proves:docs/security.md
func TestForgedKeyDoesNotUseUpTheRateLimit(t *testing.T) {
	p := newFixtureWithLimit(t, 2)
	parsed, err := credentials.Parse(p.key)
	if err != nil {
		t.Fatal(err)
	}
	forged := forge(t, parsed.ID())
	for range 5 {
		p.withKey(forged).Get("/v1/users").WantStatus(http.StatusUnauthorized)
	}
	p.asAdmin().Get("/v1/users").WantStatus(http.StatusOK).WantHeader("RateLimit", `"credential";r=1;t=60`)
}

func TestRateLimitOverManyMinutes(t *testing.T) {
	p := newFixtureWithLimit(t, 2)
	for range 40 { // counters of earlier minutes must not count or accumulate
		p.asAdmin().Get("/v1/users").WantStatus(http.StatusOK).WantHeader("RateLimit", `"credential";r=1;t=60`)
		p.clock.Advance(17 * time.Minute)
	}
}
