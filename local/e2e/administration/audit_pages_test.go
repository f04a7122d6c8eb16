package administration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// auditedPortal is a stack with changes, whose audit log is open in a browser.
type auditedPortal struct {
	*e2etest.Stack

	page         *browser.Page
	acme, member string // IDs
	ada          string // name of the member
}

// visitAudit makes changes of a customer and of its manager, whose audit log an admin has open.
func visitAudit(t *testing.T) auditedPortal {
	t.Helper()
	p, page := visitAsAdmin(t)
	a := auditedPortal{Stack: p, page: page, acme: p.CreateCustomer(t, "Acme Shipping", "acme"),
		ada: p.Word("Ada") + " =Byron"}
	at, _ := p.Users.CreateOf(t, a.acme, "ada", "manager")
	a.member = e2etest.UserID(at)
	p.Admin(t).Put(at, `{"name":"`+a.ada+`","department":"Ships"}`).WantStatus(http.StatusOK)
	return a
}

// TestAuditTable follows the link of a user's page to the changes of this user, and from there back to the user.
func TestAuditTable(t *testing.T) {
	a := visitAudit(t)
	page := a.page
	page.Open("/portal/users/" + a.member)
	page.Click(browser.Link("Changes"))
	page.WaitURL("/portal/audit?target=user:" + a.member)
	page.WaitFor(browser.Heading("Audit"))
	page.WaitText("user.update")
	page.WaitText("department: Ships")
	page.WaitText(a.ada)
	e2etest.Ready(page)
	page.Axe()
	page.Open("/portal/audit?action=user.update&target=user:" + a.member)
	page.Click(browser.Link(a.Email("ada")))
	page.WaitFor(browser.Heading(a.ada))
	page.Open("/portal/customers/" + a.acme)
	e2etest.Ready(page)
	page.Click(browser.Link("Changes"))
	page.WaitURL("/portal/audit?customerId=" + a.acme)
	page.WaitText("customer.create")
	page.WaitText("Acme Shipping") // the name of the filter
}

func TestAuditFilters(t *testing.T) {
	a := visitAudit(t)
	page := a.page
	page.Open("/portal/audit")
	e2etest.Ready(page)
	page.Select("Action", "Customer: all actions")
	page.Click(browser.Button("Find"))
	page.WaitURL("/portal/audit?action=customer.*")
	page.WaitText("customer.create")
	page.WaitNoText("user.update\t")
	page.Click(browser.Button("Choose: Changed by"))
	dialog := page.Within(browser.Dialog("Choose a user"))
	dialog.Fill("Find by email address", a.Email("ada"))
	page.Press("Enter")
	dialog.Click(browser.Button("Choose " + a.ada))
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

// rename gives the customer 110 other names, which are two pages of the API.
func (a auditedPortal) rename(t *testing.T) {
	t.Helper()
	for n := range 110 {
		a.Admin(t).Put("/v1/customers/"+a.acme, fmt.Sprintf(`{"name":"Acme Shipping %d"}`, n)).WantStatus(http.StatusOK)
	}
}

func TestAuditFile(t *testing.T) {
	a := visitAudit(t)
	a.rename(t)
	page := a.page
	page.Open("/portal/audit?target=customer:" + a.acme)
	e2etest.Ready(page)
	name, content := page.Download(func() { page.Click(browser.Button("Download as CSV")) })
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if name != "audit.csv" || len(lines) != 112 || strings.Count(string(content), "actorKind") != 1 {
		t.Errorf("%s has %d lines: %s", name, len(lines), lines[0])
	}
}

// TestAuditByKeyboard opens the differences of a creation, which are folded, without the mouse.
func TestAuditByKeyboard(t *testing.T) {
	a := visitAudit(t)
	page := a.page
	page.Open("/portal/audit?action=user.create&target=user:" + a.member)
	page.WaitText("fields")
	e2etest.Ready(page)
	page.WaitNoText("email: " + a.Email("ada"))
	for range 60 {
		if page.Press("Tab"); strings.Contains(page.Focused().Name, "fields") {
			break
		}
	}
	page.Press("Enter")
	page.WaitText("email: " + a.Email("ada"))
	page.Axe()
}

func TestAuditPages(t *testing.T) {
	a := visitAudit(t)
	a.rename(t)
	page := a.page
	page.Open("/portal/audit?target=customer:" + a.acme)
	page.WaitText("Acme Shipping 109")
	page.Click(browser.Button("Next"))
	page.WaitText("Acme Shipping 50")
	page.WaitNoText("Acme Shipping 109")
	page.Click(browser.Button("First page"))
	page.WaitText("Acme Shipping 109")
}

// TestAuditOfCustomer checks that a manager of the customer sees the vendor's changes without the vendor's people.
func TestAuditOfCustomer(t *testing.T) {
	a := visitAudit(t)
	page := a.Portal.VisitAs(t, "ada")
	page.Open("/portal/audit?target=user:" + a.member)
	page.WaitText("Vendor staff")
	page.WaitText("department: Ships")
	e2etest.Ready(page)
	page.WaitNoText(e2etest.FirstAdmin)
	page.WaitNoText("All customers")
	page.Axe()
}

func TestViewersSeeNoAudit(t *testing.T) {
	a := visitAudit(t)
	page := a.Portal.VisitAsNew(t, "viewer", "viewer")
	page.Open("/portal/users/" + a.member)
	e2etest.Ready(page)
	if n := page.Count(browser.Link("Changes")); n != 0 {
		t.Errorf("a viewer has %d links to the audit log", n)
	}
	page.Open("/portal/audit")
	page.WaitText("You do not have access to this page")
}
