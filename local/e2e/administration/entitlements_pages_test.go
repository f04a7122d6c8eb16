package administration

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// customerPart is a part of the page of a new customer, which is open in a browser.
type customerPart struct {
	*e2etest.Stack

	page *browser.Page
	name string
	id   string // of the customer
	at   string // of the part in the API
}

// visitPart opens the page of a new customer as an admin.
func visitPart(t *testing.T, name, path string) customerPart {
	t.Helper()
	p, page, at := visitCustomer(t)
	return customerPart{Stack: p, page: page, name: name, id: strings.TrimPrefix(at, "/v1/customers/"), at: at + path}
}

// open opens the page of the customer.
func (c customerPart) open() {
	c.page.Open("/portal/customers/" + c.id)
	e2etest.Ready(c.page)
}

// section returns the part of the page.
func (c customerPart) section() browser.Scope { return c.page.Within(browser.Role("region", c.name)) }

// list returns everything of the part in the API.
func (c customerPart) list(t *testing.T) e2etest.Response {
	t.Helper()
	return c.Admin(t).Get(c.at + "?limit=100").WantStatus(http.StatusOK)
}

// create creates an entry of the part with the API and returns its path.
func (c customerPart) create(t *testing.T, body string) string {
	t.Helper()
	return c.at + "/" + c.Admin(t).Post(c.at, body).WantStatus(http.StatusCreated).Text("data.id")
}

// wantReadOnly checks that a part of a page has rows with texts, and buttons only to copy.
func wantReadOnly(t *testing.T, page *browser.Page, name string, rows map[string]string) {
	t.Helper()
	e2etest.Ready(page)
	for row, text := range rows {
		page.Within(browser.Role("region", name)).Within(browser.Row(row)).WaitText(text)
	}
	controls := `document.querySelectorAll("section[aria-label='` + name + `'] :is(button:not([aria-label^='Copy:']), a, input)").length`
	if count := browser.Eval[int](page, controls); count > 0 {
		t.Errorf("the part %q has %d controls", name, count)
	}
	page.Axe()
	e2etest.FitsWindow(t, page)
}

// entitlements are those of a customer.
type entitlements struct{ customerPart }

func visitEntitlements(t *testing.T) entitlements {
	t.Helper()
	return entitlements{visitPart(t, "Entitlements", "/entitlements")}
}

// createTwo creates an active entitlement and one that has ended, and loads the page again.
func (c entitlements) createTwo(t *testing.T) {
	t.Helper()
	c.create(t, `{"artifact":"chart","repository":"acme/api","versions":"^1.2.0","until":"2099-04-02T00:00:00Z"}`)
	c.create(t, `{"artifact":"image","repository":"*","until":"2020-03-01T00:00:00Z"}`)
	c.open()
}

// twoEntitlements are the rows of createTwo.
var twoEntitlements = map[string]string{"acme/api": "Active", "Ended": "Until Feb 29, 2020"}

// startAdding opens the form of a new entitlement.
func (c entitlements) startAdding() browser.Scope {
	c.section().Click(browser.Button("Add entitlement"))
	dialog := c.page.Within(browser.Dialog("Add entitlement"))
	dialog.WaitText("The exact name, such as api or acme/api")
	return dialog
}

// wantInvalid checks which fields of the open form show an error, and that screen readers read it with the field.
func wantInvalid(t *testing.T, page *browser.Page, want ...string) {
	t.Helper()
	const invalid = `[...document.querySelectorAll("dialog [aria-invalid=true]")].filter(e => e.ariaDescribedByElements.some(
		d => d.matches(".error") && d.innerText !== "")).map(e => e.name)`
	page.WaitUntil("the errors", `document.querySelector("dialog .problem") !== null`)
	if got := browser.Eval[[]string](page, invalid); !slices.Equal(got, want) {
		t.Errorf("the fields %q have errors, want %q", got, want)
	}
}

func TestNoEntitlements(t *testing.T) {
	c := visitEntitlements(t)
	c.section().WaitText("This customer cannot fetch anything yet.")
	c.section().WaitText("Add an entitlement for what it has bought.")
	c.page.Axe()
	reader := c.Portal.VisitAsNew(t, "reader", "viewer")
	reader.Open("/portal/customers/" + c.id)
	reader.WaitText("This customer cannot fetch anything yet.")
	e2etest.Ready(reader)
	reader.WaitNoText("Add an entitlement")
	c.Users.CreateOf(t, c.id, "clerk", "viewer")
	member := c.Portal.VisitAs(t, "clerk")
	member.Open("/portal/company")
	own := member.Within(browser.Role("region", "What you may pull"))
	own.WaitText("Your company cannot pull anything yet.")
	own.WaitText("Ask the vendor.")
	member.Axe()
}

// TestRejectedEntitlement fills in what the API or the form refuses.
func TestRejectedEntitlement(t *testing.T) {
	c := visitEntitlements(t)
	page, dialog := c.page, c.startAdding()
	page.Allow("400 POST /v1/customers/")
	if versions := dialog.Value("Versions"); versions != "*" {
		t.Errorf("a new entitlement has the versions %q", versions)
	}
	dialog.Click(browser.Button("Add entitlement"))
	dialog.WaitText("must be the name of a chart or repository")
	wantInvalid(t, page, "repository")
	dialog.Fill("Repository", "acme/**")
	dialog.Fill("Versions", e2etest.HostileText)
	dialog.Click(browser.Button("Add entitlement"))
	dialog.WaitText("must be a constraint of semantic versions")
	wantInvalid(t, page, "repository", "versions")
	page.Axe()
	dialog.Fill("Versions", "")
	dialog.Click(browser.Button("Add entitlement"))
	dialog.WaitText("must not be empty; * stands for all versions")
	wantInvalid(t, page, "versions")
	dialog.Fill("Repository", "acme/*")
	dialog.Fill("Versions", "*")
	dialog.Fill("Valid from (optional)", "2099-04-02")
	dialog.Fill("Valid until (optional)", "2099-04-01")
	dialog.Click(browser.Button("Add entitlement"))
	dialog.WaitText("must be after from")
	wantInvalid(t, page, "until")
	dialog.Fill("Valid until (optional)", "")
	dialog.Fill("Valid from (optional)", "")
	e2etest.TabTo(t, page, "Valid until")
	page.Type("04") // the month, without which the entitlement would have no end
	dialog.Click(browser.Button("Add entitlement"))
	dialog.WaitText("must be a complete date")
	wantInvalid(t, page, "until")
	page.Press("Escape")
	page.WaitGone(browser.Dialog("Add entitlement"))
	c.list(t).WantValue("pagination.total", 0)
}

func TestAddEntitlement(t *testing.T) {
	c := visitEntitlements(t)
	dialog := c.startAdding()
	dialog.Fill("Repository", "acme/*")
	dialog.Fill("Versions", "^1.2.0")
	dialog.Fill("Valid from (optional)", "2099-04-01")
	dialog.Fill("Valid until (optional)", "2099-04-01") // one day
	c.page.Axe()
	e2etest.DoubleClick(t, c.page, c.at, func() { c.page.WaitText("The entitlement Chart acme/* ^1.2.0 was added.") })
	row := c.section().Within(browser.Row("acme/*"))
	row.WaitText("Apr 1, 2099 – Apr 1, 2099")
	row.WaitText("Scheduled")
	c.list(t).WantValue("pagination.total", 1).WantValue("data.0.artifact", "chart").
		WantValue("data.0.repository", "acme/*").
		WantValue("data.0.versions", "^1.2.0").WantValue("data.0.from", "2099-04-01T00:00:00Z").
		WantValue("data.0.until", "2099-04-02T00:00:00Z")

	dialog = c.startAdding()
	dialog.Select("Artifact", "Image")
	dialog.Fill("Repository", "*")
	dialog.Fill("Valid until (optional)", "2020-02-29")
	lost := c.page.Network.LoseResponses("*" + c.at)
	dialog.Click(browser.Button("Add entitlement"))
	dialog.WaitText("The request may have succeeded.")
	lost()
	dialog.Click(browser.Button("Add entitlement"))
	row = c.section().Within(browser.Row("Ended"))
	row.WaitText("Image")
	row.WaitText("All")
	row.WaitText("Until Feb 29, 2020")
	c.list(t).WantValue("pagination.total", 2).WantValue("data.1.from", nil).
		WantValue("data.1.until", "2020-03-01T00:00:00Z")
	e2etest.Ready(c.page)
	c.page.Axe()
}

func TestEditEntitlement(t *testing.T) {
	c := visitEntitlements(t)
	c.create(t, `{"artifact":"chart","repository":"acme/*","versions":"^1.2.0","from":"2099-04-01T00:00:00Z","until":"2099-04-02T00:00:00Z"}`)
	c.open()
	c.page.Click(browser.Button("Edit the entitlement Chart acme/* ^1.2.0"))
	dialog := c.page.Within(browser.Dialog("Edit entitlement"))
	wantFields(t, dialog, map[string]string{
		"Artifact": "chart", "Repository": "acme/*", "Versions": "^1.2.0", "Valid from (optional)": "2099-04-01", "Valid until (optional)": "2099-04-01",
	})
	c.page.Axe()
	c.page.Allow("400 PUT /v1/customers/")
	dialog.Fill("Repository", "acme/")
	dialog.Click(browser.Button("Save"))
	dialog.WaitText("must be the name of a chart or repository")
	wantInvalid(t, c.page, "repository")
	dialog.Fill("Repository", "acme/api")
	dialog.Fill("Valid from (optional)", "")
	dialog.Click(browser.Button("Save"))
	c.page.WaitText("Saved.")
	row := c.section().Within(browser.Row("acme/api"))
	row.WaitText("Until Apr 1, 2099")
	row.WaitText("Active")
	c.list(t).WantValue("data.0.repository", "acme/api").WantValue("data.0.from", nil).
		WantValue("data.0.until", "2099-04-02T00:00:00Z")
}

// TestTwoAdminsChangeAnEntitlement changes and deletes an entitlement while its form is open.
func TestTwoAdminsChangeAnEntitlement(t *testing.T) {
	c := visitEntitlements(t)
	c.page.Allow("412 ")
	c.page.Allow("404 GET /v1/customers/")
	at := c.create(t, `{"artifact":"chart","repository":"bolt","until":"2099-05-01T12:30:00Z"}`)
	c.open()
	c.section().Within(browser.Row("bolt")).WaitText("12:30")
	c.page.Click(browser.Button("Edit the entitlement Chart bolt *"))
	c.page.WaitFor(browser.Dialog("Edit entitlement"))
	c.Admin(t).Put(at, `{"versions":"^2.0.0"}`).WantStatus(http.StatusOK)
	dialog := c.page.Within(browser.Dialog("Edit entitlement"))
	dialog.Fill("Repository", "bolt/api")
	dialog.Click(browser.Button("Save"))
	dialog.WaitText("Versions: * → ^2.0.0.")
	c.page.Axe()
	dialog.Click(browser.Button("Save"))
	c.section().Within(browser.Row("bolt/api")).WaitText("^2.0.0")
	c.Admin(t).Get(at).WantValue("data.until", "2099-05-01T12:30:00Z") // the form has only its day

	c.page.Click(browser.Button("Delete the entitlement Chart bolt/api ^2.0.0"))
	c.page.WaitFor(browser.Dialog("Delete the entitlement Chart bolt/api ^2.0.0?"))
	c.Admin(t).Put(at, `{"versions":"*"}`).WantStatus(http.StatusOK)
	dialog = c.page.Within(browser.Dialog("Delete the entitlement Chart bolt/api ^2.0.0?"))
	dialog.Click(browser.Button("Delete entitlement"))
	dialog.WaitText("Someone else has changed this in the meantime.")
	dialog.Click(browser.Button("Cancel"))
	c.page.WaitFor(browser.Button("Delete the entitlement Chart bolt/api *"))
	c.Admin(t).Delete(at).WantStatus(http.StatusNoContent)
	c.page.Click(browser.Button("Edit the entitlement Chart bolt/api *"))
	c.section().WaitText("The entitlement does not exist.")
	c.page.WaitGone(browser.Row("bolt/api"))
}

func TestEntitlementByKeyboard(t *testing.T) {
	c := visitEntitlements(t)
	e2etest.Press(t, c.page, "Add entitlement")
	c.page.WaitFor(browser.Dialog("Add entitlement"))
	e2etest.TabTo(t, c.page, "Artifact")
	c.page.Press("ArrowDown")
	e2etest.TabTo(t, c.page, "Repository")
	c.page.Type("tools/*")
	e2etest.Press(t, c.page, "Add entitlement")
	c.section().Within(browser.Row("tools/*")).WaitText("Always")
	e2etest.Ready(c.page)
	e2etest.Press(t, c.page, "Edit the entitlement Image tools/* *")
	c.page.WaitFor(browser.Dialog("Edit entitlement"))
	e2etest.TabTo(t, c.page, "Versions")
	c.page.Press("End", "Backspace")
	c.page.Type("3.x")
	e2etest.Press(t, c.page, "Save")
	c.section().Within(browser.Row("tools/*")).WaitText("3.x")
	e2etest.Ready(c.page)
	e2etest.Press(t, c.page, "Delete the entitlement Image tools/* 3.x")
	c.page.WaitFor(browser.Dialog("Delete the entitlement Image tools/* 3.x?"))
	e2etest.Press(t, c.page, "Delete entitlement")
	c.page.WaitGone(browser.Row("tools/*"))
}

func TestStaffReadsEntitlements(t *testing.T) {
	c := visitEntitlements(t)
	c.createTwo(t)
	page := c.Portal.VisitAsNew(t, "reader", "viewer")
	page.Open("/portal/customers/" + c.id)
	wantReadOnly(t, page, "Entitlements", twoEntitlements)
}

func TestCustomersReadTheirEntitlements(t *testing.T) {
	c := visitEntitlements(t)
	c.createTwo(t)
	c.Users.CreateOf(t, c.id, "clerk", "viewer")
	page := c.Portal.VisitAs(t, "clerk")
	page.Open("/portal/company")
	wantReadOnly(t, page, "What you may pull", twoEntitlements)
	c.Users.CreateOf(t, c.id, "chief", "admin") // whose role has customers:write
	chief := c.Portal.VisitAs(t, "chief")
	chief.Open("/portal/company")
	wantReadOnly(t, chief, "What you may pull", twoEntitlements)
}

func TestDeleteEntitlement(t *testing.T) {
	c := visitEntitlements(t)
	c.createTwo(t)
	for _, name := range []string{"Chart acme/api ^1.2.0", "Image * *"} {
		c.page.Click(browser.Button("Delete the entitlement " + name))
		dialog := c.page.Within(browser.Dialog("Delete the entitlement " + name + "?"))
		dialog.WaitText("users of the customer can no longer pull")
		c.page.Axe()
		dialog.Click(browser.Button("Delete entitlement"))
		c.page.WaitText("The entitlement " + name + " was deleted.")
		c.page.WaitGone(browser.Dialog("Delete the entitlement " + name + "?"))
	}
	c.section().WaitText("This customer cannot fetch anything yet.")
	c.list(t).WantValue("pagination.total", 0)
}

// TestPagesOfEntitlements adds entitlements until there is a second page and a limit, with names that are as long as
// possible.
func TestPagesOfEntitlements(t *testing.T) {
	c := visitEntitlements(t)
	long := strings.Repeat("a", 253)
	for i := range 20 {
		c.create(t, fmt.Sprintf(`{"artifact":"chart","repository":"%s%02d","versions":">=1.0.0 <2.0.0 || >=3.0.0 <4.0.0 || 5.1.x"}`, long, i))
	}
	c.open()
	e2etest.FitsWindow(t, c.page)
	dialog := c.startAdding()
	dialog.Fill("Repository", "last")
	dialog.Click(browser.Button("Add entitlement"))
	c.section().WaitFor(browser.Row("last")) // on the second page
	c.section().WaitText("21–21 of 21")
	c.page.Click(browser.Button("Delete the entitlement Chart last *"))
	c.page.Click(browser.Button("Delete entitlement"))
	c.section().WaitFor(browser.Row(long + "19")) // on the first page, because the second one has become empty
	for i := range 180 {
		c.create(t, fmt.Sprintf(`{"artifact":"chart","repository":"r%d"}`, i))
	}
	c.page.Allow("409 POST /v1/customers/")
	dialog = c.startAdding()
	dialog.Fill("Repository", "last")
	dialog.Click(browser.Button("Add entitlement"))
	dialog.WaitText("The customer already has 200 entitlements, the maximum.")
}
