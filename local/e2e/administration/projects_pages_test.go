package administration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// TestPagesOfLists leafs through the lists of users, projects and customers, and compares them with the API.
func TestPagesOfLists(t *testing.T) {
	p := e2etest.Start(t) // no other test adds to the lists
	root := p.Admin(t)
	var file strings.Builder
	file.WriteString("email,name,role\n")
	for i := range 53 {
		root.Post("/v1/projects", fmt.Sprintf(`{"name":"Project number %d"}`, i)).WantStatus(http.StatusCreated)
		p.CreateCustomer(t, fmt.Sprintf("Customer number %d", i), fmt.Sprintf("customer-%d", i))
		fmt.Fprintf(&file, "user%d@example.com,User,user\n", i)
	}
	root.Post("/v1/users/imports",
		fmt.Sprintf(`{"format":"csv","sendActivationEmail":false,"text":%s}`, e2etest.QuoteJS(t, file.String()))).
		WantStatus(http.StatusOK)
	page := p.Portal.VisitAs(t, e2etest.FirstAdmin)
	for _, list := range []struct{ path, value string }{{"users", "email"}, {"projects", "name"}, {"customers", "name"}} {
		t.Run(list.path, func(t *testing.T) {
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
			if rows, want := browser.Eval[int](page, `document.querySelectorAll("main tbody tr").length`),
				len(second.List("data")); rows != want {
				t.Errorf("the second page of %s has %d rows, want %d", list.path, rows, want)
			}
			page.Reload()
			page.WaitFor(row)
			page.Click(browser.Button("Previous"))
			page.WaitText(fmt.Sprintf("1–50 of %d", total))
			page.WaitGone(row)
			page.Back()
			page.WaitFor(row)
		})
	}
}

func TestCreateProjectPage(t *testing.T) {
	p, page := visitAsAdmin(t)
	katherine := p.Email("katherine")
	at, _ := p.Users.Create(t, "katherine", "manager")
	page.Open("/portal/projects")
	page.Click(browser.Link("Create project"))
	page.Fill("Name", "Rollout")
	page.Click(browser.Button("Add a member"))
	picker := page.Within(browser.Dialog("Choose a user"))
	picker.WaitFor(browser.Row(e2etest.FirstAdmin))
	picker.Fill("Find by email address", katherine)
	page.Press("Enter")
	picker.WaitGone(browser.Row(e2etest.FirstAdmin))
	page.Axe()
	picker.Click(browser.Button("Choose " + katherine))
	page.Select("Role of "+katherine, "Editor")
	e2etest.DoubleClick(t, page, "/v1/projects", func() { page.WaitFor(browser.Heading("Rollout")) })
	page.WaitFor(browser.Link(katherine))
	page.Axe()
	p.Admin(t).Get("/v1/"+strings.TrimPrefix(page.URL(), p.Info.Portal+"/portal/")).
		WantValue("data.members", []any{map[string]any{"userId": e2etest.UserID(at), "role": "editor"}})
}

// visitProject creates a project, whose name only this test uses, and opens its page as an admin.
func visitProject(t *testing.T) (p *e2etest.Stack, page *browser.Page, at string) {
	t.Helper()
	p, page = visitAsAdmin(t)
	at = "/v1/projects/" + p.Admin(t).Post("/v1/projects", `{"name":"`+p.Word("Rollout")+`"}`).
		WantStatus(http.StatusCreated).Text("data.id")
	page.Open(e2etest.PortalPath(at))
	e2etest.Ready(page)
	return p, page, at
}

func TestTwoAdminsChangeAProject(t *testing.T) {
	p, page, at := visitProject(t)
	page.Allow("412 PUT /v1/projects/")
	page.Fill("Description (optional)", "Mine")
	p.Admin(t).Put(at, `{"description":"Theirs","status":"on_hold"}`).WantStatus(http.StatusOK)
	page.Click(browser.Button("Save"))
	page.WaitText("Description: (empty) → Theirs. The form still has your value")
	page.Click(browser.Button("Save"))
	page.WaitText("Saved.")
	p.Admin(t).Get(at).WantValue("data.description", "Mine").WantValue("data.status", "on_hold")
}

// TestArchiveAndDeleteProject finds an archived project in the list of the page, and deletes it.
func TestArchiveAndDeleteProject(t *testing.T) {
	p, page, at := visitProject(t)
	rollout := p.Word("Rollout")
	page.Click(browser.Button("Archive"))
	page.Within(browser.Dialog("Archive " + rollout + "?")).Click(browser.Button("Archive"))
	page.WaitGone(browser.Button("Archive"))
	p.Admin(t).Get(at).WantValue("data.status", "archived")
	page.Open("/portal/projects")
	page.Select("Status", "Draft")
	page.WaitGone(browser.Link(rollout))
	page.Select("Status", "Archived")
	page.Click(browser.Link(rollout))
	page.Click(browser.Button("Delete project"))
	page.Within(browser.Dialog("Delete " + rollout + "?")).Click(browser.Button("Delete project"))
	page.WaitURL("/portal/projects")
	p.Admin(t).Get(at).WantStatus(http.StatusNotFound)
}
