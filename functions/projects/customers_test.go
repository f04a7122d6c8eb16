package main

import (
	"fmt"
	"net/http"
	"testing"

	"portside/shared/core/principal"
)

const (
	acme = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e22"
	bolt = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e23"
)

// To a user of a customer, whatever the role, only the projects of the same customer exist. Nobody of a customer
// changes a project.
//
//proves:docs/security.md
func TestCustomersReadTheirProjects(t *testing.T) {
	o := newFixture(t)
	o.customer(acme)
	o.customer(bolt)
	create := func(customerID, name, status string) string {
		body := fmt.Sprintf(`{"name":%q,"status":%q,"customerId":%q,"settings":{"a":1},"metadata":{"b":2}}`, name, status,
			customerID)
		if customerID == "" {
			body = fmt.Sprintf(`{"name":%q,"status":%q}`, name, status)
		}
		return "/v1/projects/" + o.asAdmin().Post("/v1/projects", body).WantStatus(http.StatusCreated).Text("data.id")
	}
	own, archived, other, vendor := create(acme, "Loom", "active"), create(acme, "Mill", "archived"),
		create(bolt, "Lathe", "active"),
		create("", "Lens", "active")
	for _, role := range principal.Roles() {
		_, key := o.userOf(acme, string(role)+"@acme.example", role)
		member := o.withKey(key)
		for query, total := range map[string]int{
			"": 2, "?status=active": 1, "?customerId=" + acme: 2, "?customerId=" + acme + "&status=archived": 1,
			"?customerId=" + bolt: 0,
			"?status=draft":       0,
		} {
			member.Get("/v1/projects"+query).WantStatus(http.StatusOK).WantValue("pagination.total", total)
		}
		member.Get("/v1/projects").WantValue("data.0.name", "Loom").WantValue("data.1.name", "Mill").
			WantValue("data.0.customerId", acme)
		member.Get("/v1/projects/search?q=l").WantStatus(http.StatusOK).WantValue("data.0.name", "Loom").
			WantValue("data.1", nil)
		member.Get("/v1/projects/search?q=l&customerId="+bolt).WantStatus(http.StatusOK).WantValue("data", []any{})
		member.Get(own).WantStatus(http.StatusOK).WantValue("data.settings", map[string]any{}).
			WantValue("data.metadata", map[string]any{})
		member.Get(archived).WantStatus(http.StatusOK)
		for _, hidden := range []string{other, vendor} {
			member.Get(hidden).WantStatus(http.StatusNotFound).WantValue("detail", "The project does not exist.")
		}
		member.Post("/v1/projects", `{"name":"Mine"}`).WantStatus(http.StatusForbidden)
		member.Put(own, `{"name":"Mine"}`).WantStatus(http.StatusForbidden)
		member.Delete(own).WantStatus(http.StatusForbidden)
	}
	o.asAdmin().Get(own).WantValue("data.name", "Loom").WantValue("data.settings.a", 1)
}

// The staff gives a project to a customer, moves it and takes it back. Lists and searches follow at once.
func TestProjectsMoveBetweenCustomers(t *testing.T) {
	o := newFixture(t)
	o.customer(acme)
	o.customer(bolt)
	root := o.asAdmin()
	at := "/v1/projects/" + root.Post("/v1/projects", `{"name":"Loom"}`).WantStatus(http.StatusCreated).
		WantValue("data.customerId", nil).Text("data.id")
	for _, to := range []string{acme, bolt, ""} {
		body := `{"customerId":null}`
		if to != "" {
			body = fmt.Sprintf(`{"customerId":%q}`, to)
		}
		root.Patch(at, body).WantStatus(http.StatusOK)
		for _, id := range []string{acme, bolt} {
			total := map[bool]int{true: 1}[id == to]
			root.Get("/v1/projects?status=draft&customerId="+id).WantStatus(http.StatusOK).WantValue("pagination.total", total)
			found := root.Get("/v1/projects/search?q=loom&customerId=" + id).WantStatus(http.StatusOK).JSON("data").([]any)
			if len(found) != total {
				t.Errorf("with customer %q, the search of %s finds %v", to, id, found)
			}
		}
	}
	root.Get("/v1/projects?status=draft").WantValue("pagination.total", 1)
}

func TestCustomerOfProjectMustExist(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	at := "/v1/projects/" + root.Post("/v1/projects", `{"name":"Loom"}`).WantStatus(http.StatusCreated).Text("data.id")
	for _, id := range []string{acme, "acme"} {
		body := fmt.Sprintf(`{"name":"A","customerId":%q}`, id)
		root.Post("/v1/projects", body).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/customerId")
		root.Put(at, body).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/customerId")
	}
	root.Get(at).WantHeader("ETag", `"1"`)
	root.Get("/v1/projects?customerId=acme").WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "query/customerId")
}
