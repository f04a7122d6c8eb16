package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/testkit/webtest"
)

const acme = `{"name":" Acme Shipping ","slug":"acme-shipping","externalId":" C-1815 ","limits":{"users":2},` +
	`"contacts":[{"name":"Ada","email":"Ada@Example.com","role":"billing"}],"metadata":{"seat":12345678901234567890}}`

func TestCustomerIsCreatedUpdatedAndDeleted(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	created := root.Post(path, acme).WantStatus(http.StatusCreated).
		WantValue("data.name", "Acme Shipping").WantValue("data.slug", "acme-shipping").WantValue("data.status", "active").
		WantValue("data.externalId", "C-1815").WantValue("data.users", 0).
		WantValue("data.limits", map[string]any{"users": 2.0, "requestsPerMinute": nil}).
		WantValue("data.contacts", []any{map[string]any{"name": "Ada", "email": "ada@example.com", "role": "billing"}}).
		WantValue("data.createdAt", "2026-03-02T09:00:00Z").WantValue("data.updatedAt", "2026-03-02T09:00:00Z").
		WantHeader("ETag", `"1"`)
	if !strings.Contains(string(created.Body), "12345678901234567890") {
		t.Errorf("a number lost precision: %s", created.Body)
	}
	at := path + "/" + created.Text("data.id")
	created.WantHeader("Location", at)
	root.Get(at).WantStatus(http.StatusOK).WantValue("", created.JSON("")).WantHeader("ETag", `"1"`)
	root.Get(path + "/" + strings.ToUpper(created.Text("data.id"))).WantStatus(http.StatusOK)

	o.clock.Advance(time.Hour)
	root.Put(at, `{"status":"suspended","slug":"acme","contacts":[],"limits":{"users":null}}`).WantStatus(http.StatusOK).
		WantValue("data.name", "Acme Shipping").WantValue("data.status", "suspended").WantValue("data.slug", "acme").
		WantValue("data.contacts", []any{}).WantValue("data.limits", map[string]any{"users": nil, "requestsPerMinute": nil}).
		WantValue("data.updatedAt", "2026-03-02T10:00:00Z").WantValue("data.createdAt", "2026-03-02T09:00:00Z").
		WantHeader("ETag", `"2"`)
	root.Put(at, `{"status":"suspended","name":"Acme Shipping"}`).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`) // nothing changed
	root.Get(path+"?status=suspended").WantStatus(http.StatusOK).WantValue("pagination.total", 1).
		WantValue("data.0.slug", "acme")
	root.Get(path+"?status=active").WantStatus(http.StatusOK).WantValue("pagination.total", 0).WantValue("data", []any{})

	root.Delete(at).WantStatus(http.StatusNoContent)
	root.Get(at).WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND")
	root.Put(at, `{"name":"x"}`).WantStatus(http.StatusNotFound)
	root.Delete(at).WantStatus(http.StatusNotFound)
	root.Get(path).WantStatus(http.StatusOK).WantValue("pagination.total", 0)
	root.Post(path, acme).WantStatus(http.StatusCreated) // the slug and the external ID are free again
}

func TestSlugAndExternalIDAreUnique(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	o.create(acme)
	root.Post(path, `{"name":"B","slug":"acme-shipping"}`).WantStatus(http.StatusConflict).WantValue("code", "SLUG_TAKEN").
		WantHeader("X-Should-Retry", "false")
	root.Post(path, `{"name":"B","slug":"b","externalId":"C-1815"}`).WantStatus(http.StatusConflict).
		WantValue("code", "EXTERNAL_ID_TAKEN").
		WantHeader("X-Should-Retry", "false")
	at := o.create(`{"name":"B","slug":"b"}`)
	o.create(`{"name":"C","slug":"c"}`) // several customers have no external ID
	root.Put(at, `{"slug":"acme-shipping"}`).WantStatus(http.StatusConflict).WantValue("code", "SLUG_TAKEN")
	root.Patch(at, `{"externalId":"C-1815"}`).WantStatus(http.StatusConflict).WantValue("code", "EXTERNAL_ID_TAKEN")
	root.Get(at).WantHeader("ETag", `"1"`)
}

func TestConcurrentCreationsWithOneSlugCreateOne(t *testing.T) {
	o := newFixture(t)
	statuses := webtest.Concurrently(6, func(i int) int {
		return o.asAdmin().Post(path, fmt.Sprintf(`{"name":"N%d","slug":"same"}`, i)).Status
	})
	if statuses[http.StatusCreated] != 1 || statuses[http.StatusConflict] != 5 {
		t.Errorf("statuses %v, want one 201 and five 409", statuses)
	}
}

func TestCustomerWithUsersIsNotDeleted(t *testing.T) {
	o := newFixture(t)
	root, at := o.asAdmin(), o.create(acme)
	id := strings.TrimPrefix(at, path+"/")
	o.countUsers(id, 1)
	root.Get(at).WantValue("data.users", 1).WantHeader("ETag", `"1"`)
	root.Delete(at).WantStatus(http.StatusConflict).WantValue("code", "CUSTOMER_HAS_USERS").
		WantValue("detail", "The customer still has users. Delete them or move them to another customer first.")
	o.countUsers(id, 1)
	root.Put(at, `{"limits":{"users":1}}`).WantStatus(http.StatusOK).WantValue("data.limits.users", 1).
		WantValue("data.users", 2)
	o.countUsers(id, -2)
	root.Delete(at).WantStatus(http.StatusNoContent)
}

func TestListCustomersPages(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	for i := range 7 {
		o.create(fmt.Sprintf(`{"name":"C%d","slug":"c%d","status":%q}`, i, i, []string{"active", "suspended"}[i%2]))
	}
	root.Get(path).WantStatus(http.StatusOK).WantValue("pagination", map[string]any{
		"total": 7.0, "limit": 20.0, "offset": 0.0, "hasMore": false, "next": nil,
	}).WantValue("data.0.name", "C0").WantValue("data.6.name", "C6")
	root.Get(path+"?limit=3&offset=2").WantStatus(http.StatusOK).WantValue("data.0.name", "C2").
		WantValue("data.2.name", "C4").WantValue("data.3", nil).WantValue("pagination.hasMore", true)
	root.Get(path+"?status=suspended&limit=2&offset=1").WantStatus(http.StatusOK).WantValue("data.0.name", "C3").
		WantValue("pagination", map[string]any{"total": 3.0, "limit": 2.0, "offset": 1.0, "hasMore": false, "next": nil})
	root.Get(path+"?offset=1000000000000").WantStatus(http.StatusOK).WantValue("data", []any{}).
		WantValue("pagination.hasMore", false)

	listed := root.Get(path + "?limit=1").JSON("data.0").(map[string]any)
	want := []string{"createdAt", "externalId", "id", "name", "slug", "status"}
	if got := slices.Sorted(maps.Keys(listed)); !slices.Equal(got, want) {
		t.Errorf("the listed customer has the fields %v, want %v", got, want)
	}
}

func TestSearchCustomers(t *testing.T) {
	o := newFixture(t)
	root, at := o.asAdmin(), o.create(acme)
	o.create(`{"name":"Shipping Room","slug":"room"}`)
	root.Get(path+"/search?q=SHIP").WantStatus(http.StatusOK).WantValue("data.0.name", "Acme Shipping").
		WantValue("data.1.name", "Shipping Room").WantValue("pagination.hasMore", false)
	root.Get(path+"/search?q=acme-s").WantStatus(http.StatusOK).WantValue("data.0.slug", "acme-shipping")
	root.Get(path+"/search?q=c-18").WantStatus(http.StatusOK).WantValue("data.0.externalId", "C-1815")
	root.Put(at, `{"slug":"logistics","externalId":null}`).WantStatus(http.StatusOK)
	root.Get(path+"/search?q=acme-s").WantStatus(http.StatusOK).WantValue("data", []any{})
	root.Get(path+"/search?q=c-18").WantStatus(http.StatusOK).WantValue("data", []any{})
	root.Get(path+"/search?q=logis").WantStatus(http.StatusOK).WantValue("data.0.name", "Acme Shipping")
	root.Delete(at).WantStatus(http.StatusNoContent)
	root.Get(path+"/search?q=ship").WantStatus(http.StatusOK).WantValue("data.0.name", "Shipping Room").
		WantValue("data.1", nil)
}

func TestIfMatch(t *testing.T) {
	o := newFixture(t)
	root, at := o.asAdmin(), o.create(acme)
	root.With("If-Match", `"1"`).Put(at, `{"name":"B"}`).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`)
	root.With("If-Match", `"1"`).Put(at, `{"name":"C"}`).WantStatus(http.StatusPreconditionFailed).
		WantValue("code", "PRECONDITION_FAILED")
	root.With("If-Match", `"1"`).Delete(at).WantStatus(http.StatusPreconditionFailed)
	root.With("If-Match", "abc").Put(at, `{"name":"C"}`).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "header/If-Match")
	root.With("If-Match", "*").Put(at, `{"name":"D"}`).WantStatus(http.StatusOK)
	root.With("If-Match", `"7", "3"`).Delete(at).WantStatus(http.StatusNoContent)
}

func TestConcurrentUpdatesWithOneETagUpdateOnce(t *testing.T) {
	o := newFixture(t)
	at := o.create(acme)
	statuses := webtest.Concurrently(6, func(i int) int {
		return o.asAdmin().With("If-Match", `"1"`).Put(at, fmt.Sprintf(`{"name":"N%d"}`, i)).Status
	})
	if statuses[http.StatusOK] != 1 || statuses[http.StatusPreconditionFailed] != 5 {
		t.Errorf("statuses %v, want one 200 and five 412", statuses)
	}
	statuses = webtest.Concurrently(6, func(i int) int { return o.asAdmin().Put(at, fmt.Sprintf(`{"slug":"s%d"}`, i)).Status })
	if statuses[http.StatusOK] != 6 {
		t.Errorf("statuses %v, want six 200 without If-Match", statuses)
	}
	o.asAdmin().Get(at).WantHeader("ETag", `"8"`)
}

func TestIdempotencyKey(t *testing.T) {
	o := newFixture(t)
	once := o.asAdmin().With("Idempotency-Key", "order 66")
	first := once.Post(path, acme).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	at := path + "/" + first.Text("data.id")
	o.asAdmin().Put(at, `{"name":"Changed"}`).WantStatus(http.StatusOK)

	again := once.Post(path, acme).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "true").
		WantHeader("Location", at)
	if !bytes.Equal(again.Body, first.Body) {
		t.Errorf("the replay differs:\n%s\n%s", again.Body, first.Body)
	}
	once.Post(path, `{"name":"B","slug":"b"}`).WantStatus(http.StatusUnprocessableEntity).
		WantValue("code", "IDEMPOTENCY_KEY_REUSED")
	other := o.user("other@example.com", principal.Manager)
	o.withKey(other).With("Idempotency-Key", "order 66").Post(path, acme).WantStatus(http.StatusConflict) // a key of another caller

	o.asAdmin().Delete(at).WantStatus(http.StatusNoContent)
	o.clock.Advance(23 * time.Hour)
	once.Post(path, acme).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "true")
	o.clock.Advance(time.Hour)
	once.Post(path, `{"name":"B","slug":"b"}`).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	o.asAdmin().With("Idempotency-Key", "k\x00").Post(path, acme).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "header/Idempotency-Key")
}

func TestConcurrentRequestsWithOneIdempotencyKey(t *testing.T) {
	o := newFixture(t)
	statuses := webtest.Concurrently(6, func(int) int {
		a := o.asAdmin().With("Idempotency-Key", "k").Post(path, acme)
		if a.Header.Get("Idempotency-Replayed") == "true" {
			return -a.Status
		}
		return a.Status
	})
	if statuses[http.StatusCreated] != 1 || statuses[-http.StatusCreated] != 5 {
		t.Errorf("responses %v, want one 201 and five replays of it", statuses)
	}
	o.asAdmin().Get(path).WantValue("pagination.total", 1)
}
