package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portside/local/browser"
)

// Texts of an attacker. Browsers must show the first unchanged. The API must refuse the second, which reverses the direction of the
// text after it.
const (
	hostileText     = `<img src=x onerror="document.title='owned'">{{constructor.constructor('document.title=1')()}}${7*7}=1+1`
	directionalText = "gpj.\u202efdp"
)

// wantInert fails if a text became elements of the page or ran as a script.
func wantInert(t *testing.T, page *browser.Page) {
	t.Helper()
	if count := browser.Eval[int](page, `document.querySelectorAll("main img, main b, main i, main script, main iframe").length`); count != 0 {
		t.Errorf("%s has %d elements of a text", page.URL(), count)
	}
	if title := browser.Eval[string](page, "document.title"); !strings.HasSuffix(title, "· Portside") {
		t.Errorf("%s has the title %q", page.URL(), title)
	}
}

// testHostileUser writes texts of an attacker into all fields of a user.
func testHostileUser(t *testing.T, p *testStack, page *browser.Page) {
	const name = `<img src=x onerror=alert(1)>{{7*7}}${7*7}</script><b>`
	page.Open("/portal/users/new")
	page.Fill("Email address", "mallory@example.com")
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
	page.Open("/portal/users?q=mallory@example.com")
	page.Click(browser.Link(name))
	page.WaitFor(browser.Heading(name))
	wantInert(t, page)
	p.admin(t).Get(p.userPath(t, "mallory@example.com")).
		WantValue("data.metadata.__proto__.x", 1).WantValue("data.metadata.constructor", "<b>")
}

// testHostileProject writes the texts into all fields of a project.
func testHostileProject(t *testing.T, p *testStack, page *browser.Page) {
	page.Allow("400 POST /v1/projects")
	page.Open("/portal/projects/new")
	page.Fill("Name", directionalText)
	page.Click(browser.Button("Create project"))
	page.WaitText("must not contain control, formatting or line-separating characters")
	page.Fill("Name", hostileText)
	page.Fill("Description (optional)", directionalText)
	page.Click(browser.Button("Create project"))
	page.WaitText("readable characters")
	page.Fill("Description (optional)", hostileText)
	settings := page.Within(browser.Role("group", "Settings (optional)"))
	settings.Click(browser.Button("Add a value"))
	page.Fill("Settings: key 1", "<b>key")
	page.Fill("Settings: value 1", hostileText)
	page.Click(browser.Button("Create project"))
	page.WaitFor(browser.Heading(hostileText))
	ready(page)
	wantInert(t, page)
	for _, size := range []browser.Size{browser.Phone, browser.Desktop} {
		page.Resize(size)
		if wide := page.Overflow(); len(wide) > 0 {
			t.Errorf("at %v, the project is too wide: %q", size, wide)
		}
	}
	id := p.admin(t).Get("/v1/projects").WantValue("data.0.name", hostileText).Text("data.0.id")
	p.admin(t).Get("/v1/projects/"+id).WantValue("data.settings", map[string]any{"<b>key": hostileText})
	page.Open("/portal/projects")
	page.WaitFor(browser.Link(hostileText))
	wantInert(t, page)
	p.admin(t).Delete("/v1/projects/" + id).WantStatus(http.StatusNoContent)
}

// testHostileCustomer writes the texts into all fields of a customer.
func testHostileCustomer(t *testing.T, p *testStack, page *browser.Page) {
	page.Allow("400 POST /v1/customers")
	page.Open("/portal/customers/new")
	page.Fill("Name", directionalText)
	page.Fill("Slug", hostileText)
	page.Fill("External ID (optional)", directionalText)
	page.Fill("Limit of users (optional)", "1e3")
	page.Click(browser.Button("Create customer"))
	page.WaitText("Limit of users: must be a whole number, or empty for no limit")
	page.Fill("Limit of users (optional)", "")
	page.Click(browser.Button("Create customer"))
	page.WaitText("must not contain control, formatting or line-separating characters")
	page.Fill("Name", hostileText)
	page.Fill("Slug", "mallory")
	page.Fill("External ID (optional)", hostileText)
	page.Click(browser.Button("Add a contact"))
	page.Fill("Contact 1: Name", hostileText)
	page.Fill("Contact 1: Email address", "nonsense")
	page.Fill("Contact 1: Responsible for", "<b>bills")
	page.Click(browser.Button("Create customer"))
	page.WaitText("Contact 1: Email address: must be an e-mail address")
	page.Axe()
	page.Fill("Contact 1: Email address", "mallory@example.com")
	page.Click(browser.Button("Create customer"))
	page.WaitFor(browser.Heading(hostileText))
	ready(page)
	wantInert(t, page)
	for _, size := range []browser.Size{browser.Phone, browser.Desktop} {
		page.Resize(size)
		if wide := page.Overflow(); len(wide) > 0 {
			t.Errorf("at %v, the customer is too wide: %q", size, wide)
		}
	}
	id := p.admin(t).Get("/v1/customers").WantValue("data.0.name", hostileText).Text("data.0.id")
	p.createUserOf(t, id, "mallory-of@example.com", "viewer")
	for _, path := range []string{
		"/portal/customers", "/portal/users/new?customer=" + id, portalPath(p.userPath(t, "mallory-of@example.com")),
	} {
		page.Open(path)
		page.WaitText(hostileText)
		wantInert(t, page)
	}
	member := p.visitAs(t, "mallory-of@example.com")
	member.Open("/portal/company")
	member.WaitText(hostileText)
	wantInert(t, member)
	p.admin(t).Delete(p.userPath(t, "mallory-of@example.com")).WantStatus(http.StatusNoContent)
	p.admin(t).Delete("/v1/customers/" + id).WantStatus(http.StatusNoContent)
}

// testHostileSearches writes the texts into search fields, and opens the addresses of these searches.
func testHostileSearches(t *testing.T, page *browser.Page) {
	page.Allow("400 GET ")
	for _, search := range []struct{ path, label string }{
		{"/portal/users", searchUsers},
		{"/portal/projects", searchProjects},
		{"/portal/customers", searchCustomers},
		{"/portal/charts", "Part of the name"},
		{"/portal/images", "Part of the name"},
	} {
		for _, text := range []string{hostileText, directionalText} {
			page.Open(search.path + "?q=" + url.QueryEscape(text))
			ready(page)
			if typed := page.Value(search.label); typed != text {
				t.Errorf("%s: the field has %q, want %q", search.path, typed, text)
			}
			wantInert(t, page)
			page.Fill(search.label, text+"2")
			page.Press("Enter")
			page.WaitUntil("the search", `new URLSearchParams(location.search).get("q") === `+quoteJS(t, text+"2"))
			ready(page)
			wantInert(t, page)
		}
	}
}

// testHostileNames gives an API key and a passkey the names of an attacker.
func testHostileNames(t *testing.T, p *testStack) {
	const email, name = "eve@example.com", `<img src=x onerror=alert(1)>{{7*7}}${7*7}=1`
	p.createUser(t, email, "user")
	page := p.visit(t)
	page.VirtualAuthenticator()
	p.signIn(t, page, email)
	page.Allow("400 POST /v1/")
	page.Open("/portal/account")
	ready(page)
	page.Click(browser.Button("Create API key"))
	page.Fill("Name", directionalText)
	page.Press("Enter")
	page.WaitText("must not contain control, formatting")
	page.Fill("Name", name)
	page.Press("Enter")
	page.WaitFor(browser.Heading("The API key is ready"))
	p.secrets.add(page.Value("API key"))
	page.Click(browser.Button("I have saved the key"))
	page.WaitFor(browser.Row(name))
	page.Click(browser.Button("Add a passkey"))
	page.Fill("Name", directionalText)
	page.Press("Enter")
	page.WaitText("must not contain control, formatting")
	page.Press("Escape")
	wantInert(t, page)
}
