package portal

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// TestOldSessionsConfirm creates an API key in a session that is older than 15 minutes.
func TestOldSessionsConfirm(t *testing.T) {
	p := e2etest.Shared(t)
	at, key := p.Users.Create(t, "margaret", "user")
	owner := p.As(t, key)
	page := p.Portal.VisitAs(t, "margaret")
	page.Open("/portal/account")
	e2etest.Ready(page)
	page.Click(browser.Button("Create API key"))
	page.Fill("Name", "typed before the confirmation")
	p.Users.AgeSessions(t, owner)
	page.Allow("403 POST /v1/users/")
	page.Press("Enter")
	dialog := page.Within(browser.Dialog("Confirm that it is you"))
	dialog.WaitText("more than 15 minutes ago")
	dialog.WaitText(p.Email("margaret"))
	page.Axe()
	dialog.Click(browser.Button("Cancel"))
	page.WaitGone(browser.Dialog("Confirm that it is you"))
	if kept := page.Value("Name"); kept != "typed before the confirmation" {
		t.Errorf("the field has %q", kept)
	}
	page.Within(browser.Dialog("Create API key")).Click(browser.Button("Create API key"))
	dialog.Fill("Code", awaitCode(t, p, "margaret", func() {
		dialog.Click(browser.Button("Send me an email"))
		dialog.WaitFor(browser.Heading("Check your email"))
	}))
	page.Press("Enter")
	page.WaitGone(browser.Dialog("Confirm that it is you"))
	page.WaitFor(browser.Heading("The API key is ready"))
	p.Portal.Secret(page, "API key")
	page.Click(browser.Button("I have saved the key"))
	page.WaitFor(browser.Row("typed before the confirmation"))
	if keys := owner.Get(at + "/api-keys").List("data"); len(keys) != 2 {
		t.Errorf("the user has %d keys, want the first one and one more", len(keys))
	}
}

// TestEndOneSession ends the session of another browser, and then the session of this one.
func TestEndOneSession(t *testing.T) {
	p := e2etest.Shared(t)
	_, key := p.Users.Create(t, "mary", "user")
	owner := p.As(t, key)
	other, page := p.Portal.VisitAs(t, "mary"), p.Portal.VisitAs(t, "mary")
	device := owner.Get("/v1/sessions").WantStatus(http.StatusOK).Text("data.0.device")
	page.Open("/portal/account")
	page.WaitText("This browser")
	browser.Eval[bool](page, `([...document.querySelectorAll("tbody tr")].find(row => row.innerText.includes(`+strconv.Quote(device)+`)
		&& !row.innerText.includes("This browser")).querySelector("button").click(), true)`)
	dialog := page.Within(browser.Dialog("End this session?"))
	dialog.WaitText(device + " is signed out immediately.")
	page.Axe()
	dialog.Click(browser.Button("End the session"))
	page.WaitGone(browser.Dialog("End this session?"))
	if left := owner.Get("/v1/sessions").List("data"); len(left) != 1 {
		t.Errorf("the user has %d sessions, want 1", len(left))
	}
	other.Open("/portal/account")
	e2etest.WaitSignedOut(other)

	page.Within(browser.Row("This browser")).Click(browser.Button("End the session of " + device))
	dialog.WaitText("This is the session of this browser.")
	dialog.Click(browser.Button("End the session"))
	e2etest.WaitSignedOut(page)
}

// TestAnotherUserInATab signs another user in without a form of the portal, as an identity provider does. A tab with a
// half-typed form of the first user must not send it as the second.
func TestAnotherUserInATab(t *testing.T) {
	p := e2etest.Shared(t)
	p.Users.Create(t, "grace", "admin")
	first := p.Portal.VisitAsNew(t, "ada", "user")
	first.Open("/portal/account")
	first.Click(browser.Button("Create API key"))
	first.Fill("Name", "typed by Ada")
	second := first.NewTab()
	p.Portal.StartSession(t, second, "grace")
	second.Open("/portal")
	first.WaitGone(browser.Dialog("Create API key"))
	first.WaitText(p.Email("grace"))
}

// TestFraming opens a page of another origin that shows the portal in a frame. The browser must block the frame.
//
//proves:docs/security.md
func TestFraming(t *testing.T) {
	p := e2etest.Shared(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Other site</title><link rel="icon" href="data:,">
			<iframe src="%s/portal"></iframe>`, p.Info.Portal)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	page := p.Portal.VisitAsNew(t, "ada", "user")
	page.Allow("another host")
	page.Open(site.URL)
	page.Allow("frame-ancestors 'none'")
	page.WaitForProblem("net::ERR_BLOCKED_BY_RESPONSE other: GET /portal")
	page.Settle()
	requests := page.Network.FramedRequests()
	if len(requests) == 0 {
		t.Error("the frame sent no request")
	}
	for _, request := range requests {
		if strings.Contains(request.URL, "/portal/assets/") {
			t.Errorf("the frame loaded %s", request.URL)
		}
	}
}

// TestHostileNamesInAnAccount gives an API key and a passkey the names of an attacker.
//
//proves:docs/security.md
func TestHostileNamesInAnAccount(t *testing.T) {
	const name = `<img src=x onerror=alert(1)>{{7*7}}${7*7}=1`
	p := e2etest.Shared(t)
	page := p.Portal.VisitAsNew(t, "eve", "user")
	page.VirtualAuthenticator()
	page.Allow("400 POST /v1/")
	page.Open("/portal/account")
	e2etest.Ready(page)
	page.Click(browser.Button("Create API key"))
	page.Fill("Name", e2etest.DirectionalText)
	page.Press("Enter")
	page.WaitText("must not contain control, formatting")
	page.Fill("Name", name)
	page.Press("Enter")
	page.WaitFor(browser.Heading("The API key is ready"))
	p.Portal.Secret(page, "API key")
	page.Click(browser.Button("I have saved the key"))
	page.WaitFor(browser.Row(name))
	page.Click(browser.Button("Add a passkey"))
	page.Fill("Name", e2etest.DirectionalText)
	page.Press("Enter")
	page.WaitText("must not contain control, formatting")
	page.Press("Escape")
	e2etest.WantInert(t, page)
}
