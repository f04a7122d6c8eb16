package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

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

// A limit that the body does not name stays unchanged.
func TestLimitsAreSetAndRemoved(t *testing.T) {
	o := newFixture(t)
	root, at := o.asAdmin(), o.create(`{"name":"Acme","slug":"acme","limits":{"users":5}}`)
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		for _, step := range []struct {
			sent            string
			users, requests any
		}{
			{`{"users":null,"requestsPerMinute":600}`, nil, 600}, {`{"users":7}`, 7, 600}, {`{}`, 7, 600}, {`{"requestsPerMinute":null}`, 7, nil},
			{`{"requestsPerMinute":1}`, 7, 1}, {`{"users":null}`, nil, 1}, {`{"users":7,"requestsPerMinute":null}`, 7, nil},
		} {
			root.Do(method, at, `{"limits":`+step.sent+`}`).WantStatus(http.StatusOK).
				WantValue("data.limits.users", step.users).WantValue("data.limits.requestsPerMinute", step.requests)
		}
		root.Do(method, at, `{"limits":null}`).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/limits")
		root.Get(at).WantValue("data.limits.users", 7)
	}
}

func TestLimitsCanBeNull(t *testing.T) {
	newFixture(t).asAdmin().Post(path, `{"name":"A","slug":"a","limits":{"users":null,"requestsPerMinute":null}}`).
		WantStatus(http.StatusCreated).WantValue("data.limits.users", nil).WantValue("data.limits.requestsPerMinute", nil)
}
