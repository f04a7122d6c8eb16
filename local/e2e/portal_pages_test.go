package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portside/local/browser"
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

// TestPortalPages opens every page of the portal: as a visitor, and as a person of each role.
func TestPortalPages(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	p.fillPortal(t)
	t.Run("nobody", func(t *testing.T) { testPublicPages(t, p) })
	for _, role := range []string{"viewer", "user", "manager", "admin", "acme-viewer", "acme-admin"} {
		t.Run(role, func(t *testing.T) { testPagesOfRole(t, p, role) })
	}
	t.Run("pictures", func(t *testing.T) { testPictures(t, p) })
	t.Run("first load", func(t *testing.T) { testFirstLoad(t, p) })
	t.Run("keyboard", func(t *testing.T) { testPortalByKeyboard(t, p) })
	p.checkNoSecretsLeaked(t)
}

// fillPortal creates one of everything that has a page.
func (p *testStack) fillPortal(t *testing.T) {
	t.Helper()
	root := p.admin(t)
	m := &customerStack{testStack: p, dir: t.TempDir(), upstream: strings.TrimPrefix(p.info.Registry, "http://")}
	m.runDemo(t)
	if err := os.Remove(filepath.Join(p.data, "demo-token")); err != nil { // a file with a secret
		t.Fatal(err)
	}
	root.Post("/v1/projects", `{"name":"Analytical engine","description":"Cards and gears"}`).WantStatus(http.StatusCreated)
	for _, role := range []string{"viewer", "user", "manager", "admin"} {
		_, key := p.createUser(t, role+"@example.com", role)
		p.anonymous(t).as(key).Post("/api/v1/credential-requests", `{"accessLevel":"full","justification":"Our staging cluster"}`).
			WantStatus(http.StatusCreated)
	}
	acme := p.createCustomer(t, `{"name":"Acme Shipping","slug":"acme",
		"contacts":[{"name":"Ada Byron","email":"ada@acme.example","role":"billing"}]}`)
	for _, role := range []string{"viewer", "admin"} {
		p.createUserOf(t, acme, "acme-"+role+"@example.com", role)
	}
}

// testPublicPages opens the pages that need no session, and checks that all others ask to sign in.
func testPublicPages(t *testing.T, p *testStack) {
	page := p.visit(t)
	page.Open("/portal/sign-in")
	ready(page)
	for _, entry := range browser.Eval[[]portalPage](page, listPages) {
		page.Open(strings.NewReplacer("{", "", "}", "").Replace(entry.Path))
		if !entry.IsPublic {
			page.WaitFor(browser.Heading("Sign in"))
			continue
		}
		checkPage(t, p, page, entry.Path)
	}
}

func testPagesOfRole(t *testing.T, p *testStack, role string) {
	page := p.visitAs(t, role+"@example.com")
	var links []string
	for _, entry := range p.openPages(t, page) {
		path := entry.Path
		if strings.Contains(path, "{") { // a page of one resource, which a page of a list links to
			if path = linkTo(links, path); path == "" {
				if role == "admin" {
					t.Errorf("no page links to %s", entry.Path)
				}
				continue
			}
		}
		page.Open(path)
		checkPage(t, p, page, path)
		links = append(links, browser.Eval[[]string](page, linksOfPage)...)
	}
}

// openPages returns the pages that the person of this tab may use, those of lists before those of single resources.
func (p *testStack) openPages(t *testing.T, page *browser.Page) []portalPage {
	t.Helper()
	page.Open("/portal")
	ready(page)
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
		return e.IsPublic || e.Permission != "" && !slices.Contains(held.Permissions, e.Permission) || e.Audience != "" && e.Audience != audience
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

// ready waits until the page has loaded everything.
func ready(page *browser.Page) {
	page.WaitUntil("the page", `document.querySelectorAll("main h1").length === 1 && !document.querySelector(
		"main .loading, main [aria-busy=true], main .placeholder, main .ranking-placeholder")`)
	page.Settle()
}

func checkPage(t *testing.T, p *testStack, page *browser.Page, path string) {
	t.Helper()
	ready(page)
	title := browser.Eval[[]string](page, `[document.title, document.querySelector("main h1").innerText]`)
	if !strings.HasPrefix(title[0], title[1]) {
		t.Errorf("%s has the title %q and the heading %q", path, title[0], title[1])
	}
	page.Axe()
	page.Resize(browser.Phone)
	page.Settle()
	if wide := page.Overflow(); len(wide) > 0 {
		t.Errorf("%s is wider than a phone: %q", path, wide)
	}
	page.Resize(browser.Desktop)
	shell := p.anonymous(t).Get(path).WantStatus(http.StatusOK).WantHeader("Cache-Control", "no-store").
		WantHeader("Content-Type", "text/html; charset=utf-8").WantHeader("Referrer-Policy", "no-referrer")
	policy := shell.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s has the policy %q", path, policy)
	}
}

// testPortalByKeyboard reaches every control of every page with the Tab key.
func testPortalByKeyboard(t *testing.T, p *testStack) {
	p.createUser(t, "keyboard@example.com", "admin")
	page := p.visitAs(t, "keyboard@example.com")
	entries := p.openPages(t, page)
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
		path := entry.Path
		if strings.Contains(path, "{") { // a page of one resource, which a page of a list links to
			if path = linkTo(links, path); path == "" {
				t.Errorf("no page links to %s", entry.Path)
				continue
			}
		}
		page.Open(path)
		ready(page)
		links = append(links, browser.Eval[[]string](page, linksOfPage)...)
		tabThrough(t, page, path)
	}
}

// linksOfPage returns the paths of the links of a page.
const linksOfPage = `[...document.querySelectorAll("main a")].map(a => a.pathname)`

// startTabbing prepares the sets of visited elements, and of their descriptions, because a page may draw elements anew meanwhile.
const startTabbing = `(() => {
	globalThis.visited = new Set();
	globalThis.described = new Set();
	globalThis.describe = e => [e.tagName, e.id, e.name, e.ariaLabel, e.textContent].join();
	return 0;
})()`

// unreached returns the controls that the Tab key has not reached. In a group of radio buttons it reaches one button, and arrow
// keys reach the other buttons, as in tabs, whose tabindex is -1.
const unreached = `(() => {
	const controls = "a[href], button, input, select, textarea, summary, [tabindex]";
	return [...document.querySelectorAll(controls)].filter(e => !e.disabled && e.tabIndex >= 0 && e.type !== "radio" && e.checkVisibility())
		.filter(e => !visited.has(e) && !described.has(describe(e))).map(e => e.outerHTML.slice(0, 120));
})()`

// hasReturned adds the focused element to the visited ones, and tells whether the focus has come back to it from another one.
// In a date field, Tab moves between the parts of the date.
const hasReturned = `(() => {
	const before = globalThis.focused;
	globalThis.focused = document.activeElement;
	return focused !== before && visited.size === visited.add(focused).size;
})()`

// tabThrough presses Tab until it has reached all controls, and fails for those that it does not reach or shows no focus on.
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
