package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/local/browser"
)

// entitledCustomer is a customer whose page is open in a browser.
type entitledCustomer struct {
	*testStack

	page *browser.Page
	id   string
	at   string // of its entitlements in the API
}

// TestPortalEntitlements administers in a browser what a customer may pull.
func TestPortalEntitlements(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	id := p.createCustomer(t, `{"name":"Acme Shipping","slug":"acme"}`)
	c := &entitledCustomer{testStack: p, page: p.visitAs(t, firstAdmin), id: id, at: "/v1/customers/" + id + "/entitlements"}
	c.open()
	t.Run("nothing yet", func(t *testing.T) { testNoEntitlements(t, c) })
	t.Run("rejected fields", func(t *testing.T) { testRejectedEntitlement(t, c) })
	t.Run("add", func(t *testing.T) { testAddEntitlement(t, c) })
	t.Run("edit", func(t *testing.T) { testEditEntitlement(t, c) })
	t.Run("two people change an entitlement", func(t *testing.T) { testEntitlementConflicts(t, c) })
	t.Run("all by keyboard", func(t *testing.T) { testEntitlementByKeyboard(t, c) })
	t.Run("staff who may only read", func(t *testing.T) { testReadEntitlements(t, c) })
	t.Run("the customer's user", func(t *testing.T) { testOwnEntitlements(t, c) })
	t.Run("delete", func(t *testing.T) { testDeleteEntitlement(t, c) })
	t.Run("pages", func(t *testing.T) { testEntitlementPages(t, c) })
	p.checkNoSecretsLeaked(t)
}

// open opens the page of the customer.
func (c *entitledCustomer) open() {
	c.page.Open("/portal/customers/" + c.id)
	ready(c.page)
}

// section returns the part of the page with the entitlements.
func (c *entitledCustomer) section() browser.Scope {
	return c.page.Within(browser.Role("region", "Entitlements"))
}

// list returns all entitlements in the API.
func (c *entitledCustomer) list(t *testing.T) response {
	t.Helper()
	return c.admin(t).Get(c.at + "?limit=100").WantStatus(http.StatusOK)
}

// create creates an entitlement with the API and returns its path.
func (c *entitledCustomer) create(t *testing.T, body string) string {
	t.Helper()
	return c.at + "/" + c.admin(t).Post(c.at, body).WantStatus(http.StatusCreated).Text("data.id")
}

// startAdding opens the form of a new entitlement.
func (c *entitledCustomer) startAdding() browser.Scope {
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

func testNoEntitlements(t *testing.T, c *entitledCustomer) {
	c.section().WaitText("This customer cannot fetch anything yet.")
	c.section().WaitText("Add an entitlement for what it has bought.")
	c.page.Axe()
	reader := c.visitAs(t, c.reader(t, "", "reader@example.com"))
	reader.Open("/portal/customers/" + c.id)
	reader.WaitText("This customer cannot fetch anything yet.")
	ready(reader)
	reader.WaitNoText("Add an entitlement")
	member := c.visitAs(t, c.reader(t, c.id, "clerk@acme.example"))
	member.Open("/portal/company")
	own := member.Within(browser.Role("region", "What you may pull"))
	own.WaitText("Your company cannot pull anything yet.")
	own.WaitText("Ask the vendor.")
	member.Axe()
}

// reader creates a viewer of the staff, or of a customer, and returns the email address.
func (c *entitledCustomer) reader(t *testing.T, customerID, email string) string {
	t.Helper()
	if customerID == "" {
		c.createUser(t, email, "viewer")
	} else {
		c.createUserOf(t, customerID, email, "viewer")
	}
	return email
}

// testRejectedEntitlement fills in what the API or the form refuses.
func testRejectedEntitlement(t *testing.T, c *entitledCustomer) {
	page, dialog := c.page, c.startAdding()
	page.Allow("400 POST /v1/customers/")
	if versions := dialog.Value("Versions"); versions != "*" {
		t.Errorf("a new entitlement has the versions %q", versions)
	}
	dialog.Click(browser.Button("Add entitlement"))
	dialog.WaitText("must be the name of a chart or repository")
	wantInvalid(t, page, "repository")
	dialog.Fill("Repository", "acme/**")
	dialog.Fill("Versions", hostileText)
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
	tabTo(t, page, "Valid until")
	page.Type("04") // the month, without which the entitlement would have no end
	dialog.Click(browser.Button("Add entitlement"))
	dialog.WaitText("must be a complete date")
	wantInvalid(t, page, "until")
	page.Press("Escape")
	page.WaitGone(browser.Dialog("Add entitlement"))
	c.list(t).WantValue("pagination.total", 0)
}

func testAddEntitlement(t *testing.T, c *entitledCustomer) {
	dialog := c.startAdding()
	dialog.Fill("Repository", "acme/*")
	dialog.Fill("Versions", "^1.2.0")
	dialog.Fill("Valid from (optional)", "2099-04-01")
	dialog.Fill("Valid until (optional)", "2099-04-01") // one day
	c.page.Axe()
	before := countPosts(c.page, c.at)
	const submit = `document.querySelector("dialog button[type=submit]")`
	browser.Eval[bool](c.page, submit+".click(), "+submit+".click(), true")
	c.page.WaitText("The entitlement Chart acme/* ^1.2.0 was added.")
	if sent := countPosts(c.page, c.at) - before; sent != 1 {
		t.Errorf("a double click sent %d requests", sent)
	}
	row := c.section().Within(browser.Row("acme/*"))
	row.WaitText("Apr 1, 2099 – Apr 1, 2099")
	row.WaitText("Scheduled")
	c.list(t).WantValue("pagination.total", 1).WantValue("data.0.artifact", "chart").WantValue("data.0.repository", "acme/*").
		WantValue("data.0.versions", "^1.2.0").WantValue("data.0.from", "2099-04-01T00:00:00Z").WantValue("data.0.until", "2099-04-02T00:00:00Z")

	dialog = c.startAdding()
	dialog.Select("Artifact", "Image")
	dialog.Fill("Repository", "*")
	dialog.Fill("Valid until (optional)", "2020-02-29")
	lost := c.page.LoseResponses("*" + c.at)
	dialog.Click(browser.Button("Add entitlement"))
	dialog.WaitText("The request may have succeeded.")
	lost()
	dialog.Click(browser.Button("Add entitlement"))
	row = c.section().Within(browser.Row("Ended"))
	row.WaitText("Image")
	row.WaitText("All")
	row.WaitText("Until Feb 29, 2020")
	c.list(t).WantValue("pagination.total", 2).WantValue("data.1.from", nil).WantValue("data.1.until", "2020-03-01T00:00:00Z")
	ready(c.page)
	c.page.Axe()
}

func testEditEntitlement(t *testing.T, c *entitledCustomer) {
	c.page.Click(browser.Button("Edit the entitlement Chart acme/* ^1.2.0"))
	dialog := c.page.Within(browser.Dialog("Edit entitlement"))
	for label, want := range map[string]string{
		"Artifact": "chart", "Repository": "acme/*", "Versions": "^1.2.0", "Valid from (optional)": "2099-04-01", "Valid until (optional)": "2099-04-01",
	} {
		if got := dialog.Value(label); got != want {
			t.Errorf("%s is %q, want %q", label, got, want)
		}
	}
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
	c.list(t).WantValue("data.0.repository", "acme/api").WantValue("data.0.from", nil).WantValue("data.0.until", "2099-04-02T00:00:00Z")
}

// testEntitlementConflicts changes and deletes an entitlement while its form is open.
func testEntitlementConflicts(t *testing.T, c *entitledCustomer) {
	c.page.Allow("412 ")
	c.page.Allow("404 GET /v1/customers/")
	at := c.create(t, `{"artifact":"chart","repository":"bolt","until":"2099-05-01T12:30:00Z"}`)
	c.open()
	c.section().Within(browser.Row("bolt")).WaitText("12:30")
	c.page.Click(browser.Button("Edit the entitlement Chart bolt *"))
	c.page.WaitFor(browser.Dialog("Edit entitlement"))
	c.admin(t).Put(at, `{"versions":"^2.0.0"}`).WantStatus(http.StatusOK)
	dialog := c.page.Within(browser.Dialog("Edit entitlement"))
	dialog.Fill("Repository", "bolt/api")
	dialog.Click(browser.Button("Save"))
	dialog.WaitText("Versions: * → ^2.0.0.")
	c.page.Axe()
	dialog.Click(browser.Button("Save"))
	c.section().Within(browser.Row("bolt/api")).WaitText("^2.0.0")
	c.admin(t).Get(at).WantValue("data.until", "2099-05-01T12:30:00Z") // the form has only its day

	c.page.Click(browser.Button("Delete the entitlement Chart bolt/api ^2.0.0"))
	c.page.WaitFor(browser.Dialog("Delete the entitlement Chart bolt/api ^2.0.0?"))
	c.admin(t).Put(at, `{"versions":"*"}`).WantStatus(http.StatusOK)
	dialog = c.page.Within(browser.Dialog("Delete the entitlement Chart bolt/api ^2.0.0?"))
	dialog.Click(browser.Button("Delete entitlement"))
	dialog.WaitText("Someone else has changed this in the meantime.")
	dialog.Click(browser.Button("Cancel"))
	c.page.WaitFor(browser.Button("Delete the entitlement Chart bolt/api *"))
	c.admin(t).Delete(at).WantStatus(http.StatusNoContent)
	c.page.Click(browser.Button("Edit the entitlement Chart bolt/api *"))
	c.section().WaitText("The entitlement does not exist.")
	c.page.WaitGone(browser.Row("bolt/api"))
}

func testEntitlementByKeyboard(t *testing.T, c *entitledCustomer) {
	c.open()
	press(t, c.page, "Add entitlement")
	c.page.WaitFor(browser.Dialog("Add entitlement"))
	tabTo(t, c.page, "Artifact")
	c.page.Press("ArrowDown")
	tabTo(t, c.page, "Repository")
	c.page.Type("tools/*")
	press(t, c.page, "Add entitlement")
	c.section().Within(browser.Row("tools/*")).WaitText("Always")
	ready(c.page)
	press(t, c.page, "Edit the entitlement Image tools/* *")
	c.page.WaitFor(browser.Dialog("Edit entitlement"))
	tabTo(t, c.page, "Versions")
	c.page.Press("End", "Backspace")
	c.page.Type("3.x")
	press(t, c.page, "Save")
	c.section().Within(browser.Row("tools/*")).WaitText("3.x")
	ready(c.page)
	press(t, c.page, "Delete the entitlement Image tools/* 3.x")
	c.page.WaitFor(browser.Dialog("Delete the entitlement Image tools/* 3.x?"))
	press(t, c.page, "Delete entitlement")
	c.page.WaitGone(browser.Row("tools/*"))
}

// wantReadOnly checks that a part of the page has entitlements, and no buttons.
func wantReadOnly(t *testing.T, page *browser.Page, region string) {
	t.Helper()
	ready(page)
	part := page.Within(browser.Role("region", region))
	part.Within(browser.Row("acme/api")).WaitText("Active")
	part.Within(browser.Row("Ended")).WaitText("Until Feb 29, 2020")
	controls := `document.querySelectorAll("section[aria-label='` + region + `'] :is(button, a, input)").length`
	if count := browser.Eval[int](page, controls); count > 0 {
		t.Errorf("the part %q has %d controls", region, count)
	}
	page.Axe()
	page.Resize(browser.Phone)
	page.Settle()
	if wide := page.Overflow(); len(wide) > 0 {
		t.Errorf("%q is wider than a phone: %q", region, wide)
	}
}

func testReadEntitlements(t *testing.T, c *entitledCustomer) {
	page := c.visitAs(t, "reader@example.com")
	page.Open("/portal/customers/" + c.id)
	wantReadOnly(t, page, "Entitlements")
}

func testOwnEntitlements(t *testing.T, c *entitledCustomer) {
	page := c.visitAs(t, "clerk@acme.example")
	page.Open("/portal/company")
	wantReadOnly(t, page, "What you may pull")
	c.createUserOf(t, c.id, "chief@acme.example", "admin") // whose role has customers:write
	chief := c.visitAs(t, "chief@acme.example")
	chief.Open("/portal/company")
	wantReadOnly(t, chief, "What you may pull")
}

func testDeleteEntitlement(t *testing.T, c *entitledCustomer) {
	c.open()
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

// testEntitlementPages adds entitlements until there is a second page and a limit, with names that are as long as possible.
func testEntitlementPages(t *testing.T, c *entitledCustomer) {
	long := strings.Repeat("a", 253)
	for i := range 20 {
		c.create(t, fmt.Sprintf(`{"artifact":"chart","repository":"%s%02d","versions":">=1.0.0 <2.0.0 || >=3.0.0 <4.0.0 || 5.1.x"}`, long, i))
	}
	c.open()
	for _, size := range []browser.Size{browser.Phone, browser.Desktop} {
		c.page.Resize(size)
		c.page.Settle()
		if wide := c.page.Overflow(); len(wide) > 0 {
			t.Errorf("at %v, the entitlements are too wide: %q", size, wide)
		}
	}
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
