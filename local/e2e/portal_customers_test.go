package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/local/browser"
)

func testCustomerPages(t *testing.T, p *testStack, page *browser.Page) {
	page.Open("/portal/customers")
	page.WaitText("No customers yet")
	page.Axe()
	page.Click(browser.Link("Create customer"))
	page.Fill("Name", "Crème & Söhne")
	if slug := page.Value("Slug"); slug != "creme-sohne" {
		t.Errorf("the form suggests the slug %q", slug)
	}
	page.Fill("Slug", "acme")
	page.Fill("Name", "Acme Shipping")
	page.Fill("Limit of users (optional)", "2")
	page.Fill("Requests per minute (optional)", "6000")
	page.Click(browser.Button("Add a contact"))
	page.Fill("Contact 1: Email address", "Ada@Acme.example")
	page.Axe()
	before := countPosts(page, "/v1/customers")
	browser.Eval[bool](page, doubleClick)
	page.WaitFor(browser.Heading("Acme Shipping"))
	if sent := countPosts(page, "/v1/customers") - before; sent != 1 {
		t.Errorf("a double click sent %d requests", sent)
	}
	page.WaitText("0 of at most 2")
	page.WaitText("The customer has no users.")
	page.Axe()
	id := p.admin(t).Get("/v1/customers").WantValue("pagination.total", 1).Text("data.0.id")
	at := "/v1/customers/" + id
	p.admin(t).Get(at).WantValue("data.slug", "acme").WantValue("data.limits.users", 2).
		WantValue("data.limits.requestsPerMinute", 6000).
		WantValue("data.contacts", []any{map[string]any{"name": "", "email": "ada@acme.example", "role": ""}})
	testChangeCustomer(t, p, page, at)
	testUsersOfCustomer(t, p, page, id)
	testSuspendCustomer(t, p, page, id)
	testDeleteCustomer(t, p, page, at)
}

// testChangeCustomer changes the customer whose page is open, while somebody else changes it.
func testChangeCustomer(t *testing.T, p *testStack, page *browser.Page, at string) {
	t.Helper()
	page.Allow("412 PUT /v1/customers/")
	page.Fill("Limit of users (optional)", "")
	page.Fill("External ID (optional)", "C-1815")
	p.admin(t).Put(at, `{"externalId":"C-1","name":"Acme Logistics"}`).WantStatus(http.StatusOK)
	page.Click(browser.Button("Save"))
	page.WaitText("External ID: (empty) → C-1. The form still has your value")
	page.Axe()
	page.Click(browser.Button("Save"))
	page.WaitFor(browser.Heading("Acme Logistics"))
	page.WaitText("Saved.")
	p.admin(t).Get(at).WantValue("data.externalId", "C-1815").WantValue("data.limits.users", nil).
		WantValue("data.limits.requestsPerMinute", 6000).WantValue("data.name", "Acme Logistics")
	p.createCustomer(t, `{"name":"Bolt","slug":"bolt"}`)
	page.Allow("409 PUT /v1/customers/")
	page.Fill("Slug", "bolt")
	page.Click(browser.Button("Save"))
	page.WaitText("Another customer has this slug.")
	page.Fill("Slug", "acme")
}

// testUsersOfCustomer adds a user on the page of the customer.
func testUsersOfCustomer(t *testing.T, p *testStack, page *browser.Page, id string) {
	t.Helper()
	page.Click(browser.Link("Add a user"))
	page.WaitURL("/portal/users/new?customer=" + id)
	page.Within(browser.Role("group", "Customer")).WaitText("Acme Logistics")
	page.Fill("Email address", "boss@acme.example")
	page.Fill("Name", "Boss of Acme")
	page.Select("Role", "Admin")
	page.Check("Send an activation email", false)
	page.Click(browser.Button("Create user"))
	page.WaitFor(browser.Heading("Boss of Acme"))
	p.admin(t).Get(p.userPath(t, "boss@acme.example")).WantValue("data.customerId", id)
	page.Click(browser.Link("Acme Logistics"))
	page.WaitURL("/portal/customers/" + id)
	page.WaitFor(browser.Row("boss@acme.example"))
	page.Axe()
}

// testSuspendCustomer suspends the customer of the open page with the button, and with the form.
func testSuspendCustomer(t *testing.T, p *testStack, page *browser.Page, id string) {
	t.Helper()
	at := "/v1/customers/" + id
	boss := p.userPath(t, "boss@acme.example")
	key := p.admin(t).Post(boss+"/api-keys", `{"name":"test"}`).WantStatus(http.StatusCreated).Text("data.key")
	page.Click(browser.Button("Suspend"))
	dialog := page.Within(browser.Dialog("Suspend Acme Logistics?"))
	dialog.WaitText("API keys, tokens and passwords of its users stop working with the next request")
	page.Axe()
	dialog.Click(browser.Button("Suspend"))
	page.WaitFor(browser.Button("Activate"))
	p.anonymous(t).as(key).Get(boss).WantStatus(http.StatusUnauthorized)
	page.Click(browser.Button("Activate"))
	page.Within(browser.Dialog("Activate Acme Logistics?")).Click(browser.Button("Activate"))
	page.WaitFor(browser.Button("Suspend"))
	p.anonymous(t).as(key).Get(boss).WantStatus(http.StatusOK)

	page.Select("Status", "Suspended")
	page.Click(browser.Button("Save"))
	dialog = page.Within(browser.Dialog("Suspend Acme Logistics?"))
	dialog.Click(browser.Button("Cancel"))
	p.admin(t).Get(at).WantValue("data.status", "active")
	page.Click(browser.Button("Save"))
	dialog.Click(browser.Button("Suspend"))
	page.WaitFor(browser.Button("Activate"))
	p.admin(t).Get(at).WantValue("data.status", "suspended")

	page.Open("/portal/customers")
	page.WaitText("2 customers")
	page.Select("Status", "Active")
	page.WaitText("1 customer")
	page.WaitGone(browser.Link("Acme Logistics"))
	page.Select("Status", "Suspended")
	page.Click(browser.Link("Acme Logistics"))
}

// testDeleteCustomer deletes the customer of the open page, which has a user first.
func testDeleteCustomer(t *testing.T, p *testStack, page *browser.Page, at string) {
	t.Helper()
	page.Allow("409 DELETE /v1/customers/")
	page.Click(browser.Button("Delete customer"))
	dialog := page.Within(browser.Dialog("Delete Acme Logistics?"))
	dialog.Click(browser.Button("Delete customer"))
	dialog.WaitText("The customer still has users.")
	p.admin(t).Delete(p.userPath(t, "boss@acme.example")).WantStatus(http.StatusNoContent)
	dialog.Click(browser.Button("Delete customer"))
	page.WaitURL("/portal/customers")
	p.admin(t).Get(at).WantStatus(http.StatusNotFound)
}

// testCustomerOfUser moves a user to a customer and back to the staff, with the dialog that searches customers.
func testCustomerOfUser(t *testing.T, p *testStack, page *browser.Page) {
	at, _ := p.createUser(t, "mover@example.com", "user")
	page.Open(portalPath(at))
	field := page.Within(browser.Role("group", "Customer"))
	field.WaitText("None: vendor's staff")
	field.Click(browser.Button("Choose a customer"))
	picker := page.Within(browser.Dialog("Choose a customer"))
	picker.WaitFor(browser.Row("Bolt"))
	page.Axe()
	picker.Fill(searchCustomers, "xyzzy")
	picker.WaitText("No results")
	picker.Fill(searchCustomers, "bol")
	picker.Click(browser.Button("Choose Bolt"))
	field.WaitText("Bolt")
	page.Click(browser.Button("Save"))
	page.WaitFor(browser.Link("Bolt"))
	bolt := p.admin(t).Get("/v1/customers/search?q=bolt").Text("data.0.id")
	p.admin(t).Get(at).WantValue("data.customerId", bolt)
	page.Axe()
	field.Click(browser.Button("Remove the customer"))
	page.Click(browser.Button("Save"))
	page.WaitGone(browser.Link("Bolt"))
	p.admin(t).Get(at).WantValue("data.customerId", nil)
	testMoveOneself(t, p, bolt)
}

// testMoveOneself lets an admin of the staff move to a customer.
func testMoveOneself(t *testing.T, p *testStack, bolt string) {
	t.Helper()
	at, _ := p.createUser(t, "leaver@example.com", "admin")
	page := p.visitAs(t, "leaver@example.com")
	page.Open(portalPath(at))
	page.Within(browser.Role("group", "Customer")).Click(browser.Button("Choose a customer"))
	page.Within(browser.Dialog("Choose a customer")).Click(browser.Button("Choose Bolt"))
	page.Click(browser.Button("Save"))
	dialog := page.Within(browser.Dialog("Change your own customer?"))
	dialog.WaitText("You are signed out at once and lose access to everything outside the customer")
	page.Axe()
	page.Allow("401 GET")
	dialog.Click(browser.Button("Change customer"))
	page.WaitFor(browser.Heading("Sign in"))
	p.admin(t).Get(at).WantValue("data.customerId", bolt)
}

// testCompany visits the portal as an admin of a customer, who sees only what belongs to the customer.
func testCompany(t *testing.T, p *testStack) {
	acme := p.createCustomer(t, `{"name":"Acme Shipping","slug":"acme",
		"contacts":[{"name":"Ada Byron","email":"ada@acme.example","role":"billing"}],
		"limits":{"users":3,"requestsPerMinute":5000}}`)
	at := p.createUserOf(t, acme, "chief@acme.example", "admin")
	page := p.visitAs(t, "chief@acme.example")
	page.Open("/portal")
	ready(page)
	menu := browser.Eval[[]string](page, `[...document.querySelectorAll("nav.menu a")].map(a => a.innerText)`)
	for _, hidden := range []string{"Dashboard", "Approvals", "Customers"} {
		if slices.Contains(menu, hidden) {
			t.Errorf("a customer's admin sees %s in the menu %q", hidden, strings.Join(menu, ", "))
		}
	}
	page.Click(browser.Link("Company"))
	page.WaitText("Acme Shipping")
	page.WaitText("1 of at most 3")
	page.WaitText("5,000")
	page.WaitText("Ada Byron · ada@acme.example (billing)")
	page.Axe()
	for _, path := range []string{
		"/portal/dashboard", "/portal/projects/new", "/portal/approvals", "/portal/customers", "/portal/customers/" + acme,
	} {
		page.Open(path)
		page.WaitText("This page is only for the vendor's staff.")
	}
	page.Open("/portal/users/new")
	page.Fill("Email address", "clerk@acme.example")
	page.Fill("Name", "Clerk")
	page.Check("Send an activation email", false)
	if page.Count(browser.Role("group", "Customer")) > 0 {
		t.Error("a customer's admin can choose a customer")
	}
	page.Click(browser.Button("Create user"))
	page.WaitFor(browser.Heading("Clerk"))
	p.admin(t).Get(p.userPath(t, "clerk@acme.example")).WantValue("data.customerId", acme)
	page.Open(portalPath(at))
	page.WaitFor(browser.Button("Save"))
	if page.Count(browser.Role("group", "Customer")) > 0 {
		t.Error("a customer's admin can move users")
	}
	page.Open("/portal/users")
	page.WaitFor(browser.Row("clerk@acme.example"))
	page.WaitGone(browser.Row(firstAdmin))
}
