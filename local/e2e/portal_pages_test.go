package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/local/browser"
)

// portalPage is an entry of the portal's table of pages.
type portalPage struct {
	Path, Permission, Menu string
	IsPublic               bool
}

// listPages reads the table of pages in the browser.
const listPages = `import(document.querySelector("script[type=module]").src.replace("main.js", "pages.js")).then(m => m.pages.map(p => ({
	path: p.path, permission: p.permission ?? "", menu: p.menu?.label ?? "", isPublic: !!p.isPublic,
})))`

// TestPortalPages opens every page of the portal as a person of each role.
func TestPortalPages(t *testing.T) {
	p := newTestStack(t)
	p.start(t, new(int))
	for _, role := range []string{"viewer", "user", "manager", "admin"} {
		t.Run(role, func(t *testing.T) { testPagesOfRole(t, p, role) })
	}
	t.Run("first load", func(t *testing.T) { testFirstLoad(t, p) })
	t.Run("keyboard", func(t *testing.T) { testPortalByKeyboard(t, p) })
	p.checkNoSecretsLeaked(t)
}

func testPagesOfRole(t *testing.T, p *testStack, role string) {
	email := role + "@example.com"
	p.createUser(t, email, role)
	page := p.visitAs(t, email)
	page.Open("/portal")
	ready(page)
	held := browser.Eval[[]string](page, `fetch("/v1/sessions/current").then(r => r.json()).then(s => s.data.user.permissions)`)
	for _, entry := range browser.Eval[[]portalPage](page, listPages) {
		if strings.Contains(entry.Path, "{") || entry.Permission != "" && !slices.Contains(held, entry.Permission) {
			continue // a page of one resource has a test of its own
		}
		page.Open(entry.Path)
		checkPage(t, p, page, entry)
	}
}

// ready waits until the page has loaded everything.
func ready(page *browser.Page) {
	page.WaitUntil("the page", `document.querySelectorAll("main h1").length === 1 && !document.querySelector("main .loading")`)
	page.Settle()
}

func checkPage(t *testing.T, p *testStack, page *browser.Page, entry portalPage) {
	t.Helper()
	ready(page)
	title := browser.Eval[[]string](page, `[document.title, document.querySelector("main h1").innerText]`)
	if !strings.HasPrefix(title[0], title[1]) {
		t.Errorf("%s has the title %q and the heading %q", entry.Path, title[0], title[1])
	}
	page.Axe()
	page.Resize(browser.Phone)
	page.Settle()
	if wide := page.Overflow(); len(wide) > 0 {
		t.Errorf("%s is wider than a phone: %q", entry.Path, wide)
	}
	page.Resize(browser.Desktop)
	shell := p.anonymous(t).Get(entry.Path).WantStatus(http.StatusOK).WantHeader("Cache-Control", "no-store").
		WantHeader("Content-Type", "text/html; charset=utf-8").WantHeader("Referrer-Policy", "no-referrer")
	policy := shell.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s has the policy %q", entry.Path, policy)
	}
}

// testFirstLoad measures what a browser with an empty cache loads for the first page.
func testFirstLoad(t *testing.T, p *testStack) {
	const budget = 100_000
	p.createUser(t, "first@example.com", "user")
	page := p.visitAs(t, "first@example.com")
	page.ClearCache()
	before := len(page.Requests())
	page.Open("/portal")
	ready(page)
	total := 0.0
	for _, request := range page.Requests()[before:] {
		total += request.Bytes
		t.Logf("%7.0f bytes  %d %s %s", request.Bytes, request.Status, request.Method, request.URL)
	}
	t.Logf("%7.0f bytes in all", total)
	if total > budget || total == 0 {
		t.Errorf("the first page loads %.0f bytes, want at most %d", total, budget)
	}
}

// testPortalByKeyboard reaches every control of every page with the Tab key.
func testPortalByKeyboard(t *testing.T, p *testStack) {
	p.createUser(t, "keyboard@example.com", "admin")
	page := p.visitAs(t, "keyboard@example.com")
	page.Open("/portal")
	ready(page)
	page.Press("Tab")
	if focus := page.Focused(); focus.Name != "Skip to the content" || !focus.Visible {
		t.Errorf("the first focus is on %+v, want the visible skip link", focus)
	}
	page.Press("Enter")
	page.WaitUntil("the focus on the content", `document.activeElement.id === "content"`)
	for _, entry := range browser.Eval[[]portalPage](page, listPages) {
		if entry.IsPublic || strings.Contains(entry.Path, "{") {
			continue
		}
		page.Open(entry.Path)
		ready(page)
		tabThrough(t, page, entry.Path)
	}
}

// unreached returns the controls that the Tab key has not reached. In a group of radio buttons it reaches one, and arrow keys
// reach the others, as in tabs, whose tabindex is -1.
const unreached = `(() => {
	const controls = "a[href], button, input, select, textarea, summary, [tabindex]";
	return [...document.querySelectorAll(controls)].filter(e => !e.disabled && e.tabIndex >= 0 && e.type !== "radio" && e.checkVisibility())
		.filter(e => !visited.has(e)).map(e => e.outerHTML.slice(0, 120));
})()`

// tabThrough presses Tab until it has reached all controls, and fails for those that it does not reach or shows no focus on.
func tabThrough(t *testing.T, page *browser.Page, path string) {
	t.Helper()
	const limit = 300
	browser.Eval[int](page, `(globalThis.visited = new Set()).size`)
	for range limit {
		page.Press("Tab")
		if focus := page.Focused(); focus.Tag != "BODY" && focus.Tag != "HTML" && !focus.Visible {
			t.Errorf("%s: nobody sees the focus on %s %q", path, focus.Tag, focus.Name)
		}
		if browser.Eval[bool](page, `visited.size === visited.add(document.activeElement).size`) {
			break // the focus has come full circle
		}
	}
	if left := browser.Eval[[]string](page, unreached); len(left) > 0 {
		t.Errorf("%s: Tab does not reach %q", path, left)
	}
}
