package administration

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

func TestCreateCustomerPage(t *testing.T) {
	p, page := visitAsAdmin(t)
	page.Open("/portal/customers")
	page.Click(browser.Link("Create customer"))
	page.Fill("Name", "Crème & Söhne")
	if slug := page.Value("Slug"); slug != "creme-sohne" {
		t.Errorf("the form suggests the slug %q", slug)
	}
	page.Fill("Slug", p.Name("acme"))
	page.Fill("Name", "Acme Shipping")
	page.Fill("Limit of users (optional)", "2")
	page.Fill("Requests per minute (optional)", "6000")
	page.Click(browser.Button("Add a contact"))
	page.Fill("Contact 1: Email address", "Ada@Acme.example")
	page.Axe()
	e2etest.DoubleClick(t, page, "/v1/customers", func() { page.WaitFor(browser.Heading("Acme Shipping")) })
	page.WaitText("0 of at most 2")
	page.WaitText("The customer has no users.")
	page.Axe()
	p.Admin(t).Get("/v1/"+strings.TrimPrefix(page.URL(), p.Info.Portal+"/portal/")).WantValue("data.slug", p.Name("acme")).
		WantValue("data.limits.users", 2).WantValue("data.limits.requestsPerMinute", 6000).
		WantValue("data.contacts", []any{map[string]any{"name": "", "email": "ada@acme.example", "role": ""}})
}

// visitCustomer creates a customer, whose name only this test uses, and opens its page as an admin.
func visitCustomer(t *testing.T, fields ...string) (p *e2etest.Stack, page *browser.Page, at string) {
	t.Helper()
	p, page = visitAsAdmin(t)
	at = "/v1/customers/" + p.CreateCustomer(t, p.Word("Acme"), "acme", fields...)
	page.Open(e2etest.PortalPath(at))
	e2etest.Ready(page)
	return p, page, at
}

// TestTwoAdminsChangeACustomer changes the customer whose page is open, while another admin changes it.
func TestTwoAdminsChangeACustomer(t *testing.T) {
	p, page, at := visitCustomer(t, `"limits":{"users":2,"requestsPerMinute":6000}`)
	page.Allow("412 PUT /v1/customers/")
	page.Fill("Limit of users (optional)", "")
	page.Fill("External ID (optional)", "C-1815")
	p.Admin(t).Put(at, `{"externalId":"C-1","name":"Acme Logistics"}`).WantStatus(http.StatusOK)
	page.Click(browser.Button("Save"))
	page.WaitText("External ID: (empty) → C-1. The form still has your value")
	page.Axe()
	page.Click(browser.Button("Save"))
	page.WaitFor(browser.Heading("Acme Logistics"))
	page.WaitText("Saved.")
	p.Admin(t).Get(at).WantValue("data.externalId", "C-1815").WantValue("data.limits.users", nil).
		WantValue("data.limits.requestsPerMinute", 6000).WantValue("data.name", "Acme Logistics")
	p.CreateCustomer(t, "Bolt", "bolt")
	page.Allow("409 PUT /v1/customers/")
	page.Fill("Slug", p.Name("bolt"))
	page.Click(browser.Button("Save"))
	page.WaitText("Another customer has this slug.")
}

// TestAddUserOfCustomer adds a user on the page of the customer.
func TestAddUserOfCustomer(t *testing.T) {
	p, page, at := visitCustomer(t)
	acme, id := p.Word("Acme"), strings.TrimPrefix(at, "/v1/customers/")
	page.Click(browser.Link("Add a user"))
	page.WaitURL("/portal/users/new?customer=" + id)
	page.Within(browser.Role("group", "Customer")).WaitText(acme)
	page.Fill("Email address", p.Email("boss"))
	page.Fill("Name", "Boss of Acme")
	page.Select("Role", "Admin")
	page.Check("Send an activation email", false)
	page.Click(browser.Button("Create user"))
	page.WaitFor(browser.Heading("Boss of Acme"))
	p.Admin(t).Get(p.Users.Path(t, "boss")).WantValue("data.customerId", id)
	page.Click(browser.Link(acme))
	page.WaitURL("/portal/customers/" + id)
	page.WaitFor(browser.Row(p.Email("boss")))
	page.Axe()
}

// TestSuspendCustomerPage suspends the customer of the open page with the button, and with the form.
func TestSuspendCustomerPage(t *testing.T) {
	p, page, at := visitCustomer(t)
	acme := p.Word("Acme")
	boss, key := p.Users.CreateOf(t, strings.TrimPrefix(at, "/v1/customers/"), "boss", "admin")
	page.Click(browser.Button("Suspend"))
	dialog := page.Within(browser.Dialog("Suspend " + acme + "?"))
	dialog.WaitText("API keys, tokens and passwords of its users stop working with the next request")
	page.Axe()
	dialog.Click(browser.Button("Suspend"))
	page.WaitFor(browser.Button("Activate"))
	p.As(t, key).Get(boss).WantStatus(http.StatusUnauthorized)
	page.Click(browser.Button("Activate"))
	page.Within(browser.Dialog("Activate " + acme + "?")).Click(browser.Button("Activate"))
	page.WaitFor(browser.Button("Suspend"))
	p.As(t, key).Get(boss).WantStatus(http.StatusOK)

	page.Select("Status", "Suspended")
	page.Click(browser.Button("Save"))
	dialog = page.Within(browser.Dialog("Suspend " + acme + "?"))
	dialog.Click(browser.Button("Cancel"))
	p.Admin(t).Get(at).WantValue("data.status", "active")
	page.Click(browser.Button("Save"))
	dialog.Click(browser.Button("Suspend"))
	page.WaitFor(browser.Button("Activate"))
	p.Admin(t).Get(at).WantValue("data.status", "suspended")

	page.Open("/portal/customers")
	page.Select("Status", "Suspended")
	page.WaitFor(browser.Link(acme))
	page.Select("Status", "Active")
	page.WaitGone(browser.Link(acme))
}

// TestDeleteCustomerPage deletes the customer of the open page, which has a user first.
func TestDeleteCustomerPage(t *testing.T) {
	p, page, at := visitCustomer(t)
	p.Users.CreateOf(t, strings.TrimPrefix(at, "/v1/customers/"), "boss", "manager")
	page.Allow("409 DELETE /v1/customers/")
	page.Click(browser.Button("Delete customer"))
	dialog := page.Within(browser.Dialog("Delete " + p.Word("Acme") + "?"))
	dialog.Click(browser.Button("Delete customer"))
	dialog.WaitText("The customer still has users.")
	p.Admin(t).Delete(p.Users.Path(t, "boss")).WantStatus(http.StatusNoContent)
	dialog.Click(browser.Button("Delete customer"))
	page.WaitURL("/portal/customers")
	p.Admin(t).Get(at).WantStatus(http.StatusNotFound)
}

// TestMoveUserToCustomer moves a user to a customer and back to the staff, with the dialog that searches customers.
func TestMoveUserToCustomer(t *testing.T) {
	p, page := visitAsAdmin(t)
	bolt := p.CreateCustomer(t, p.Word("Bolt"), "bolt")
	at, _ := p.Users.Create(t, "mover", "user")
	page.Open(e2etest.PortalPath(at))
	field := page.Within(browser.Role("group", "Customer"))
	field.WaitText("None: vendor's staff")
	field.Click(browser.Button("Choose a customer"))
	picker := page.Within(browser.Dialog("Choose a customer"))
	picker.Fill(e2etest.SearchCustomers, "xyzzy")
	picker.WaitText("No results")
	picker.Fill(e2etest.SearchCustomers, p.Word("bol"))
	picker.WaitFor(browser.Row(p.Word("Bolt")))
	page.Axe()
	picker.Click(browser.Button("Choose " + p.Word("Bolt")))
	field.WaitText(p.Word("Bolt"))
	page.Click(browser.Button("Save"))
	page.WaitFor(browser.Link(p.Word("Bolt")))
	p.Admin(t).Get(at).WantValue("data.customerId", bolt)
	page.Axe()
	field.Click(browser.Button("Remove the customer"))
	page.Click(browser.Button("Save"))
	page.WaitGone(browser.Link(p.Word("Bolt")))
	p.Admin(t).Get(at).WantValue("data.customerId", nil)
}

// TestMoveOneselfToCustomer lets an admin of the staff move to a customer.
func TestMoveOneselfToCustomer(t *testing.T) {
	p := e2etest.Shared(t)
	bolt := p.CreateCustomer(t, p.Word("Bolt"), "bolt")
	at, _ := p.Users.Create(t, "leaver", "admin")
	page := p.Portal.VisitAs(t, "leaver")
	page.Open(e2etest.PortalPath(at))
	page.Within(browser.Role("group", "Customer")).Click(browser.Button("Choose a customer"))
	picker := page.Within(browser.Dialog("Choose a customer"))
	picker.Fill(e2etest.SearchCustomers, p.Word("bol"))
	picker.Click(browser.Button("Choose " + p.Word("Bolt")))
	page.Click(browser.Button("Save"))
	dialog := page.Within(browser.Dialog("Change your own customer?"))
	dialog.WaitText("You are signed out at once and lose access to everything outside the customer")
	page.Axe()
	dialog.Click(browser.Button("Change customer"))
	e2etest.WaitSignedOut(page)
	p.Admin(t).Get(at).WantValue("data.customerId", bolt)
}

// TestCompanyPage visits the portal as an admin of a customer, who sees only what belongs to the customer.
func TestCompanyPage(t *testing.T) {
	p := e2etest.Shared(t)
	acme := p.CreateCustomer(t, "Acme Shipping", "acme",
		`"contacts":[{"name":"Ada Byron","email":"ada@acme.example","role":"billing"}]`,
		`"limits":{"users":3,"requestsPerMinute":5000}`)
	at, _ := p.Users.CreateOf(t, acme, "chief", "admin")
	page := p.Portal.VisitAs(t, "chief")
	page.Open("/portal")
	e2etest.Ready(page)
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
	page.Fill("Email address", p.Email("clerk"))
	page.Fill("Name", "Clerk")
	page.Check("Send an activation email", false)
	if page.Count(browser.Role("group", "Customer")) > 0 {
		t.Error("a customer's admin can choose a customer")
	}
	page.Click(browser.Button("Create user"))
	page.WaitFor(browser.Heading("Clerk"))
	p.Admin(t).Get(p.Users.Path(t, "clerk")).WantValue("data.customerId", acme)
	page.Open(e2etest.PortalPath(at))
	page.WaitFor(browser.Button("Save"))
	if page.Count(browser.Role("group", "Customer")) > 0 {
		t.Error("a customer's admin can move users")
	}
	page.Open("/portal/users")
	page.WaitFor(browser.Row(p.Email("clerk")))
	page.WaitGone(browser.Row(e2etest.FirstAdmin))
}
