package e2e

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"

	"portside/local/browser"
)

// auditedPortal is a stack with changes, whose audit log is open in a browser.
type auditedPortal struct {
	*testStack

	page         *browser.Page
	acme, member string // IDs
}

// TestPortalAuditLog looks in a browser at who changed what.
func TestPortalAuditLog(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	a := &auditedPortal{testStack: p, acme: p.createCustomer(t, `{"name":"Acme Shipping","slug":"acme"}`)}
	a.member = path.Base(p.createUserOf(t, a.acme, "ada@acme.example", "manager"))
	p.createUser(t, "viewer@example.com", "viewer")
	p.admin(t).Put("/v1/users/"+a.member, `{"name":"Ada =Byron","department":"Ships"}`).WantStatus(http.StatusOK)
	a.page = p.visitAs(t, firstAdmin)
	t.Run("differences and links", func(*testing.T) { testAuditTable(a) })
	t.Run("filters", func(*testing.T) { testAuditFilters(a) })
	t.Run("file", func(t *testing.T) { testAuditFile(t, a) })
	t.Run("by keyboard", func(*testing.T) { testAuditByKeyboard(a) })
	t.Run("pages", func(*testing.T) { testAuditPages(a) })
	t.Run("the customer's user", func(t *testing.T) { testAuditOfCustomer(t, a) })
	t.Run("without the permission", func(t *testing.T) { testAuditOfViewer(t, a) })
	p.checkNoSecretsLeaked(t)
}

// testAuditTable follows the link of a user's page to the changes of this user, and from there back to the user.
func testAuditTable(a *auditedPortal) {
	page := a.page
	page.Open("/portal/users/" + a.member)
	page.Click(browser.Link("Changes"))
	page.WaitURL("/portal/audit?target=user:" + a.member)
	page.WaitFor(browser.Heading("Audit"))
	page.WaitText("user.update")
	page.WaitText("department: Ships")
	page.WaitText("Ada =Byron")
	ready(page)
	page.Axe()
	page.Open("/portal/audit?action=user.update&target=user:" + a.member)
	page.Click(browser.Link("ada@acme.example"))
	page.WaitFor(browser.Heading("Ada =Byron"))
	page.Open("/portal/customers/" + a.acme)
	ready(page)
	page.Click(browser.Link("Changes"))
	page.WaitURL("/portal/audit?customerId=" + a.acme)
	page.WaitText("customer.create")
	page.WaitText("Acme Shipping") // the name of the filter
}

func testAuditFilters(a *auditedPortal) {
	page := a.page
	page.Open("/portal/audit")
	ready(page)
	page.Select("Action", "Customer: all actions")
	page.Click(browser.Button("Find"))
	page.WaitURL("/portal/audit?action=customer.*")
	page.WaitText("customer.create")
	page.WaitNoText("user.update\t")
	page.Click(browser.Button("Choose: Changed by"))
	dialog := page.Within(browser.Dialog("Choose a user"))
	dialog.Click(browser.Button("Choose Ada =Byron"))
	page.Click(browser.Button("Find"))
	page.WaitText("No changes found")
	page.Axe()
	page.Click(browser.Button("Remove: Changed by"))
	page.Fill("From day (UTC)", "2020-01-01")
	page.Fill("To day (UTC)", "2020-01-31")
	page.Click(browser.Button("Find"))
	page.WaitURL("/portal/audit?action=customer.*&from=2020-01-01&to=2020-01-31")
	page.WaitText("No changes found")
	page.Allow("400 GET /v1/audit")
	page.Fill("Changed resource", "house:1")
	page.Click(browser.Button("Find"))
	page.WaitText("must be a kind and an ID")
}

// testAuditFile downloads a list that has two pages of the API.
func testAuditFile(t *testing.T, a *auditedPortal) {
	for n := range 110 {
		a.admin(t).Put("/v1/customers/"+a.acme, fmt.Sprintf(`{"name":"Acme Shipping %d"}`, n)).WantStatus(http.StatusOK)
	}
	page := a.page
	page.Open("/portal/audit?target=customer:" + a.acme)
	ready(page)
	name, content := page.Download(func() { page.Click(browser.Button("Download as CSV")) })
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if name != "audit.csv" || len(lines) != 112 || strings.Count(string(content), "actorKind") != 1 {
		t.Errorf("%s has %d lines: %s", name, len(lines), lines[0])
	}
}

// testAuditByKeyboard opens the differences of a creation, which are folded, without the mouse.
func testAuditByKeyboard(a *auditedPortal) {
	page := a.page
	page.Open("/portal/audit?action=user.create&target=user:" + a.member)
	page.WaitText("fields")
	ready(page)
	page.WaitNoText("email: ada@acme.example")
	for range 60 {
		if page.Press("Tab"); strings.Contains(page.Focused().Name, "fields") {
			break
		}
	}
	page.Press("Enter")
	page.WaitText("email: ada@acme.example")
	page.Axe()
}

func testAuditPages(a *auditedPortal) {
	page := a.page
	page.Open("/portal/audit?target=customer:" + a.acme)
	page.WaitText("Acme Shipping 109")
	page.Click(browser.Button("Next"))
	page.WaitText("Acme Shipping 50")
	page.WaitNoText("Acme Shipping 109")
	page.Click(browser.Button("First page"))
	page.WaitText("Acme Shipping 109")
}

// testAuditOfCustomer checks that a manager of the customer sees the vendor's changes without the vendor's people.
func testAuditOfCustomer(t *testing.T, a *auditedPortal) {
	page := a.visitAs(t, "ada@acme.example")
	page.Open("/portal/audit?target=user:" + a.member)
	page.WaitText("Vendor staff")
	page.WaitText("department: Ships")
	ready(page)
	page.WaitNoText(firstAdmin)
	page.WaitNoText("All customers")
	page.Axe()
}

func testAuditOfViewer(t *testing.T, a *auditedPortal) {
	page := a.visitAs(t, "viewer@example.com")
	page.Open("/portal/users/" + a.member)
	ready(page)
	if n := page.Count(browser.Link("Changes")); n != 0 {
		t.Errorf("a viewer has %d links to the audit log", n)
	}
	page.Open("/portal/audit")
	page.WaitText("You do not have access to this page")
}
