package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
	"portside/shared/testkit/webtest"
	"portside/shared/tokens/tokensdynamo"
)

const (
	tokensPath = "/api/v1/tokens"
	onceKey    = "6f0c3b52-9d1e-4c57-8a3f-2b7e5d90c614"
)

// count returns how many entries a list has.
func count(list webtest.Response) int { return len(list.WantStatus(http.StatusOK).List("data")) }

// TestKeyOfAnotherOperationIsReused uses one key for a token and then for a request, which are stored in different
// forms.
func TestKeyOfAnotherOperationIsReused(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	const request = `{"accessLevel":"full","justification":"Needed for the nightly build."}`
	once := d.withKey(key).With("Idempotency-Key", onceKey)
	once.Post(tokensPath, all).WantStatus(http.StatusCreated)
	once.Post("/api/v1/credential-requests", request).WantStatus(http.StatusUnprocessableEntity)

	other := d.withKey(key).With("Idempotency-Key", uuid.NewString())
	other.Post("/api/v1/credential-requests", request).WantStatus(http.StatusCreated)
	other.Post(tokensPath, all).WantStatus(http.StatusUnprocessableEntity)
}

//proves:docs/security.md
func TestRepeatedTokenCreationReturnsTheSameToken(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	once := d.withKey(key).With("Idempotency-Key", onceKey)
	first := once.Post(tokensPath, all).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	token := first.Text("data.token")
	d.withToken(token).Get(tokensPath).WantStatus(http.StatusOK)

	d.advance(23 * time.Hour)
	again := once.Post(tokensPath, all).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "true").
		WantHeader("Location", tokensPath+"/"+first.Text("data.id"))
	if !bytes.Equal(first.Body, again.Body) {
		t.Errorf("the replay differs:\n%s\n%s", again.Body, first.Body)
	}
	once.Post(tokensPath, images).WantStatus(http.StatusUnprocessableEntity)
	if n := count(once.Get(tokensPath)); n != 1 {
		t.Errorf("%d tokens, want 1", n)
	}
	_, other := d.user("other@example.com", principal.Manager)
	d.withKey(other).With("Idempotency-Key", onceKey).Post(tokensPath, all).WantStatus(http.StatusCreated).
		WantHeader("Idempotency-Replayed", "") // keys of other callers do not count
	d.withToken(token).With("Idempotency-Key", onceKey).Post(tokensPath, all).
		WantStatus(http.StatusUnprocessableEntity) // another credential of the same user renews a token, which is another request

	d.advance(time.Hour)
	renewed := once.Post(tokensPath, all).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	if renewed.Text("data.token") == token {
		t.Error("an expired idempotency key returned the old token")
	}
}

//proves:docs/security.md
func TestReplayOfARevokedTokenIsAConflict(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	once := d.withKey(key).With("Idempotency-Key", onceKey)
	first := once.Post(tokensPath, all).WantStatus(http.StatusCreated)
	once.Delete(tokensPath + "/" + first.Text("data.id")).WantStatus(http.StatusNoContent)
	refused := once.Post(tokensPath, all).WantStatus(http.StatusConflict).WantHeader("X-Should-Retry", "false").
		WantValue("detail", idempotency.ErrRevoked.Detail)
	if bytes.Contains(refused.Body, []byte(first.Text("data.id"))) {
		t.Errorf("the response has the token: %s", refused.Body)
	}
	d.withKey(key).With("Idempotency-Key", uuid.NewString()).Post(tokensPath, all).WantStatus(http.StatusCreated)
}

func TestUpperAndLowerCaseAreTheSameIdempotencyKey(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	first := d.withKey(key).With("Idempotency-Key", onceKey).Post(tokensPath, all).WantStatus(http.StatusCreated)
	d.withKey(key).With("Idempotency-Key", strings.ToUpper(onceKey)).Post(tokensPath, all).WantStatus(http.StatusCreated).
		WantHeader("Idempotency-Replayed", "true").WantValue("data.token", first.Text("data.token"))
}

//proves:docs/security.md
func TestTokenCreationNeedsARandomIdempotencyKey(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	for _, bad := range []string{
		"", "order 66", "00000000-0000-0000-0000-000000000000", "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11", "c232ab00-9414-11ec-b3c8-9f6bdeced846",
		onceKey + "\x00", onceKey + onceKey,
	} {
		d.withKey(key).With("Idempotency-Key", bad).Post(tokensPath, all).WantStatus(http.StatusBadRequest).
			WantValue("errors.0.pointer", "header/Idempotency-Key")
	}
	if n := count(d.withKey(key).Get(tokensPath)); n != 0 {
		t.Errorf("%d tokens, want none", n)
	}
}

//proves:docs/security.md
func TestTableHasNeitherTheTokenNorTheIdempotencyKey(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	token := d.withKey(key).With("Idempotency-Key", onceKey).Post(tokensPath, all).WantStatus(http.StatusCreated).
		Text("data.token")
	found := false
	for _, item := range liststest.Scan(t, d.client, d.name) {
		var values map[string]any
		if err := attributevalue.UnmarshalMap(item, &values); err != nil {
			t.Fatal(err)
		}
		text := fmt.Appendf(nil, "%s", values)
		found = found || bytes.Contains(text, []byte("once#"))
		if bytes.Contains(text, []byte(token[17:])) || bytes.Contains(text, []byte(onceKey)) {
			t.Errorf("an item has the secret or its key: %s", text)
		}
	}
	if !found {
		t.Error("the table has no idempotency key")
	}
}

func TestConcurrentRequestsWithOneIdempotencyKeyCreateOneToken(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	secrets := webtest.Concurrently(6, func(int) int {
		r := d.withKey(key).With("Idempotency-Key", onceKey).Post(tokensPath, all).WantStatus(http.StatusCreated)
		d.withToken(r.Text("data.token")).Get(tokensPath).WantStatus(http.StatusOK)
		return len(r.Header.Get("Idempotency-Replayed"))
	})
	if secrets[0] != 1 || secrets[len("true")] != 5 {
		t.Errorf("responses by length of Idempotency-Replayed: %v, want one creation and five replays", secrets)
	}
	if n := count(d.withKey(key).Get(tokensPath)); n != 1 {
		t.Errorf("%d tokens, want 1", n)
	}
}

// TestRepetitionAfterACrashCreatesOneToken lets the function crash at each of its calls, with and without the call's
// effect, and repeats the request.
func TestRepetitionAfterACrashCreatesOneToken(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	healthy, want := d.store, 0
	for _, lost := range []bool{false, true} {
		awstest.CrashAtEachCall(lost, func(crashing func(*dynamodb.Client) *dynamodb.Client) error {
			want++
			once := uuid.NewString()
			client := crashing(d.client)
			d.store = tokensdynamo.New(client, credentialsdynamo.New(client, d.name, ""))
			first := d.withKey(key).With("Idempotency-Key", once).Post(tokensPath, all)
			d.store = healthy
			again := d.withKey(key).With("Idempotency-Key", once).Post(tokensPath, all).WantStatus(http.StatusCreated)
			d.withToken(again.Text("data.token")).Get(tokensPath).WantStatus(http.StatusOK)
			if n := count(d.withKey(key).Get(tokensPath)); n != want {
				t.Fatalf("%d tokens, want %d", n, want)
			}
			if first.Status != http.StatusCreated {
				return fmt.Errorf("status %d", first.Status)
			}
			return nil
		})
	}
}

func TestReplayIsPossibleAtTheLimits(t *testing.T) {
	d := newFixture(t)
	_, key := d.user("manager@example.com", principal.Manager)
	once := d.withKey(key).With("Idempotency-Key", onceKey)
	first := once.Post(tokensPath, all).WantStatus(http.StatusCreated)
	for range credentials.MaxLive - 2 { // with the API key
		d.withKey(key).Post(tokensPath, all).WantStatus(http.StatusCreated)
	}
	d.withKey(key).Post(tokensPath, all).WantStatus(http.StatusConflict)
	once.Post(tokensPath, all).WantStatus(http.StatusCreated).WantValue("data.token", first.Text("data.token"))
}

func TestRepeatedCredentialRequestReturnsTheFirst(t *testing.T) {
	o := newRequestFixture(t)
	once := o.withKey(o.requester).With("Idempotency-Key", "order 66")
	statuses := webtest.Concurrently(6, func(int) int {
		r := once.Post(requestsPath, requestBodyJSON).WantStatus(http.StatusCreated)
		return len(r.Header.Get("Idempotency-Replayed"))
	})
	if statuses[0] != 1 || statuses[len("true")] != 5 {
		t.Errorf("responses by length of Idempotency-Replayed: %v, want one creation and five replays", statuses)
	}
	if n := count(once.Get(requestsPath)); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	if n := len(o.mailbox.to("grace@example.com")); n != 1 {
		t.Errorf("%d mails to an approver, want 1", n)
	}
	first := once.Post(requestsPath, requestBodyJSON).WantStatus(http.StatusCreated)
	at := requestsPath + "/" + first.Text("data.id")
	first.WantHeader("Location", at)
	for range 4 {
		o.request()
	}
	o.withKey(o.requester).Post(requestsPath, requestBodyJSON).WantStatus(http.StatusConflict)
	once.Post(requestsPath, `{"accessLevel":"charts","justification":"x"}`).WantStatus(http.StatusUnprocessableEntity)

	o.withKey(o.approver).Post(at+"/deny", `{}`).WantStatus(http.StatusOK)
	o.advance(23 * time.Hour)
	again := once.Post(requestsPath, requestBodyJSON).WantStatus(http.StatusCreated).
		WantHeader("Idempotency-Replayed", "true")
	if !bytes.Equal(first.Body, again.Body) {
		t.Errorf("the replay differs:\n%s\n%s", again.Body, first.Body)
	}
	o.advance(time.Hour)
	once.Post(requestsPath, requestBodyJSON).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
}
