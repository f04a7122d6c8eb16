package administration

import (
	"net/url"
	"path"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// TestHostileUser writes texts of an attacker into all fields of a user.
//
//proves:docs/security.md
func TestHostileUser(t *testing.T) {
	p, page := visitAsAdmin(t)
	const name = `<img src=x onerror=alert(1)>{{7*7}}${7*7}</script><b>`
	page.Allow("400 POST /v1/users")
	page.Open("/portal/users/new")
	page.Fill("Email address", p.Email("mallory"))
	page.Fill("Name", "\u202egro.live")
	page.Check("Send an activation email", false)
	page.Click(browser.Button("Create user"))
	page.WaitText("must not contain control, formatting or line-separating characters")
	page.Fill("Name", name)
	page.Fill("Department (optional)", name)
	page.Click(browser.Button("Edit as JSON"))
	page.Fill("Metadata as JSON", `{"__proto__":{"x":1},"constructor":"<b>"}`)
	page.Click(browser.Button("Create user"))
	page.WaitFor(browser.Heading(name))
	page.Open("/portal/users?q=" + p.Email("mallory"))
	page.Click(browser.Link(name))
	page.WaitFor(browser.Heading(name))
	e2etest.WantInert(t, page)
	p.Admin(t).Get(p.Users.Path(t, "mallory")).
		WantValue("data.metadata.__proto__.x", 1).WantValue("data.metadata.constructor", "<b>")
}

// TestHostileProject writes the texts into all fields of a project.
//
//proves:docs/security.md
func TestHostileProject(t *testing.T) {
	p, page := visitAsAdmin(t)
	name := p.Word("Mallory ") + e2etest.HostileText
	page.Allow("400 POST /v1/projects")
	page.Open("/portal/projects/new")
	page.Fill("Name", e2etest.DirectionalText)
	page.Click(browser.Button("Create project"))
	page.WaitText("must not contain control, formatting or line-separating characters")
	page.Fill("Name", name)
	page.Fill("Description (optional)", e2etest.DirectionalText)
	page.Click(browser.Button("Create project"))
	page.WaitText("readable characters")
	page.Fill("Description (optional)", e2etest.HostileText)
	settings := page.Within(browser.Role("group", "Settings (optional)"))
	settings.Click(browser.Button("Add a value"))
	page.Fill("Settings: key 1", "<b>key")
	page.Fill("Settings: value 1", e2etest.HostileText)
	page.Click(browser.Button("Create project"))
	page.WaitFor(browser.Heading(name))
	e2etest.Ready(page)
	e2etest.WantInert(t, page)
	e2etest.FitsWindow(t, page)
	at := "/v1/" + strings.TrimPrefix(page.URL(), p.Info.Portal+"/portal/")
	p.Admin(t).Get(at).WantValue("data.name", name).
		WantValue("data.settings", map[string]any{"<b>key": e2etest.HostileText})
	page.Open("/portal/projects?q=" + p.Word("mallory"))
	page.WaitFor(browser.Link(name))
	e2etest.WantInert(t, page)
}

// TestHostileCustomer writes the texts into all fields of a customer.
//
//proves:docs/security.md
func TestHostileCustomer(t *testing.T) {
	p, page := visitAsAdmin(t)
	page.Allow("400 POST /v1/customers")
	page.Open("/portal/customers/new")
	page.Fill("Name", e2etest.DirectionalText)
	page.Fill("Slug", e2etest.HostileText)
	page.Fill("External ID (optional)", e2etest.DirectionalText)
	page.Fill("Limit of users (optional)", "1e3")
	page.Click(browser.Button("Create customer"))
	page.WaitText("Limit of users: must be a whole number, or empty for no limit")
	page.Fill("Limit of users (optional)", "")
	page.Click(browser.Button("Create customer"))
	page.WaitText("must not contain control, formatting or line-separating characters")
	page.Fill("Name", e2etest.HostileText)
	page.Fill("Slug", p.Name("mallory"))
	page.Fill("External ID (optional)", e2etest.HostileText)
	page.Click(browser.Button("Add a contact"))
	page.Fill("Contact 1: Name", e2etest.HostileText)
	page.Fill("Contact 1: Email address", "nonsense")
	page.Fill("Contact 1: Responsible for", "<b>bills")
	page.Click(browser.Button("Create customer"))
	page.WaitText("Contact 1: Email address: must be an email address")
	page.Axe()
	page.Fill("Contact 1: Email address", "mallory@example.com")
	page.Click(browser.Button("Create customer"))
	page.WaitFor(browser.Heading(e2etest.HostileText))
	e2etest.Ready(page)
	e2etest.WantInert(t, page)
	e2etest.FitsWindow(t, page)
	id := path.Base(page.URL())
	p.Users.CreateOf(t, id, "mallory-of", "viewer")
	for _, path := range []string{
		"/portal/customers?q=" + p.Name("mallory"), "/portal/users/new?customer=" + id,
		e2etest.PortalPath(p.Users.Path(t, "mallory-of")),
	} {
		page.Open(path)
		page.WaitText(e2etest.HostileText)
		e2etest.WantInert(t, page)
	}
	member := p.Portal.VisitAs(t, "mallory-of")
	member.Open("/portal/company")
	member.WaitText(e2etest.HostileText)
	e2etest.WantInert(t, member)
}

// TestHostileSearches writes the texts into search fields, and opens the addresses of these searches.
func TestHostileSearches(t *testing.T) {
	_, page := visitAsAdmin(t)
	page.Allow("400 GET ")
	for _, search := range []struct{ path, label string }{
		{"/portal/users", e2etest.SearchUsers},
		{"/portal/projects", e2etest.SearchProjects},
		{"/portal/customers", e2etest.SearchCustomers},
		{"/portal/charts", "Part of the name"},
		{"/portal/images", "Part of the name"},
	} {
		t.Run(search.path, func(t *testing.T) {
			for _, text := range []string{e2etest.HostileText, e2etest.DirectionalText} {
				page.Open(search.path + "?q=" + url.QueryEscape(text))
				e2etest.Ready(page)
				if typed := page.Value(search.label); typed != text {
					t.Errorf("the field has %q, want %q", typed, text)
				}
				e2etest.WantInert(t, page)
				page.Fill(search.label, text+"2")
				page.Press("Enter")
				page.WaitUntil("the search", `new URLSearchParams(location.search).get("q") === `+e2etest.QuoteJS(t, text+"2"))
				e2etest.Ready(page)
				e2etest.WantInert(t, page)
			}
		})
	}
}
