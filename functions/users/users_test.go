package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/testkit/webtest"
)

const ada = `{"email":" Ada@Example.com ","name":"Ada","role":"user","department":"Engines","sendActivationEmail":false,` +
	`"metadata":{"seat":12345678901234567890,"tags":["a"]}}`

func TestUserIsCreatedUpdatedAndDeleted(t *testing.T) {
	p := newFixture(t)
	root := p.asAdmin()

	created := root.Post("/v1/users", ada).WantStatus(http.StatusCreated).
		WantValue("data.email", "ada@example.com").WantValue("data.status", "active").WantValue("data.role", "user").
		WantValue("data.department", "Engines").WantValue("data.lastLoginAt", nil).
		WantValue("data.createdAt", "2026-03-02T09:00:00Z").WantValue("data.updatedAt", "2026-03-02T09:00:00Z").
		WantValue("data.permissions",
			[]any{"capabilities:use", "customers:read", "projects:read", "projects:write", "users:read"}).
		WantHeader("ETag", `"1"`)
	if !strings.Contains(string(created.Body), "12345678901234567890") {
		t.Errorf("a number lost precision: %s", created.Body)
	}
	at := "/v1/users/" + created.Text("data.id")
	created.WantHeader("Location", at)

	root.Get(at).WantStatus(http.StatusOK).WantValue("", created.JSON("")).WantHeader("ETag", `"1"`)
	root.Get("/v1/users/" + strings.ToUpper(created.Text("data.id"))).WantStatus(http.StatusOK)
	root.Post("/v1/users", ada).WantStatus(http.StatusConflict).WantValue("code", "EMAIL_TAKEN").
		WantHeader("X-Should-Retry", "false")

	p.clock.Advance(time.Hour)
	root.Put(at, `{"name":"Ada L.","role":"viewer","metadata":{}}`).WantStatus(http.StatusOK).
		WantValue("data.name", "Ada L.").WantValue("data.role", "viewer").WantValue("data.department", "Engines").
		WantValue("data.metadata", map[string]any{}).WantValue("data.updatedAt", "2026-03-02T10:00:00Z").
		WantValue("data.createdAt", "2026-03-02T09:00:00Z").WantHeader("ETag", `"2"`)
	root.Put(at, `{"name":"Ada L."}`).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`) // nothing changed
	root.Get("/v1/users?role=viewer").WantStatus(http.StatusOK).WantValue("pagination.total", 1).
		WantValue("data.0.name", "Ada L.")
	root.Get("/v1/users?role=user").WantStatus(http.StatusOK).WantValue("pagination.total", 0).WantValue("data", []any{})

	root.Delete(at).WantStatus(http.StatusNoContent)
	root.Get(at).WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND")
	root.Put(at, `{"name":"x"}`).WantStatus(http.StatusNotFound)
	root.Delete(at).WantStatus(http.StatusNotFound)
	root.Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 1)
	root.Post("/v1/users", ada).WantStatus(http.StatusCreated) // the address can be used again
}

func TestListUsersPages(t *testing.T) {
	p := newFixture(t)
	root := p.asAdmin()
	roles := []string{"manager", "user", "viewer"}
	for i := range 7 {
		root.Post("/v1/users", fmt.Sprintf(`{"email":"u%d@example.com","name":"U%d","role":%q,"sendActivationEmail":false}`,
			i, i, roles[i%3])).WantStatus(http.StatusCreated)
	}
	root.Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination", map[string]any{
		"total": 8.0, "limit": 20.0, "offset": 0.0, "hasMore": false, "next": nil,
	}).WantValue("data.0.email", "root@example.com").WantValue("data.7.email", "u6@example.com")
	root.Get("/v1/users?limit=3&offset=2").WantStatus(http.StatusOK).WantValue("data.0.email", "u1@example.com").
		WantValue("data.2.email", "u3@example.com").WantValue("data.3", nil).WantValue("pagination.hasMore", true)
	root.Get("/v1/users?limit=3&offset=5").WantStatus(http.StatusOK).WantValue("pagination.hasMore", false).
		WantValue("data.2.email", "u6@example.com")
	root.Get("/v1/users?role=manager&limit=2&offset=1").WantStatus(http.StatusOK).
		WantValue("data.0.email", "u3@example.com").
		WantValue("pagination", map[string]any{"total": 3.0, "limit": 2.0, "offset": 1.0, "hasMore": false, "next": nil})
	id := root.Get("/v1/users?role=viewer").Text("data.0.id")
	root.Put("/v1/users/"+id, `{"status":"suspended"}`).WantStatus(http.StatusOK)
	root.Get("/v1/users?status=active&limit=3&offset=5").WantStatus(http.StatusOK).
		WantValue("data.0.email", "u5@example.com").
		WantValue("pagination", map[string]any{"total": 7.0, "limit": 3.0, "offset": 5.0, "hasMore": false, "next": nil})
	root.Get("/v1/users?status=suspended&role=viewer").WantStatus(http.StatusOK).
		WantValue("data.0.email", "u2@example.com").
		WantValue("pagination.total", 1)
	for _, none := range []string{"status=suspended&role=user", "status=pending", "email=u2@example.com&status=active"} {
		root.Get("/v1/users?"+none).WantStatus(http.StatusOK).WantValue("pagination.total", 0)
	}
	root.Get("/v1/users?status=active&ids="+id).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "query/ids")
	root.Get("/v1/users?offset=1000000000000").WantStatus(http.StatusOK).WantValue("data", []any{}).
		WantValue("pagination.hasMore", false)

	listed := root.Get("/v1/users?limit=1").JSON("data.0").(map[string]any)
	if got := slices.Sorted(keysOf(listed)); !slices.Equal(got,
		[]string{"createdAt", "customerId", "email", "id", "name", "role", "status"}) {
		t.Errorf("the listed user has the fields %v", got)
	}
}

func keysOf(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func TestSearchUsers(t *testing.T) {
	p := newFixture(t)
	root := p.asAdmin()
	ids := map[string]string{}
	for email, name := range map[string]string{
		"ada@example.com": "Ada Byron", "byron@example.com": "Zoë Ångström", "x@example.com": "Ada-Marie Curie",
	} {
		body := fmt.Sprintf(`{"email":%q,"name":%q,"role":"user","sendActivationEmail":false}`, email, name)
		ids[email] = root.Post("/v1/users", body).WantStatus(http.StatusCreated).Text("data.id")
	}
	find := func(query string, want ...string) {
		t.Helper()
		var got []string
		for _, user := range root.Get("/v1/users/search?q=" + query).WantStatus(http.StatusOK).JSON("data").([]any) {
			got = append(got, user.(map[string]any)["email"].(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	find("ada", "ada@example.com", "x@example.com") // in the order of ada byron and ada-marie curie
	find("BYR", "ada@example.com", "byron@example.com")
	find("angstrom", "byron@example.com")
	find("ada+b", "ada@example.com")
	find("marie", "x@example.com")
	find("example", "root@example.com") // whose name is the address

	first := root.Get("/v1/users/search?q=ada&limit=1").WantStatus(http.StatusOK).WantValue("pagination.hasMore", true).
		WantValue("data.0.email", "ada@example.com")
	next := "/v1/users/search?cursor=" + first.Text("pagination.next") + "&limit=1&q=ada"
	first.WantHeader("Link", "<"+next+`>; rel="next"`)
	root.Get(next).WantStatus(http.StatusOK).WantValue("data.0.email", "x@example.com")

	root.Put("/v1/users/"+ids["ada@example.com"], `{"name":"Augusta King"}`).WantStatus(http.StatusOK)
	find("byr", "byron@example.com")
	find("king", "ada@example.com")
	root.Delete("/v1/users/" + ids["x@example.com"]).WantStatus(http.StatusNoContent)
	find("ada", "ada@example.com")

	root.Get("/v1/users/search").WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "query/q")
	root.Get("/v1/users/search?q=+").WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "query/q")
	root.Get("/v1/users/search?q=king&cursor=x").WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "query/cursor")
	root.Get("/v1/users/search?q=b&cursor=" + first.Text("pagination.next")).WantStatus(http.StatusBadRequest)
}

//proves:docs/security.md
func TestUserPermissions(t *testing.T) {
	p := newFixture(t)
	target, _ := p.user("target@example.com", principal.Viewer)
	at := "/v1/users/" + target.ID
	_, manager := p.user("manager@example.com", principal.Manager)
	_, user := p.user("user@example.com", principal.User)
	_, viewer := p.user("viewer@example.com", principal.Viewer)
	newViewer := `{"email":"new@example.com","name":"N","role":"viewer"}`

	for _, c := range []webtest.Client{p.withKey(user), p.withKey(viewer)} {
		c.Get("/v1/users").WantStatus(http.StatusOK)
		c.Get(at).WantStatus(http.StatusOK)
		c.Post("/v1/users", newViewer).WantStatus(http.StatusForbidden).WantValue("code", "FORBIDDEN")
		c.Post("/v1/users", `{`).WantStatus(http.StatusForbidden) // permissions are checked before the body
		c.Put(at, `{"name":"x"}`).WantStatus(http.StatusForbidden)
		c.Delete(at).WantStatus(http.StatusForbidden)
	}
	m := p.withKey(manager)
	m.Post("/v1/users", newViewer).WantStatus(http.StatusCreated)
	m.Post("/v1/users", `{"email":"boss@example.com","name":"B","role":"admin"}`).WantStatus(http.StatusForbidden)
	m.Put(at, `{"role":"admin"}`).WantStatus(http.StatusForbidden)
	m.Put("/v1/users/"+p.admin.ID, `{"status":"suspended"}`).WantStatus(http.StatusForbidden)
	m.Put(at, `{"role":"manager"}`).WantStatus(http.StatusOK)
	m.Delete(at).WantStatus(http.StatusForbidden)
	p.anonymous().Get("/v1/users").WantStatus(http.StatusUnauthorized).WantValue("code", "UNAUTHORIZED")
}

func TestLastAdminCannotBeRemoved(t *testing.T) {
	p := newFixture(t)
	root, at := p.asAdmin(), "/v1/users/"+p.admin.ID
	for _, body := range []string{`{"role":"user"}`, `{"status":"suspended"}`, `{"status":"inactive"}`} {
		root.Put(at, body).WantStatus(http.StatusConflict).WantHeader("X-Should-Retry", "false")
	}
	root.Delete(at).WantStatus(http.StatusConflict)

	second, key := p.user("second@example.com", principal.Admin)
	root.Put(at, `{"role":"viewer"}`).WantStatus(http.StatusOK)
	p.withKey(key).Delete("/v1/users/" + second.ID).WantStatus(http.StatusConflict)
	p.withKey(key).Put(at, `{"role":"admin"}`).WantStatus(http.StatusOK)
	p.withKey(key).Delete("/v1/users/" + second.ID).WantStatus(http.StatusNoContent)
}

func TestConcurrentDeletionsKeepOneAdmin(t *testing.T) {
	p := newFixture(t)
	second, key := p.user("second@example.com", principal.Admin)
	statuses := webtest.Concurrently(2, func(i int) int {
		if i == 0 {
			return p.asAdmin().Delete("/v1/users/" + second.ID).Status
		}
		return p.withKey(key).Delete("/v1/users/" + p.admin.ID).Status
	})
	// The second request fails because of the last admin, or because its key is already revoked.
	won := statuses[http.StatusNoContent]
	if won != 1 || won+statuses[http.StatusConflict]+statuses[http.StatusUnauthorized] != 2 {
		t.Errorf("statuses %v, want one 204 and one error", statuses)
	}
}

func TestConcurrentCreationsWithOneAddressCreateOneUser(t *testing.T) {
	p := newFixture(t)
	statuses := webtest.Concurrently(8, func(i int) int {
		return p.asAdmin().Post("/v1/users", fmt.Sprintf(`{"email":"same@example.com","name":"N%d","role":"user"}`, i)).Status
	})
	if statuses[http.StatusCreated] != 1 || statuses[http.StatusConflict] != 7 {
		t.Errorf("statuses %v, want one 201 and seven 409", statuses)
	}
	p.asAdmin().Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 2)
}
