package main

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/testkit/webtest"
)

const onceKey = "6f0c3b52-9d1e-4c57-8a3f-2b7e5d90c614"

//proves:docs/security.md
func TestRepeatedKeyCreationReturnsTheSameKey(t *testing.T) {
	p := newFixture(t)
	user, key := p.user("ada@example.com", principal.Manager)
	at, body := "/v1/users/"+user.ID+"/api-keys", `{"name":"build server","expirationDays":30}`
	once := p.withKey(key).With("Idempotency-Key", onceKey)
	p.clock.Advance(time.Minute) // so that it is second in the list
	first := once.Post(at, body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	first.WantHeader("Location", at+"/"+first.Text("data.id"))
	p.withKey(first.Text("data.key")).Get(at).WantStatus(http.StatusOK)

	p.clock.Advance(23 * time.Hour)
	again := once.Post(at, body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "true")
	if !bytes.Equal(first.Body, again.Body) {
		t.Errorf("the replay differs:\n%s\n%s", again.Body, first.Body)
	}
	once.Post(at, `{"name":"another"}`).WantStatus(http.StatusUnprocessableEntity)
	p.asAdmin().With("Idempotency-Key", onceKey).Post(at, body).WantStatus(http.StatusCreated).
		WantHeader("Idempotency-Replayed", "")
	p.asAdmin().With("Idempotency-Key", onceKey).Post("/v1/users/"+p.admin.ID+"/api-keys", body).
		WantStatus(http.StatusUnprocessableEntity)
	once.Get(at).WantStatus(http.StatusOK).WantValue("data.1.id", first.Text("data.id")).
		WantValue("data.3", nil) // the list has three keys: this one, the key of the fixture and the key that the admin created

	p.clock.Advance(time.Hour)
	once.Post(at, body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	once = p.withKey(key).With("Idempotency-Key", "order 66")
	once.Post(at, body).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "header/Idempotency-Key")
}

func TestReplayOfADeletedKeyIsAConflict(t *testing.T) {
	p := newFixture(t)
	user, key := p.user("ada@example.com", principal.Manager)
	at, body := "/v1/users/"+user.ID+"/api-keys", `{"name":"build server"}`
	once := p.withKey(key).With("Idempotency-Key", onceKey)
	first := once.Post(at, body).WantStatus(http.StatusCreated)
	once.Delete(at + "/" + first.Text("data.id")).WantStatus(http.StatusNoContent)
	once.Post(at, body).WantStatus(http.StatusConflict).WantHeader("X-Should-Retry", "false").
		WantValue("detail", idempotency.ErrRevoked.Detail)
	once.Post(at, `{"name":"another"}`).WantStatus(http.StatusUnprocessableEntity)
}

func TestUpperAndLowerCaseAreTheSameIdempotencyKey(t *testing.T) {
	p := newFixture(t)
	user, key := p.user("ada@example.com", principal.Manager)
	at, body := "/v1/users/"+user.ID+"/api-keys", `{"name":"build server"}`
	first := p.withKey(key).With("Idempotency-Key", onceKey).Post(at, body).WantStatus(http.StatusCreated)
	p.withKey(key).With("Idempotency-Key", strings.ToUpper(onceKey)).Post(at, body).WantStatus(http.StatusCreated).
		WantHeader("Idempotency-Replayed", "true").WantValue("data.key", first.Text("data.key"))
}

func TestConcurrentRequestsWithOneIdempotencyKeyCreateOneKey(t *testing.T) {
	p := newFixture(t)
	user, key := p.user("ada@example.com", principal.Manager)
	at := "/v1/users/" + user.ID + "/api-keys"
	statuses := webtest.Concurrently(6, func(int) int {
		r := p.withKey(key).With("Idempotency-Key", onceKey).Post(at, `{"name":"build server"}`).
			WantStatus(http.StatusCreated)
		p.withKey(r.Text("data.key")).Get(at).WantStatus(http.StatusOK)
		return len(r.Header.Get("Idempotency-Replayed"))
	})
	if statuses[0] != 1 || statuses[len("true")] != 5 {
		t.Errorf("responses by length of Idempotency-Replayed: %v, want one creation and five replays", statuses)
	}
	if keys := p.withKey(key).Get(at).WantStatus(http.StatusOK).List("data"); len(keys) != 2 {
		t.Errorf("%d keys, want the test's and one more", len(keys))
	}
}
