package portal

import (
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// TestFilledPortal opens pages that are full of data, and with -update draws the pictures of the README. They show
// dates of today, so nothing compares them.
func TestFilledPortal(t *testing.T) {
	p := withDemoData(t)
	checkDemoLists(t, p)
	checkDemoPullsExist(t, p)
	at, _ := p.Users.Create(t, "ada", "admin")
	p.Admin(t).Put(at, `{"name":"Ada Lovelace"}`).WantStatus(http.StatusOK)
	page := p.Portal.VisitAs(t, "ada")
	for _, entry := range openPages(page) {
		if !strings.Contains(entry.Path, "{") {
			page.Open(entry.Path)
			p.Portal.CheckPage(t, page, entry.Path)
		}
	}
	drawPictures(t, page)
}

// TestPictures compares pages that are the same every day with pictures, on a phone and on a desktop. The pictures have
// addresses and lists of a stack that no other test uses.
func TestPictures(t *testing.T) {
	p := e2etest.Start(t)
	p.Operator.Demo(t)
	p.Admin(t).Post("/v1/projects", `{"name":"Analytical engine","description":"Cards and gears"}`).
		WantStatus(http.StatusCreated)
	_, key := p.Users.Create(t, "viewer@example.com", "viewer")
	p.As(t, key).Post("/api/v1/credential-requests", `{"accessLevel":"full","justification":"Our staging cluster"}`).
		WantStatus(http.StatusCreated)
	visitor, person := p.Portal.Visit(t), p.Portal.VisitAs(t, "viewer@example.com")
	admin := p.Portal.VisitAsNew(t, "admin@example.com", "admin")
	stop := admin.Network.RespondWith(fixedResponse, fixedPatterns...)
	for _, picture := range []struct {
		name, path string
		page       *browser.Page
		theme      browser.Theme
		volatile   string // selects texts that change from day to day
	}{
		{"sign-in", "/portal/sign-in", visitor, browser.Light, ""},
		{"sign-in-dark", "/portal/sign-in", visitor, browser.Dark, ""},
		{"collect", "/portal/collect", visitor, browser.Light, ""},
		{"home", "/portal", person, browser.Light, "tbody td"},
		{"access", "/portal/access", person, browser.Light, "tbody td"},
		{"charts", "/portal/charts", person, browser.Light, "tbody td"},
		{"projects", "/portal/projects", person, browser.Light, "tbody td"},
		{"dashboard", "/portal/dashboard?period=last_month", admin, browser.Light, ""},
		{"dashboard-dark", "/portal/dashboard?period=last_month", admin, browser.Dark, ""},
		{"approvals", "/portal/approvals", admin, browser.Light, "td div > .small"},
		{"users", "/portal/users", admin, browser.Light, ""},
	} {
		picture.page.Window.SetTheme(picture.theme)
		picture.page.Open(picture.path)
		e2etest.Ready(picture.page)
		for _, size := range []browser.Size{browser.Phone, browser.Desktop} {
			picture.page.Window.Resize(size)
			picture.page.Window.Screenshot("portal-"+picture.name, picture.volatile)
		}
	}
	stop()
	extractInvoice(t, admin)
	for _, size := range []browser.Size{browser.Phone, browser.Desktop} {
		admin.Window.Resize(size)
		showPlace(admin)
		admin.Window.Screenshot("portal-media")
	}
}

// drawPictures draws the dashboard, a chart, and values that the media page has extracted from a PDF.
func drawPictures(t *testing.T, page *browser.Page) {
	t.Helper()
	page.Window.Resize(browser.Size{Width: 1280, Height: 900})
	draw := func(name string) {
		page.Window.UpdateDocsPicture(filepath.Join(e2etest.Repository, "docs", "images", "portal-"+name+".png"))
	}
	page.Open("/portal/dashboard")
	e2etest.Ready(page)
	draw("dashboard")

	page.Open("/portal/charts/hello/1.1.0")
	e2etest.Ready(page)
	draw("chart")

	extractInvoice(t, page)
	draw("media")
}

// extractInvoice extracts values from an invoice on the media page, and shows the place of one.
func extractInvoice(t *testing.T, page *browser.Page) {
	t.Helper()
	invoice, err := filepath.Abs(filepath.Join(e2etest.Repository, "docs", "media", "invoice-march.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	page.Open("/portal/media")
	e2etest.Ready(page)
	page.Upload("Drop files here, or choose them", invoice)
	page.Check("Extract values", true)
	for i, variable := range [][3]string{
		{"invoice_number", "Text", "number of the invoice"}, {"total", "Number", "total amount to pay, with tax"}, {"due", "Date", "when it has to be paid"},
	} {
		page.Click(browser.Button("Add variable"))
		row := page.Within(browser.Role("group", "Variable "+strconv.Itoa(i+1)))
		row.Fill("Name", variable[0])
		row.Select("Type", variable[1])
		row.Fill("Description (optional)", variable[2])
	}
	page.Click(browser.Button("Extract"))
	page.Click(browser.Button("Show where total was found"))
	showPlace(page)
}

// showPlace waits for the page of the invoice, and scrolls to it.
func showPlace(page *browser.Page) {
	page.WaitFor(browser.Role("image", "Page 1 of invoice-march.pdf"))
	page.WaitNoText("The result for invoice-march.pdf is ready.")
	page.Settle()
	browser.Eval[bool](page, `(document.querySelector(".paper").closest("section").scrollIntoView(), true)`)
}
