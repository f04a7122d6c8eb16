package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"portside/local/browser"
)

// testListPages leafs through the lists of users, projects and customers, and compares them with the API.
func testListPages(t *testing.T, p *testStack, page *browser.Page) {
	root := p.admin(t)
	for i := range 53 {
		root.Post("/v1/projects", fmt.Sprintf(`{"name":"Project number %d"}`, i)).WantStatus(http.StatusCreated)
		p.createCustomer(t, fmt.Sprintf(`{"name":"Customer number %d","slug":"customer-%d"}`, i, i))
	}
	for _, list := range []struct{ path, value string }{{"users", "email"}, {"projects", "name"}, {"customers", "name"}} {
		total := root.Get("/v1/" + list.path).Number("pagination.total")
		second := root.Get("/v1/" + list.path + "?limit=50&offset=50")
		row := browser.Row(second.Text("data.0." + list.value))
		page.Open("/portal/" + list.path)
		page.WaitText(fmt.Sprintf("1–50 of %d", total))
		page.WaitGone(row)
		page.Click(browser.Button("Next"))
		page.WaitURL("/portal/" + list.path + "?offset=50")
		page.WaitFor(row)
		page.WaitText(fmt.Sprintf("51–%d of %d", min(100, total), total))
		if rows, want := browser.Eval[int](page, `document.querySelectorAll("main tbody tr").length`), len(second.List("data")); rows != want {
			t.Errorf("the second page of %s has %d rows, want %d", list.path, rows, want)
		}
		page.Reload()
		page.WaitFor(row)
		page.Click(browser.Button("Previous"))
		page.WaitText(fmt.Sprintf("1–50 of %d", total))
		page.WaitGone(row)
		page.Back()
		page.WaitFor(row)
	}
}

func testProjectPages(t *testing.T, p *testStack, page *browser.Page) {
	page.Open("/portal/projects")
	page.WaitText("No projects yet")
	page.Axe()
	page.Click(browser.Link("Create project"))
	page.Fill("Name", "Rollout")
	page.Click(browser.Button("Add a member"))
	picker := page.Within(browser.Dialog("Choose a user"))
	picker.Fill("Find by email address", "katherine@example.com")
	page.Press("Enter")
	picker.WaitGone(browser.Row(firstAdmin))
	page.Axe()
	picker.Click(browser.Button("Choose katherine@example.com"))
	page.Select("Role of katherine@example.com", "Editor")
	before := countPosts(page, "/v1/projects")
	browser.Eval[bool](page, doubleClick)
	page.WaitFor(browser.Heading("Rollout"))
	if sent := countPosts(page, "/v1/projects") - before; sent != 1 {
		t.Errorf("a double click sent %d requests", sent)
	}
	page.WaitFor(browser.Link("katherine@example.com"))
	page.Axe()
	list := p.admin(t).Get("/v1/projects").WantValue("pagination.total", 1)
	at := "/v1/projects/" + list.Text("data.0.id")
	member := strings.TrimPrefix(p.userPath(t, "katherine@example.com"), "/v1/users/")
	p.admin(t).Get(at).WantValue("data.members", []any{map[string]any{"userId": member, "role": "editor"}})

	page.Fill("Description (optional)", "Mine")
	p.admin(t).Put(at, `{"description":"Theirs","status":"on_hold"}`).WantStatus(http.StatusOK)
	page.Click(browser.Button("Save"))
	page.WaitText("Description: (empty) → Theirs. The form still has your value")
	page.Click(browser.Button("Save"))
	page.WaitText("Saved.")
	p.admin(t).Get(at).WantValue("data.description", "Mine").WantValue("data.status", "on_hold")

	page.Click(browser.Button("Archive"))
	page.Within(browser.Dialog("Archive Rollout?")).Click(browser.Button("Archive"))
	page.WaitGone(browser.Button("Archive"))
	p.admin(t).Get("/v1/projects?status=archived").WantValue("pagination.total", 1)
	page.Open("/portal/projects")
	page.Select("Status", "Draft")
	page.WaitText("No project matches these filters")
	page.Select("Status", "Archived")
	page.Click(browser.Link("Rollout"))
	page.Click(browser.Button("Delete project"))
	page.Within(browser.Dialog("Delete Rollout?")).Click(browser.Button("Delete project"))
	page.WaitURL("/portal/projects")
	p.admin(t).Get(at).WantStatus(http.StatusNotFound)
}
