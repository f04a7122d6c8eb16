package portal

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// portalPage is an entry of the portal's table of pages.
type portalPage struct {
	Path, Permission, Menu, Audience string
	IsPublic                         bool
}

// listPages reads the table of pages in the browser.
const listPages = `import(document.querySelector("script[type=module]").src.replace("main.js", "pages.js")).then(m => m.pages.map(p => ({
	path: p.path, permission: p.permission ?? "", menu: p.menu?.label ?? "", audience: p.audience ?? "", isPublic: !!p.isPublic,
})))`

// fill creates one of everything that has a page, and a person with the role, who has requested credentials.
func fill(t *testing.T, role string) *e2etest.Stack {
	t.Helper()
	p := e2etest.Shared(t)
	p.Operator.Demo(t)
	p.Admin(t).Post("/v1/projects", `{"name":"Analytical engine","description":"Cards and gears"}`).
		WantStatus(http.StatusCreated)
	p.CreateCustomer(t, "Acme Shipping", "acme", contact)
	for person, role := range map[string]string{"requester": "user", "person": role} {
		_, key := p.Users.Create(t, person, role)
		p.As(t, key).Post("/api/v1/credential-requests", `{"accessLevel":"full","justification":"Our staging cluster"}`).
			WantStatus(http.StatusCreated)
	}
	return p
}

const contact = `"contacts":[{"name":"Ada Byron","email":"ada@acme.example","role":"billing"}]`

// TestPublicPages opens the pages that need no session, and checks that all others ask to sign in.
func TestPublicPages(t *testing.T) {
	p := e2etest.Shared(t)
	page := p.Portal.Visit(t)
	page.Open("/portal/sign-in")
	e2etest.Ready(page)
	for _, entry := range browser.Eval[[]portalPage](page, listPages) {
		page.Open(strings.NewReplacer("{", "", "}", "").Replace(entry.Path))
		if !entry.IsPublic {
			page.WaitFor(browser.Heading("Sign in"))
			continue
		}
		p.Portal.CheckPage(t, page, entry.Path)
	}
}

// The tests of pages open every page of the portal as a person of each role.

func TestPagesOfViewers(t *testing.T)  { testPagesOfRole(t, "viewer") }
func TestPagesOfUsers(t *testing.T)    { testPagesOfRole(t, "user") }
func TestPagesOfManagers(t *testing.T) { testPagesOfRole(t, "manager") }
func TestPagesOfAdmins(t *testing.T)   { testPagesOfRole(t, "admin") }

func testPagesOfRole(t *testing.T, role string) {
	t.Helper()
	p := fill(t, role)
	openAll(t, p, p.Portal.VisitAs(t, "person"), role == "admin")
}

func TestPagesOfCustomers(t *testing.T) {
	p := e2etest.Shared(t)
	acme := p.CreateCustomer(t, "Acme Shipping", "acme", contact)
	for _, role := range []string{"viewer", "admin"} {
		p.Users.CreateOf(t, acme, role, role)
		openAll(t, p, p.Portal.VisitAs(t, role), false)
	}
}

// openAll opens all pages that the person of this tab may use. If all is set, each page must be linked by a page of a
// list.
func openAll(t *testing.T, p *e2etest.Stack, page *browser.Page, all bool) {
	t.Helper()
	var links []string
	for _, entry := range openPages(page) {
		path := pathOf(entry, links)
		if path == "" {
			if all {
				t.Errorf("no page links to %s", entry.Path)
			}
			continue
		}
		page.Open(path)
		p.Portal.CheckPage(t, page, path)
		links = append(links, browser.Eval[[]string](page, linksOfPage)...)
	}
}

// pathOf returns the path of a page, or the first of the links that leads to the page of a resource.
func pathOf(entry portalPage, links []string) string {
	if strings.Contains(entry.Path, "{") {
		return linkTo(links, entry.Path)
	}
	return entry.Path
}

// openPages returns the pages that the person of this tab may use, those of lists before those of single resources.
func openPages(page *browser.Page) []portalPage {
	page.Open("/portal")
	e2etest.Ready(page)
	type user struct {
		Permissions []string
		CustomerID  *string
	}
	held := browser.Eval[user](page, `fetch("/v1/sessions/current").then(r => r.json()).then(s => s.data.user)`)
	audience := "staff"
	if held.CustomerID != nil {
		audience = "customers"
	}
	all := browser.Eval[[]portalPage](page, listPages)
	all = slices.DeleteFunc(all, func(e portalPage) bool {
		return e.IsPublic || e.Permission != "" && !slices.Contains(held.Permissions, e.Permission) || e.Audience != "" &&
			e.Audience != audience
	})
	slices.SortStableFunc(all, func(a, b portalPage) int { return strings.Count(a.Path, "{") - strings.Count(b.Path, "{") })
	return all
}

// linkTo returns the first link that matches a path with {parameters}.
func linkTo(links []string, pattern string) string {
	expression := regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(pattern), "[^/]+")
	matching := regexp.MustCompile("^" + expression + "$")
	at := slices.IndexFunc(links, func(link string) bool {
		return matching.MatchString(link) && !strings.HasSuffix(link, "/new") && !strings.HasSuffix(link, "/import") // other pages
	})
	if at < 0 {
		return ""
	}
	return links[at]
}

// TestPortalByKeyboard reaches every control of every page with the Tab key.
func TestPortalByKeyboard(t *testing.T) {
	p := fill(t, "admin")
	page := p.Portal.VisitAs(t, "person")
	entries := openPages(page)
	page.WaitUntil("the focus on the title", `document.activeElement.tagName === "H1"`)
	for range 100 { // back through the menu to the begin
		page.Press("Shift+Tab")
		if focus := page.Focused(); focus.Name == "Skip to content" {
			if !focus.Visible {
				t.Error("nobody sees the skip link")
			}
			break
		}
	}
	page.Press("Enter")
	page.WaitUntil("the focus on the content", `document.activeElement.id === "content"`)
	var links []string
	for _, entry := range entries {
		path := pathOf(entry, links)
		if path == "" {
			t.Errorf("no page links to %s", entry.Path)
			continue
		}
		page.Open(path)
		e2etest.Ready(page)
		links = append(links, browser.Eval[[]string](page, linksOfPage)...)
		tabThrough(t, page, path)
	}
}

// linksOfPage returns the paths of the links of a page.
const linksOfPage = `[...document.querySelectorAll("main a")].map(a => a.pathname)`

// startTabbing prepares the sets of visited elements, and of their descriptions, because a page may draw elements anew
// meanwhile.
const startTabbing = `(() => {
	globalThis.visited = new Set();
	globalThis.described = new Set();
	globalThis.describe = e => [e.tagName, e.id, e.name, e.ariaLabel, e.textContent].join();
	return 0;
})()`

// unreached returns the controls that the Tab key has not reached. In a group of radio buttons it reaches one button,
// and arrow keys reach the other buttons, as in tabs, whose tabindex is -1.
const unreached = `(() => {
	const controls = "a[href], button, input, select, textarea, summary, [tabindex]";
	return [...document.querySelectorAll(controls)].filter(e => !e.disabled && e.tabIndex >= 0 && e.type !== "radio" && e.checkVisibility())
		.filter(e => !visited.has(e) && !described.has(describe(e))).map(e => e.outerHTML.slice(0, 120));
})()`

// hasReturned adds the focused element to the visited ones, and tells whether the focus has come back to it from
// another one. In a date field, Tab moves between the parts of the date.
const hasReturned = `(() => {
	const before = globalThis.focused;
	globalThis.focused = document.activeElement;
	return focused !== before && visited.size === visited.add(focused).size;
})()`

// tabThrough presses Tab until it has reached all controls, and fails for those that it does not reach or shows no
// focus on.
func tabThrough(t *testing.T, page *browser.Page, path string) {
	t.Helper()
	const limit = 300
	browser.Eval[int](page, startTabbing)
	for range limit {
		page.Press("Tab")
		if focus := page.Focused(); focus.Tag != "BODY" && focus.Tag != "HTML" && !focus.Visible {
			t.Errorf("%s: nobody sees the focus on %s %q", path, focus.Tag, focus.Name)
		}
		if browser.Eval[bool](page, hasReturned) {
			break // the focus has come full circle
		}
	}
	if left := browser.Eval[[]string](page, unreached); len(left) > 0 {
		t.Errorf("%s: Tab does not reach %q", path, left)
	}
}
