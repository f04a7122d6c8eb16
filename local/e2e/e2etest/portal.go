package e2etest

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"portside/local/browser"
)

// Labels of fields in which the pages search.
const (
	SearchUsers     = "Search by name or email address"
	SearchProjects  = "Search by name"
	SearchCustomers = "Search by name, slug or external ID"
)

// Portal opens the portal of a stack in a browser.
type Portal struct{ stack *Stack }

// Visit returns an empty tab of a new visitor. The portal's host is localhost, because browsers accept its cookies and
// passkeys only there and with HTTPS.
func (p Portal) Visit(t *testing.T) *browser.Page {
	t.Helper()
	return browser.New(t, p.stack.Info.Portal)
}

// VisitAs returns a tab of a user who has signed in with a link of the operator.
func (p Portal) VisitAs(t *testing.T, person string) *browser.Page {
	t.Helper()
	page := p.Visit(t)
	p.StartSession(t, page, person)
	return page
}

// VisitAsNew creates a user and returns a tab of the user, who has signed in.
func (p Portal) VisitAsNew(t *testing.T, person, role string, fields ...string) *browser.Page {
	t.Helper()
	p.stack.Users.Create(t, person, role, fields...)
	return p.VisitAs(t, person)
}

// StartSession signs a user in without a form of the portal.
func (p Portal) StartSession(t *testing.T, page *browser.Page, person string) {
	t.Helper()
	page.Window.SetCookie(p.stack.Users.SignIn(t, person))
}

// WaitSignedOut waits until a page that has lost its session shows the form for signing in. Requests that it had
// already sent get 401.
func WaitSignedOut(page *browser.Page) {
	page.Allow("401 GET")
	page.WaitFor(browser.Heading("Sign in"))
}

// Secret returns the value of a field with a secret, which must leak nowhere.
func (p Portal) Secret(page *browser.Page, label string) string {
	value := page.Value(label)
	p.stack.Secrets.Add(value)
	return value
}

// Ready waits until the page has loaded everything.
func Ready(page *browser.Page) {
	page.WaitUntil("the page", `document.querySelectorAll("main h1").length === 1 && !document.querySelector(
		"main .loading, main [aria-busy=true], main .placeholder, main .ranking-placeholder")`)
	page.Settle()
}

// CheckPage checks what all pages have in common: the title, no violation of accessibility, no overflow, and the header
// of the document.
func (p Portal) CheckPage(t *testing.T, page *browser.Page, path string) {
	t.Helper()
	Ready(page)
	title := browser.Eval[[]string](page, `[document.title, document.querySelector("main h1").innerText]`)
	if !strings.HasPrefix(title[0], title[1]) {
		t.Errorf("%s has the title %q and the heading %q", path, title[0], title[1])
	}
	page.Axe()
	FitsWindow(t, page)
	shell := p.stack.Anonymous(t).Get(path).WantStatus(http.StatusOK).WantHeader("Cache-Control", "no-store").
		WantHeader("Content-Type", "text/html; charset=utf-8").WantHeader("Referrer-Policy", "no-referrer")
	policy := shell.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s has the policy %q", path, policy)
	}
}

// FitsWindow checks that the page is not wider than the window, on a phone and on a desktop.
func FitsWindow(t *testing.T, page *browser.Page) {
	t.Helper()
	for _, size := range []browser.Size{browser.Phone, browser.Desktop} {
		page.Window.Resize(size)
		page.Settle()
		if wide := page.Window.Overflow(); len(wide) > 0 {
			t.Errorf("at %v, %s is too wide: %q", size, page.URL(), wide)
		}
	}
}

// PortalPath returns the path of the page that shows the resource at a path of the API.
func PortalPath(at string) string { return "/portal" + strings.TrimPrefix(at, "/v1") }

// CountPosts returns how many POST requests the page has sent to the path.
func CountPosts(page *browser.Page, path string) (count int) {
	for _, r := range page.Network.Requests() {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL, path) {
			count++
		}
	}
	return count
}

// DoubleClick submits the form of the page, or of its dialog, with two clicks, before the page can draw anything
// between them. It checks that the page sends one POST request to the path, and waits for it.
func DoubleClick(t *testing.T, page *browser.Page, path string, done func()) {
	t.Helper()
	before := CountPosts(page, path)
	browser.Eval[bool](page, `(() => {
		const submit = document.querySelector("dialog[open] button[type=submit]") ??
			document.querySelector("main form:not([role=search]) button[type=submit]");
		submit.click();
		submit.click();
		return true;
	})()`)
	done()
	if sent := CountPosts(page, path) - before; sent != 1 {
		t.Errorf("a double click sent %d requests", sent)
	}
}

// TabTo presses the Tab key until an element has the focus whose name begins with the text.
func TabTo(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	const limit = 60
	for range limit {
		focus := page.Focused()
		if strings.HasPrefix(focus.Name, name) && focus.Tag != "BODY" && focus.Tag != "MAIN" {
			if !focus.Visible {
				t.Errorf("the focus on %s is not visible", name)
			}
			return
		}
		page.Press("Tab")
	}
	t.Fatalf("the Tab key did not reach %q; the focus is on %+v", name, page.Focused())
}

// Press reaches a link or button with the Tab key and presses Enter.
func Press(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	TabTo(t, page, name)
	page.Press("Enter")
}

// clipboard is the clipboard of the browser, which all pages share.
var clipboard sync.Mutex

// WantCopied presses a button that copies, and waits until the page has copied the text. The message does not prove
// that, because the page shows it for some seconds after each copy.
func WantCopied(t *testing.T, page *browser.Page, text string, press func()) {
	t.Helper()
	clipboard.Lock()
	defer clipboard.Unlock()
	press()
	page.WaitText("Copied.")
	Await(t, "the clipboard to have what the page copies", func() bool {
		return browser.Eval[string](page, "navigator.clipboard.readText()") == text
	})
}

// WantAsked checks whether the browser asks before it closes the page.
func WantAsked(t *testing.T, page *browser.Page, want bool) {
	t.Helper()
	if got := browser.Eval[bool](page, `!dispatchEvent(new Event("beforeunload", { cancelable: true }))`); got != want {
		t.Errorf("the page asks before it closes: %v, want %v", got, want)
	}
}

// WantInert fails if a text became elements of the page or ran as a script.
func WantInert(t *testing.T, page *browser.Page) {
	t.Helper()
	if count := browser.Eval[int](page,
		`document.querySelectorAll("main img, main b, main i, main script, main iframe").length`); count != 0 {
		t.Errorf("%s has %d elements of a text", page.URL(), count)
	}
	if title := browser.Eval[string](page, "document.title"); !strings.HasSuffix(title, "· Portside") {
		t.Errorf("%s has the title %q", page.URL(), title)
	}
}

// Texts of an attacker. Browsers must show the first unchanged. The API must refuse the second, which reverses the
// direction of the text after it.
const (
	HostileText     = `<img src=x onerror="document.title='owned'">{{constructor.constructor('document.title=1')()}}${7*7}=1+1`
	DirectionalText = "gpj.\u202efdp"
)

// QuoteJS returns a JavaScript literal of a text.
func QuoteJS(t *testing.T, text string) string {
	t.Helper()
	literal, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(literal)
}

// WriteUpload writes a file that a page can send.
func WriteUpload(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
