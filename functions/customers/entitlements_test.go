package main

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/entitlements"
	"portside/shared/testkit/webtest"
)

const charts = `{"artifact":"chart","repository":" acme/* ","versions":" ^1.2.0 ","from":"2026-03-02T10:00:00+01:00",` +
	`"until":"2027-03-02T09:00:00.1234Z"}`

// entitled creates a customer and returns the path of its entitlements.
func (o *fixture) entitled(slug string) string {
	o.tb.Helper()
	return o.create(fmt.Sprintf(`{"name":"Acme","slug":%q}`, slug)) + "/entitlements"
}

// entitle creates an entitlement and returns its path.
func (o *fixture) entitle(list, body string) string {
	o.tb.Helper()
	return list + "/" + o.asAdmin().Post(list, body).WantStatus(http.StatusCreated).Text("data.id")
}

func TestEntitlementIsCreatedUpdatedAndDeleted(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.entitled("acme")
	root.Get(list).WantStatus(http.StatusOK).WantValue("data", []any{}).WantValue("pagination.total", 0)
	created := root.Post(list, charts).WantStatus(http.StatusCreated).WantHeader("ETag", `"1"`).
		WantValue("data.artifact", "chart").WantValue("data.repository", "acme/*").WantValue("data.versions", "^1.2.0").
		WantValue("data.from", "2026-03-02T09:00:00Z").WantValue("data.until", "2027-03-02T09:00:00.123Z").
		WantValue("data.status", "active").
		WantValue("data.createdAt", "2026-03-02T09:00:00Z").WantValue("data.updatedAt", "2026-03-02T09:00:00Z")
	at := list + "/" + created.Text("data.id")
	created.WantHeader("Location", at)
	root.Get(at).WantStatus(http.StatusOK).WantValue("", created.JSON("")).WantHeader("ETag", `"1"`)
	root.Get(list + "/" + strings.ToUpper(created.Text("data.id"))).WantStatus(http.StatusOK)

	o.clock.Advance(time.Hour)
	root.Put(at, `{"artifact":"image","versions":"*","until":null}`).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`).
		WantValue("data.artifact", "image").WantValue("data.repository", "acme/*").WantValue("data.versions", "*").
		WantValue("data.from", "2026-03-02T09:00:00Z").WantValue("data.until", nil).
		WantValue("data.createdAt", "2026-03-02T09:00:00Z").WantValue("data.updatedAt", "2026-03-02T10:00:00Z")
	root.Put(at, `{"versions":"*","from":"2026-03-02T09:00:00.0009Z"}`).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`) // nothing changed
	root.Get(list).WantValue("pagination.total", 1).WantValue("data.0.artifact", "image")

	root.Delete(at).WantStatus(http.StatusNoContent)
	root.Get(at).WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND").
		WantValue("detail", "The entitlement does not exist.")
	root.Put(at, `{"versions":"*"}`).WantStatus(http.StatusNotFound)
	root.Delete(at).WantStatus(http.StatusNotFound)
	root.Get(list).WantValue("pagination.total", 0)
}

func TestEntitlementHasDefaults(t *testing.T) {
	o := newFixture(t)
	list := o.entitled("acme")
	for _, more := range []string{"", `,"versions":null,"from":null,"until":null`} {
		o.asAdmin().Post(list, `{"artifact":"image","repository":"*"`+more+`}`).WantStatus(http.StatusCreated).
			WantValue("data.versions", "*").WantValue("data.from", nil).WantValue("data.until", nil).
			WantValue("data.status", "active")
	}
}

func TestStatusOfEntitlementFollowsTheClock(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.entitled("acme")
	at := o.entitle(list, `{"artifact":"chart","repository":"*","from":"2026-03-02T10:00:00Z","until":"2026-03-02T11:00:00Z"}`)
	for _, status := range []string{"scheduled", "active", "ended"} {
		root.Get(at).WantStatus(http.StatusOK).WantValue("data.status", status).WantHeader("ETag", `"1"`)
		root.Get(list).WantValue("data.0.status", status)
		o.clock.Advance(time.Hour)
	}
	root.Put(at, `{"until":null}`).WantStatus(http.StatusOK).WantValue("data.status", "active")
}

func TestListEntitlementsPages(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.entitled("acme")
	for i := range 7 {
		o.entitle(list, fmt.Sprintf(`{"artifact":"chart","repository":"c%d"}`, i))
	}
	root.Get(list).WantStatus(http.StatusOK).WantValue("pagination", map[string]any{
		"total": 7.0, "limit": 20.0, "offset": 0.0, "hasMore": false, "next": nil,
	}).WantValue("data.0.repository", "c0").WantValue("data.6.repository", "c6")
	root.Get(list+"?limit=3&offset=2").WantStatus(http.StatusOK).WantValue("data.0.repository", "c2").
		WantValue("data.2.repository", "c4").WantValue("data.3", nil).WantValue("pagination.hasMore", true)
	root.Get(list+"?limit=3&offset=4").WantValue("data.2.repository", "c6").WantValue("pagination.hasMore", false)
	root.Get(list+"?offset=9223372036854775807").WantStatus(http.StatusOK).WantValue("data", []any{}).
		WantValue("pagination.hasMore", false)
	root.Get(list+"?limit=0").WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "query/limit")
	root.Get(list+"?artifact=chart").WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "query/artifact")
}

func TestCustomerHasAMaximumOfEntitlements(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.entitled("acme")
	const body = `{"artifact":"chart","repository":"acme/api"}`
	var first string
	for range entitlements.Max - 1 {
		first = o.entitle(list, body)
	}
	last := root.With("Idempotency-Key", "last").Post(list, body).WantStatus(http.StatusCreated)
	root.Post(list, body).WantStatus(http.StatusConflict).WantValue("code", "TOO_MANY_ENTITLEMENTS").
		WantHeader("X-Should-Retry", "false")
	root.With("Idempotency-Key", "last").Post(list, body).WantStatus(http.StatusCreated).
		WantHeader("Idempotency-Replayed", "true").
		WantValue("data.id", last.Text("data.id"))
	root.Get(list+"?limit=100&offset=100").WantValue("pagination.total", entitlements.Max).
		WantValue("pagination.hasMore", false)
	root.Delete(first).WantStatus(http.StatusNoContent)
	root.Post(list, body).WantStatus(http.StatusCreated)
}

func TestEntitlementsOfUnknownCustomer(t *testing.T) {
	o := newFixture(t)
	list := path + "/" + somebody + "/entitlements"
	root, at := o.asAdmin(), list+"/"+somebody
	for _, response := range []webtest.Response{
		root.Get(list), root.Post(list, charts), root.Get(at), root.Put(at, `{"versions":"*"}`), root.Put(at, `{"id":"x"}`),
		root.Delete(at),
	} {
		response.WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND").
			WantValue("detail", "The customer does not exist.")
	}
	root.Get(path+"/1/entitlements").WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "path/customerId")
	root.Get(list+"/1").WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "path/entitlementId")
	root.Do(http.MethodPatch, at, "{}").WantStatus(http.StatusMethodNotAllowed).
		WantHeader("Allow", "DELETE, GET, HEAD, PUT")
}

func TestEntitlementsEndWithTheCustomer(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.entitled("acme")
	at := o.entitle(list, charts)
	root.Delete(strings.TrimSuffix(list, "/entitlements")).WantStatus(http.StatusNoContent)
	root.Get(list).WantStatus(http.StatusNotFound)
	root.Get(at).WantStatus(http.StatusNotFound)
	root.Post(list, charts).WantStatus(http.StatusNotFound)
}

// An entitlement exists only below its customer. The ETag of the customer does not change.
func TestEntitlementBelongsToOneCustomer(t *testing.T) {
	o := newFixture(t)
	root, acme, bolt := o.asAdmin(), o.entitled("acme"), o.entitled("bolt")
	id := strings.TrimPrefix(o.entitle(acme, charts), acme)
	root.Get(bolt + id).WantStatus(http.StatusNotFound)
	root.Put(bolt+id, `{"versions":"*"}`).WantStatus(http.StatusNotFound)
	root.Delete(bolt + id).WantStatus(http.StatusNotFound)
	root.Get(bolt).WantValue("pagination.total", 0)
	root.Get(acme+id).WantStatus(http.StatusOK).WantHeader("ETag", `"1"`)
	root.Get(strings.TrimSuffix(acme, "/entitlements")).WantStatus(http.StatusOK).WantHeader("ETag", `"1"`)
}

func TestUsersOfACustomerReadTheirEntitlements(t *testing.T) {
	o := newFixture(t)
	own, other := o.entitled("acme"), o.entitled("bolt")
	ownAt, otherAt := o.entitle(own, charts), o.entitle(other, charts)
	id := strings.TrimSuffix(strings.TrimPrefix(own, path+"/"), "/entitlements")
	for _, role := range []principal.Role{principal.Viewer, principal.User, principal.Manager, principal.Admin} {
		c := o.withKey(o.userOf(id, string(role)+"@acme.example", role))
		c.Get(own).WantStatus(http.StatusOK).WantValue("pagination.total", 1)
		c.Get(ownAt).WantStatus(http.StatusOK).WantValue("data.repository", "acme/*")
		for _, target := range []string{other, otherAt, path + "/" + somebody + "/entitlements"} {
			c.Get(target).WantStatus(http.StatusNotFound).WantValue("detail", "The customer does not exist.")
		}
		for _, response := range []webtest.Response{
			c.Post(own, charts), c.Put(ownAt, `{"versions":"*"}`), c.Delete(ownAt), c.Post(other, charts), c.Delete(otherAt),
		} {
			response.WantStatus(http.StatusForbidden).WantValue("code", "FORBIDDEN")
		}
	}
	o.asAdmin().Get(ownAt).WantHeader("ETag", `"1"`)
}

func TestEntitlementIfMatch(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.entitled("acme")
	at, other := o.entitle(list, charts), o.entitle(list, charts)
	root.With("If-Match", `"1"`).Put(at, `{"versions":"^2"}`).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`)
	root.With("If-Match", `"1"`).Put(at, `{"versions":"^3"}`).WantStatus(http.StatusPreconditionFailed).
		WantValue("code", "PRECONDITION_FAILED")
	root.With("If-Match", `"1"`).Delete(at).WantStatus(http.StatusPreconditionFailed)
	root.With("If-Match", "abc").Delete(at).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "header/If-Match")
	root.With("If-Match", `"1"`).Put(other, `{"versions":"^2"}`).WantStatus(http.StatusOK) // each entitlement has its own version
	root.With("If-Match", "*").Put(at, `{"versions":"^4"}`).WantStatus(http.StatusOK)
	root.With("If-Match", `"7", "3"`).Delete(at).WantStatus(http.StatusNoContent)
}

// The entitlements of a customer are stored together. Changes at the same time must not undo each other.
func TestConcurrentChangesOfEntitlementsLoseNothing(t *testing.T) {
	o := newFixture(t)
	list := o.entitled("acme")
	at := o.entitle(list, charts)
	statuses := webtest.Concurrently(4, func(i int) int {
		return o.asAdmin().Post(list, fmt.Sprintf(`{"artifact":"chart","repository":"c%d"}`, i)).Status
	})
	if statuses[http.StatusCreated] != 4 {
		t.Errorf("statuses %v, want four 201", statuses)
	}
	o.asAdmin().Get(list).WantValue("pagination.total", 5)
	statuses = webtest.Concurrently(4, func(i int) int {
		return o.asAdmin().With("If-Match", `"1"`).Put(at, fmt.Sprintf(`{"versions":"^%d"}`, i+2)).Status
	})
	if statuses[http.StatusOK] != 1 || statuses[http.StatusPreconditionFailed] != 3 {
		t.Errorf("statuses %v, want one 200 and three 412", statuses)
	}
}

func TestEntitlementIdempotencyKey(t *testing.T) {
	o := newFixture(t)
	acme, bolt := o.entitled("acme"), o.entitled("bolt")
	const body = `{"artifact":"chart","repository":"*","until":"2026-03-02T09:30:00Z"}`
	once := o.asAdmin().With("Idempotency-Key", "order 66")
	first := once.Post(acme, body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	at := acme + "/" + first.Text("data.id")
	o.asAdmin().Put(at, `{"versions":"^9"}`).WantStatus(http.StatusOK)

	o.clock.Advance(time.Hour)
	again := once.Post(acme, body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "true").
		WantHeader("Location", at)
	if !bytes.Equal(again.Body, first.Body) {
		t.Errorf("the replay differs:\n%s\n%s", again.Body, first.Body)
	}
	once.Post(acme, charts).WantStatus(http.StatusUnprocessableEntity).WantValue("code", "IDEMPOTENCY_KEY_REUSED")
	once.Post(bolt, body).WantStatus(http.StatusUnprocessableEntity)
	other := o.withKey(o.user("other@example.com", principal.Manager)).With("Idempotency-Key", "order 66")
	other.Post(acme, body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	o.clock.Advance(23 * time.Hour)
	once.Post(acme, charts).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	o.asAdmin().Get(acme).WantValue("pagination.total", 3)
}

func TestEntitlementRejectsInvalidInput(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.entitled("acme")
	at := o.entitle(list, charts)
	invalid := map[string]string{
		`"artifact":"helm"`: "/artifact", `"artifact":""`: "/artifact", `"artifact":1`: "/artifact",
		`"repository":""`: "/repository", `"repository":"acme*"`: "/repository", `"repository":"/acme"`: "/repository",
		`"repository":"` + strings.Repeat("a", 256) + `"`: "/repository", `"repository":[]`: "/repository",
		`"versions":""`: "/versions", `"versions":" "`: "/versions", `"versions":"latest"`: "/versions", `"versions":"1.2.3.4"`: "/versions",
		`"versions":"` + strings.Repeat("1.0.0,", 17) + `"`: "/versions", `"versions":1.2`: "/versions",
		`"from":""`: "/from", `"from":"2026-04-01"`: "/from", `"from":"2026-04-01T00:00:00"`: "/from", `"from":1775001600`: "/from",
		`"from":"0001-01-01T00:00:00Z"`: "/from", `"from":"1970-01-01T00:00:00Z"`: "/from", `"until":"0001-01-01T00:00:00Z"`: "/until",
		`"until":"9999-12-31T23:59:59-12:00"`: "/until", `"until":"2026-03-02T09:00:00Z","from":"2026-03-02T09:00:00Z"`: "/until",
		`"until":"2026-03-01T09:00:00Z","from":"2026-03-02T09:00:00Z"`: "/until", `"until":"soon"`: "/until",
		`"status":"ended"`: "/status", `"id":"x"`: "/id", `"customerId":"x"`: "/customerId",
	}
	const whole = `{"artifact":"chart","repository":"acme/api"`
	for field, pointer := range invalid {
		name, _, _ := strings.Cut(field, ":")
		created := strings.Replace(whole, name+`:"chart"`, field, 1)
		created = strings.Replace(created, name+`:"acme/api"`, field, 1)
		if created == whole {
			created += "," + field
		}
		for _, response := range []webtest.Response{root.Post(list, created+"}"), root.Put(at, "{"+field+"}")} {
			response.WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR")
			if got := response.Pointers(); !slices.Equal(got, []string{pointer}) {
				t.Errorf("%s %s: pointers %q, want %q", response.Request(), field, got, pointer)
			}
		}
	}
	if got := root.Post(list, `{}`).WantStatus(http.StatusBadRequest).Pointers(); !slices.Equal(got,
		[]string{"/artifact", "/repository"}) {
		t.Errorf("pointers %q", got)
	}
	// The entitlement begins at the time at which it would end.
	root.Put(at, `{"until":"2026-03-02T09:00:00Z"}`).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "/until")
	root.Get(at).WantHeader("ETag", `"1"`)
	root.Get(list).WantValue("pagination.total", 1)
}

func TestEntitlementAcceptsLimits(t *testing.T) {
	o := newFixture(t)
	list := o.entitled("acme")
	for _, body := range []string{
		`{"artifact":"chart","repository":"` + strings.Repeat("a", 255) + `","versions":"` + strings.Repeat("1.0.0,", 15) + `>=1.0.0 "}`,
		`{"artifact":"image","repository":"*","from":"2000-01-01T00:00:00Z","until":"9999-12-31T23:59:59.999Z"}`,
		`{"artifact":"image","repository":"*","until":"2026-03-01T00:00:00Z"}`, // it has ended
	} {
		o.asAdmin().Post(list, body).WantStatus(http.StatusCreated)
	}
}
