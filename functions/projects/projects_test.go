package main

import (
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
)

const engine = `{"name":" Difference Engine ","description":"Tables\nof logarithms","settings":{"seat":12345678901234567890},` +
	`"metadata":{"tags":["a"]}}`

func TestProjectIsCreatedUpdatedAndDeleted(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	ada, _ := o.user("ada@example.com", principal.User)

	created := root.Post("/v1/projects", engine).WantStatus(http.StatusCreated).
		WantValue("data.name", "Difference Engine").WantValue("data.description", "Tables\nof logarithms").
		WantValue("data.status", "draft").
		WantValue("data.ownerId", o.admin.ID).WantValue("data.members", []any{}).WantValue("data.metadata.tags.0", "a").
		WantValue("data.createdAt", "2026-03-02T09:00:00Z").WantValue("data.updatedAt", "2026-03-02T09:00:00Z").
		WantHeader("ETag", `"1"`)
	if !strings.Contains(string(created.Body), "12345678901234567890") {
		t.Errorf("a number lost precision: %s", created.Body)
	}
	at := "/v1/projects/" + created.Text("data.id")
	created.WantHeader("Location", at)
	root.Get(at).WantStatus(http.StatusOK).WantValue("", created.JSON("")).WantHeader("ETag", `"1"`)
	root.Get("/v1/projects/" + strings.ToUpper(created.Text("data.id"))).WantStatus(http.StatusOK)
	root.Post("/v1/projects", engine).WantStatus(http.StatusCreated) // names need not be unique

	o.clock.Advance(time.Hour)
	root.Put(at, fmt.Sprintf(`{"status":"active","ownerId":%q,"members":[{"userId":%q,"role":"editor"}],"settings":{}}`,
		strings.ToUpper(ada.ID), ada.ID)).WantStatus(http.StatusOK).
		WantValue("data.name", "Difference Engine").WantValue("data.status", "active").WantValue("data.ownerId", ada.ID).
		WantValue("data.members", []any{map[string]any{"userId": ada.ID, "role": "editor"}}).
		WantValue("data.settings", map[string]any{}).WantValue("data.metadata.tags.0", "a").
		WantValue("data.updatedAt", "2026-03-02T10:00:00Z").WantValue("data.createdAt", "2026-03-02T09:00:00Z").
		WantHeader("ETag", `"2"`)
	root.Put(at, `{"status":"active","name":"Difference Engine"}`).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`) // nothing changed
	root.Get("/v1/projects?status=active").WantStatus(http.StatusOK).WantValue("pagination.total", 1).
		WantValue("data.0.ownerId", ada.ID)
	root.Get("/v1/projects?status=on_hold").WantStatus(http.StatusOK).WantValue("pagination.total", 0).
		WantValue("data", []any{})
	root.Put(at, `{"members":[],"description":""}`).WantStatus(http.StatusOK).WantValue("data.members", []any{}).
		WantValue("data.description", "")

	root.Delete(at).WantStatus(http.StatusNoContent)
	root.Get(at).WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND")
	root.Put(at, `{"name":"x"}`).WantStatus(http.StatusNotFound)
	root.Delete(at).WantStatus(http.StatusNotFound)
	root.Get("/v1/projects").WantStatus(http.StatusOK).WantValue("pagination.total", 1)
}

func TestListProjectsPages(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	statuses := []string{"draft", "active", "archived"}
	for i := range 7 {
		root.Post("/v1/projects", fmt.Sprintf(`{"name":"P%d","status":%q}`, i, statuses[i%3])).WantStatus(http.StatusCreated)
	}
	root.Get("/v1/projects").WantStatus(http.StatusOK).WantValue("pagination", map[string]any{
		"total": 7.0, "limit": 20.0, "offset": 0.0, "hasMore": false, "next": nil,
	}).WantValue("data.0.name", "P0").WantValue("data.6.name", "P6")
	root.Get("/v1/projects?limit=3&offset=2").WantStatus(http.StatusOK).WantValue("data.0.name", "P2").
		WantValue("data.2.name", "P4").WantValue("data.3", nil).WantValue("pagination.hasMore", true)
	root.Get("/v1/projects?status=draft&limit=2&offset=1").WantStatus(http.StatusOK).WantValue("data.0.name", "P3").
		WantValue("pagination", map[string]any{"total": 3.0, "limit": 2.0, "offset": 1.0, "hasMore": false, "next": nil})
	root.Get("/v1/projects?offset=1000000000000").WantStatus(http.StatusOK).WantValue("data", []any{}).
		WantValue("pagination.hasMore", false)

	listed := root.Get("/v1/projects?limit=1").JSON("data.0").(map[string]any)
	want := []string{"createdAt", "customerId", "description", "id", "name", "ownerId", "status"}
	if got := slices.Sorted(maps.Keys(listed)); !slices.Equal(got, want) {
		t.Errorf("the listed project has the fields %v, want %v", got, want)
	}
}

func TestSearchProjects(t *testing.T) {
	p := newFixture(t)
	root := p.asAdmin()
	engine := root.Post("/v1/projects", `{"name":"Difference Engine"}`).WantStatus(http.StatusCreated).Text("data.id")
	root.Post("/v1/projects", `{"name":"Engine Room"}`).WantStatus(http.StatusCreated)
	root.Get("/v1/projects/search?q=ENG").WantStatus(http.StatusOK).WantValue("data.0.name", "Difference Engine").
		WantValue("data.1.name", "Engine Room").WantValue("pagination.hasMore", false)
	root.Put("/v1/projects/"+engine, `{"name":"Tables"}`).WantStatus(http.StatusOK)
	root.Get("/v1/projects/search?q=diff").WantStatus(http.StatusOK).WantValue("data", []any{})
	root.Delete("/v1/projects/" + engine).WantStatus(http.StatusNoContent)
	root.Get("/v1/projects/search?q=tables").WantStatus(http.StatusOK).WantValue("data", []any{})
	root.Get("/v1/projects/search?q=eng").WantStatus(http.StatusOK).WantValue("data.0.name", "Engine Room")
}

// A replay does not check members again, and a repetition after a day does.
func TestReplayKeepsMembersThatWereDeleted(t *testing.T) {
	o := newFixture(t)
	ada, _ := o.user("ada@example.com", principal.User)
	once := o.asAdmin().With("Idempotency-Key", "order 66")
	body := fmt.Sprintf(`{"name":"A","members":[{"userId":%q,"role":"viewer"}]}`, ada.ID)
	once.Post("/v1/projects", body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	o.deleteUser(ada.ID)
	o.clock.Advance(23 * time.Hour)
	once.Post("/v1/projects", body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "true")
	o.clock.Advance(time.Hour)
	once.Post("/v1/projects", body).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/members/0/userId")
}

func TestNewOwnerAndMembersMustExist(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	ada, _ := o.user("ada@example.com", principal.User)
	const nobody = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"
	root.Post("/v1/projects", fmt.Sprintf(`{"name":"A","ownerId":%q,"members":[{"userId":%q,"role":"owner"},{"userId":%q,"role":"viewer"}]}`,
		nobody, ada.ID, nobody)).WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR").
		WantValue("errors.0.pointer", "/ownerId").WantValue("errors.1.pointer", "/members/1/userId").
		WantValue("errors.2", nil)

	both := fmt.Sprintf(`"ownerId":%q,"members":[{"userId":%q,"role":"owner"}]`, ada.ID, ada.ID)
	at := "/v1/projects/" + root.Post("/v1/projects", `{"name":"A",`+both+`}`).WantStatus(http.StatusCreated).
		Text("data.id")
	root.Put(at, fmt.Sprintf(`{"ownerId":%q}`, nobody)).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "/ownerId")
	root.Get(at).WantHeader("ETag", `"1"`)

	o.deleteUser(ada.ID)
	root.Put(at, `{"name":"B",`+both+`}`).WantStatus(http.StatusOK).WantValue("data.ownerId", ada.ID) // current members need not exist
	root.Put(at, fmt.Sprintf(`{"ownerId":%q,"members":[]}`, o.admin.ID)).WantStatus(http.StatusOK)
	root.Put(at, `{`+both+`}`).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/ownerId").
		WantValue("errors.1.pointer", "/members/0/userId")
}

// TestDayCountsOfProjects checks the day counts that the dashboard reads.
func TestDayCountsOfProjects(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	first := "/v1/projects/" + root.Post("/v1/projects", engine).Text("data.id")
	root.Post("/v1/projects", `{"name":"B","status":"archived"}`).WantStatus(http.StatusCreated)
	o.clock.Advance(24 * time.Hour)
	for _, status := range []string{"active", "archived", "on_hold", "archived"} {
		root.Put(first, `{"status":"`+status+`"}`).WantStatus(http.StatusOK)
	}
	root.Put(first, `{"status":"archived","name":"Still archived"}`).WantStatus(http.StatusOK)
	o.clock.Advance(24 * time.Hour)
	root.Delete(first).WantStatus(http.StatusNoContent)

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
