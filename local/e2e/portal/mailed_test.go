package portal

import (
	"net/http"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

//proves:docs/security.md
func TestActivatePage(t *testing.T) {
	p := e2etest.Shared(t)
	at := p.Admin(t).Post("/v1/users", `{"email":"`+p.Email("ada")+`","name":"Ada <b>Lovelace","role":"user"}`).
		WantStatus(http.StatusCreated).Header.Get("Location")
	if mail, count := p.Mail.Newest(t, "ada"); count != 1 || !strings.Contains(mail.HTML, "Ada &lt;b&gt;Lovelace") {
		t.Errorf("%d mails, the newest with %s", count, mail.HTML)
	}
	path, token := p.Mail.Link(t, "ada")
	page := p.Portal.Visit(t)
	page.Open(path + "#" + token)
	page.WaitFor(browser.Heading("Activate your account"))
	page.WaitURL(path) // the token is not in the address bar
	page.Axe()
	page.Click(browser.Button("Activate"))
	page.WaitFor(browser.Heading("Your account is active"))
	page.WaitText("Welcome, Ada <b>Lovelace.")
	page.Axe()
	key := p.Portal.Secret(page, "API key")
	p.As(t, key).Get(at).WantStatus(http.StatusOK).WantValue("data.status", "active")

	again := p.Portal.Visit(t)
	again.Allow("401 POST /v1/users/activate")
	again.Open(path + "#" + token)
	again.Click(browser.Button("Activate"))
	again.WaitFor(browser.Heading("This did not work"))
	again.Axe()
}

//proves:docs/security.md
func TestCollectPage(t *testing.T) {
	p := e2etest.Shared(t)
	const requests = "/api/v1/credential-requests"
	_, requester := p.Users.Activate(t, "grace", "viewer")
	_, approver := p.Users.Create(t, "approver", "admin")
	id := p.As(t, requester).Post(requests, `{"accessLevel":"full","justification":"Our staging cluster"}`).
		WantStatus(http.StatusCreated).Text("data.id")
	p.As(t, approver).Post(requests+"/"+id+"/approve", `{}`).WantStatus(http.StatusOK)
	path, token := p.Mail.Link(t, "grace")

	page := p.Portal.Visit(t)
	page.Open(path + "#" + token)
	page.WaitFor(browser.Heading("Collect your password"))
	page.Press("Tab", "Enter")
	page.WaitFor(browser.Heading("Your password"))
	p.Portal.Secret(page, "Password")
	page.WaitText("helm repo add vendor")
	page.Click(browser.Role("tab", "Docker"))
	page.WaitText("docker login --username " + page.Value("Username"))
	page.Axe()
	e2etest.FitsWindow(t, page)
	e2etest.WantCopied(t, page, page.Value("Username"), func() { page.Click(browser.Button("Copy: Username")) })
	page.Press("Tab", "Tab")
	if focus := page.Focused(); focus.Name != "Copy: Password" || !focus.Visible {
		t.Errorf("the focus is on %+v, want the visible button that copies the password", focus)
	}
	e2etest.WantCopied(t, page, page.Value("Password"), func() { page.Press("Enter") })
}

func TestMailedPagesWithoutToken(t *testing.T) {
	page := e2etest.Shared(t).Portal.Visit(t)
	for _, name := range []string{"activate", "collect"} {
		page.Open("/portal/" + name)
		page.WaitFor(browser.Heading("Open the link in your email"))
		page.Axe()
	}
}

func TestMailedPagesWhenServerFails(t *testing.T) {
	page := e2etest.Shared(t).Portal.Visit(t)
	page.Open("/portal/collect#psl_x")
	stop := page.Network.Respond("*/collect", http.StatusServiceUnavailable,
		`{"detail":"The service is busy.","requestId":"r-1"}`)
	page.Click(browser.Button("Show the password"))
	page.WaitText("The service is busy.")
	page.WaitText("request ID r-1")
	stop()
	stop = page.Network.Respond("*/collect", 0, "")
	page.Click(browser.Button("Try again"))
	page.WaitText("The server could not be reached.")
	stop()
}
