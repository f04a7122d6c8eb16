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

	"github.com/google/go-cmp/cmp"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/core/calendar"
	"portside/shared/core/principal"
	"portside/shared/testkit/webtest"
)

const engine = `{"name":" Difference Engine ","description":"Tables\nof logarithms","settings":{"seat":12345678901234567890},` +
	`"metadata":{"tags":["a"]}}`

func TestLifeOfAProject(t *testing.T) {
	o := newOffice(t)
	root := o.root()
	ada, _ := o.user("ada@example.com", principal.User)

	created := root.Post("/v1/projects", engine).Is(http.StatusCreated).
		Has("data.name", "Difference Engine").Has("data.description", "Tables\nof logarithms").Has("data.status", "draft").
		Has("data.ownerId", o.admin.ID).Has("data.members", []any{}).Has("data.metadata.tags.0", "a").
		Has("data.createdAt", "2026-03-02T09:00:00Z").Has("data.updatedAt", "2026-03-02T09:00:00Z").HasHeader("ETag", `"1"`)
	if !strings.Contains(string(created.Body), "12345678901234567890") {
		t.Errorf("a number lost digits: %s", created.Body)
	}
	at := "/v1/projects/" + created.Text("data.id")
	created.HasHeader("Location", at)
	root.Get(at).Is(http.StatusOK).Has("", created.JSON("")).HasHeader("ETag", `"1"`)
	root.Get("/v1/projects/" + strings.ToUpper(created.Text("data.id"))).Is(http.StatusOK)
	root.Post("/v1/projects", engine).Is(http.StatusCreated) // names need not differ

	o.clock.Pass(time.Hour)
	root.Put(at, fmt.Sprintf(`{"status":"active","ownerId":%q,"members":[{"userId":%q,"role":"editor"}],"settings":{}}`,
		strings.ToUpper(ada.ID), ada.ID)).Is(http.StatusOK).
		Has("data.name", "Difference Engine").Has("data.status", "active").Has("data.ownerId", ada.ID).
		Has("data.members", []any{map[string]any{"userId": ada.ID, "role": "editor"}}).
		Has("data.settings", map[string]any{}).Has("data.metadata.tags.0", "a").
		Has("data.updatedAt", "2026-03-02T10:00:00Z").Has("data.createdAt", "2026-03-02T09:00:00Z").HasHeader("ETag", `"2"`)
	root.Put(at, `{"status":"active","name":"Difference Engine"}`).Is(http.StatusOK).HasHeader("ETag", `"2"`) // nothing changed
	root.Get("/v1/projects?status=active").Is(http.StatusOK).Has("pagination.total", 1).Has("data.0.ownerId", ada.ID)
	root.Get("/v1/projects?status=on_hold").Is(http.StatusOK).Has("pagination.total", 0).Has("data", []any{})
	root.Put(at, `{"members":[],"description":""}`).Is(http.StatusOK).Has("data.members", []any{}).Has("data.description", "")

	root.Delete(at).Is(http.StatusNoContent)
	root.Get(at).Is(http.StatusNotFound).Has("code", "NOT_FOUND")
	root.Put(at, `{"name":"x"}`).Is(http.StatusNotFound)
	root.Delete(at).Is(http.StatusNotFound)
	root.Get("/v1/projects").Is(http.StatusOK).Has("pagination.total", 1)
}

func TestPages(t *testing.T) {
	o := newOffice(t)
	root := o.root()
	statuses := []string{"draft", "active", "archived"}
	for i := range 7 {
		root.Post("/v1/projects", fmt.Sprintf(`{"name":"P%d","status":%q}`, i, statuses[i%3])).Is(http.StatusCreated)
	}
	root.Get("/v1/projects").Is(http.StatusOK).Has("pagination", map[string]any{
		"total": 7.0, "limit": 20.0, "offset": 0.0, "hasMore": false,
	}).Has("data.0.name", "P0").Has("data.6.name", "P6")
	root.Get("/v1/projects?limit=3&offset=2").Is(http.StatusOK).Has("data.0.name", "P2").
		Has("data.2.name", "P4").Has("data.3", nil).Has("pagination.hasMore", true)
	root.Get("/v1/projects?status=draft&limit=2&offset=1").Is(http.StatusOK).Has("data.0.name", "P3").
		Has("pagination", map[string]any{"total": 3.0, "limit": 2.0, "offset": 1.0, "hasMore": false})
	root.Get("/v1/projects?offset=1000000000000").Is(http.StatusOK).Has("data", []any{}).Has("pagination.hasMore", false)

	listed := root.Get("/v1/projects?limit=1").JSON("data.0").(map[string]any)
	want := []string{"createdAt", "description", "id", "name", "ownerId", "status"}
	if got := slices.Sorted(maps.Keys(listed)); !slices.Equal(got, want) {
		t.Errorf("the list form has %v, want %v", got, want)
	}
}

func TestPermissions(t *testing.T) {
	o := newOffice(t)
	at := "/v1/projects/" + o.root().Post("/v1/projects", engine).Text("data.id")
	_, manager := o.user("manager@example.com", principal.Manager)
	_, user := o.user("user@example.com", principal.User)
	_, viewer := o.user("viewer@example.com", principal.Viewer)

	v := o.as(viewer)
	v.Get("/v1/projects").Is(http.StatusOK)
	v.Get(at).Is(http.StatusOK)
	v.Post("/v1/projects", `{`).Is(http.StatusForbidden).Has("code", "FORBIDDEN") // who may not, learns nothing of the body
	v.Put(at, `{"name":"x"}`).Is(http.StatusForbidden)
	v.Delete(at).Is(http.StatusForbidden)

	u := o.as(user)
	u.Post("/v1/projects", engine).Is(http.StatusCreated)
	u.Put(at, `{"name":"x"}`).Is(http.StatusOK)
	u.Delete(at).Is(http.StatusForbidden)
	o.as(manager).Delete(at).Is(http.StatusNoContent)
	for _, answer := range []webtest.Answer{
		o.visitor().Get("/v1/projects"), o.visitor().Post("/v1/projects", engine), o.visitor().Get(at),
		o.visitor().Put(at, `{}`), o.visitor().Delete(at),
	} {
		answer.Is(http.StatusUnauthorized).Has("code", "UNAUTHORIZED")
	}
}

func TestIfMatch(t *testing.T) {
	o := newOffice(t)
	root := o.root()
	at := "/v1/projects/" + root.Post("/v1/projects", engine).Text("data.id")
	root.With("If-Match", `"1"`).Put(at, `{"name":"B"}`).Is(http.StatusOK).HasHeader("ETag", `"2"`)
	root.With("If-Match", `"1"`).Put(at, `{"name":"C"}`).Is(http.StatusPreconditionFailed).Has("code", "PRECONDITION_FAILED")
	root.With("If-Match", `"1"`).Delete(at).Is(http.StatusPreconditionFailed)
	root.With("If-Match", "abc").Put(at, `{"name":"C"}`).Is(http.StatusBadRequest).Has("errors.0.pointer", "header/If-Match")
	root.With("If-Match", "*").Put(at, `{"name":"D"}`).Is(http.StatusOK)
	root.With("If-Match", `"7", "3"`).Delete(at).Is(http.StatusNoContent)
}

func TestLostUpdateIsRefused(t *testing.T) {
	o := newOffice(t)
	at := "/v1/projects/" + o.root().Post("/v1/projects", engine).Text("data.id")
	statuses := webtest.AtOnce(6, func(i int) int {
		return o.root().With("If-Match", `"1"`).Put(at, fmt.Sprintf(`{"name":"N%d"}`, i)).Status
	})
	if statuses[http.StatusOK] != 1 || statuses[http.StatusPreconditionFailed] != 5 {
		t.Errorf("statuses %v, want one 200 and five 412", statuses)
	}
	statuses = webtest.AtOnce(6, func(i int) int { return o.root().Put(at, fmt.Sprintf(`{"description":"D%d"}`, i)).Status })
	if statuses[http.StatusOK] != 6 {
		t.Errorf("statuses %v, want six 200 where nobody asked for a version", statuses)
	}
	o.root().Get(at).HasHeader("ETag", `"8"`)
}

func TestIdempotencyKey(t *testing.T) {
	o := newOffice(t)
	ada, _ := o.user("ada@example.com", principal.User)
	once := o.root().With("Idempotency-Key", "order 66")
	body := fmt.Sprintf(`{"name":"A","members":[{"userId":%q,"role":"viewer"}]}`, ada.ID)
	first := once.Post("/v1/projects", body).Is(http.StatusCreated).HasHeader("Idempotency-Replayed", "")
	at := "/v1/projects/" + first.Text("data.id")
	o.root().Put(at, `{"name":"Changed"}`).Is(http.StatusOK)

	again := once.Post("/v1/projects", body).Is(http.StatusCreated).HasHeader("Idempotency-Replayed", "true").HasHeader("Location", at)
	if !bytes.Equal(again.Body, first.Body) {
		t.Errorf("the replay differs:\n%s\n%s", again.Body, first.Body)
	}
	once.Post("/v1/projects", `{"name":"B"}`).Is(http.StatusUnprocessableEntity).Has("code", "UNPROCESSABLE")
	_, other := o.user("other@example.com", principal.Manager)
	o.as(other).With("Idempotency-Key", "order 66").Post("/v1/projects", body).Is(http.StatusCreated).
		HasHeader("Idempotency-Replayed", "") // keys belong to their caller

	o.dismiss(ada.ID)
	o.root().Delete(at).Is(http.StatusNoContent)
	o.clock.Pass(23 * time.Hour)
	once.Post("/v1/projects", body).Is(http.StatusCreated).HasHeader("Idempotency-Replayed", "true")
	o.clock.Pass(time.Hour)
	once.Post("/v1/projects", body).Is(http.StatusBadRequest).Has("errors.0.pointer", "/members/0/userId")
	once.Post("/v1/projects", `{"name":"B"}`).Is(http.StatusCreated).HasHeader("Idempotency-Replayed", "")
	o.root().With("Idempotency-Key", "k\x00").Post("/v1/projects", engine).Is(http.StatusBadRequest).
		Has("errors.0.pointer", "header/Idempotency-Key")
}

func TestIdempotencyKeyUnderConcurrency(t *testing.T) {
	o := newOffice(t)
	statuses := webtest.AtOnce(6, func(int) int {
		a := o.root().With("Idempotency-Key", "k").Post("/v1/projects", engine)
		if a.Header.Get("Idempotency-Replayed") == "true" {
			return -a.Status
		}
		return a.Status
	})
	if statuses[http.StatusCreated] != 1 || statuses[-http.StatusCreated] != 5 {
		t.Errorf("answers %v, want one 201 and five replays of it", statuses)
	}
	o.root().Get("/v1/projects").Has("pagination.total", 1)
}

func TestPeopleMustExistWhenTheyAreNamed(t *testing.T) {
	o := newOffice(t)
	root := o.root()
	ada, _ := o.user("ada@example.com", principal.User)
	const nobody = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"
	root.Post("/v1/projects", fmt.Sprintf(`{"name":"A","ownerId":%q,"members":[{"userId":%q,"role":"owner"},{"userId":%q,"role":"viewer"}]}`,
		nobody, ada.ID, nobody)).Is(http.StatusBadRequest).Has("code", "VALIDATION_ERROR").
		Has("errors.0.pointer", "/ownerId").Has("errors.1.pointer", "/members/1/userId").Has("errors.2", nil)

	both := fmt.Sprintf(`"ownerId":%q,"members":[{"userId":%q,"role":"owner"}]`, ada.ID, ada.ID)
	at := "/v1/projects/" + root.Post("/v1/projects", `{"name":"A",`+both+`}`).Is(http.StatusCreated).Text("data.id")
	root.Put(at, fmt.Sprintf(`{"ownerId":%q}`, nobody)).Is(http.StatusBadRequest).Has("errors.0.pointer", "/ownerId")
	root.Get(at).HasHeader("ETag", `"1"`)

	o.dismiss(ada.ID)
	root.Put(at, `{"name":"B",`+both+`}`).Is(http.StatusOK).Has("data.ownerId", ada.ID) // who was named before stays
	root.Put(at, fmt.Sprintf(`{"ownerId":%q,"members":[]}`, o.admin.ID)).Is(http.StatusOK)
	root.Put(at, `{`+both+`}`).Is(http.StatusBadRequest).Has("errors.0.pointer", "/ownerId").Has("errors.1.pointer", "/members/0/userId")
}

// TestDays checks what the dashboard will read: who is what in the evening, and what happened on the day.
func TestDays(t *testing.T) {
	o := newOffice(t)
	root := o.root()
	first := "/v1/projects/" + root.Post("/v1/projects", engine).Text("data.id")
	root.Post("/v1/projects", `{"name":"B","status":"archived"}`).Is(http.StatusCreated)
	o.clock.Pass(24 * time.Hour)
	for _, status := range []string{"active", "archived", "on_hold", "archived"} {
		root.Put(first, `{"status":"`+status+`"}`).Is(http.StatusOK)
	}
	root.Put(first, `{"status":"archived","name":"Still archived"}`).Is(http.StatusOK)
	o.clock.Pass(24 * time.Hour)
	root.Delete(first).Is(http.StatusNoContent)

	today := calendar.DayOf(o.clock.Now())
	counts, err := analyticsdynamo.New(o.client, o.analytics).Counts(t.Context(), today-2, today)
	if err != nil {
		t.Fatal(err)
	}
	for day, want := range map[calendar.Day]analytics.Counters{
		today - 2: {"projects": 2, "project:draft": 1, "project:archived": 1, "created": 2, "archived": 1},
		today - 1: {"project:draft": -1, "project:archived": 1, "archived": 2},
		today:     {"projects": -1, "project:archived": -1},
	} {
		got := analytics.Counters{}
		for name, n := range counts.Changes[day] {
			if n != 0 && !strings.HasPrefix(name, "user") && !strings.HasPrefix(name, "role") {
				got[name] = n
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", day, diff)
		}
	}
}
