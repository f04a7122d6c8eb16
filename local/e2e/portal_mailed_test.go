package e2e

import (
	"net/http"
	"testing"

	"portside/local/browser"
)

// TestMailedPages opens the links of mails in a browser and follows them to the end.
func TestMailedPages(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	t.Run("activate", func(t *testing.T) { testActivatePage(t, p) })
	t.Run("collect", func(t *testing.T) { testCollectPage(t, p) })
	t.Run("without a token", func(t *testing.T) { testMailedPagesWithoutToken(t, p) })
	t.Run("server fails", func(t *testing.T) { testMailedPagesWhenServerFails(t, p) })
	p.checkNoSecretsLeaked(t)
}

func testActivatePage(t *testing.T, p *testStack) {
	at := p.admin(t).Post("/v1/users", `{"email":"ada@example.com","name":"Ada <b>Lovelace","role":"user"}`).
		WantStatus(http.StatusCreated).Header.Get("Location")
	path, token := p.mailedLink(t, "ada@example.com")
	p.secrets.add(token)
	page := p.visit(t)
	page.Open(path + "#" + token)
	page.WaitFor(browser.Heading("Activate your account"))
	page.WaitURL(path) // the token is not in the address bar
	page.Axe()
	page.Click(browser.Button("Activate"))
	page.WaitFor(browser.Heading("Your account is active"))
	page.WaitText("Welcome, Ada <b>Lovelace.")
	page.Axe()
	key := page.Value("API key")
	p.secrets.add(key)
	p.anonymous(t).as(key).Get(at).WantStatus(http.StatusOK).WantValue("data.status", "active")

	again := p.visit(t)
	again.Allow("401 POST /v1/users/activate")
	again.Open(path + "#" + token)
	again.Click(browser.Button("Activate"))
	again.WaitFor(browser.Heading("This did not work"))
	again.Axe()
}

func testCollectPage(t *testing.T, p *testStack) {
	const requests = "/api/v1/credential-requests"
	_, requester := p.activateUser(t, "grace@example.com", "viewer")
	_, approver := p.createUser(t, "approver@example.com", "admin")
	id := p.anonymous(t).as(requester).Post(requests, `{"accessLevel":"full","justification":"Our staging cluster"}`).
		WantStatus(http.StatusCreated).Text("data.id")
	p.anonymous(t).as(approver).Post(requests+"/"+id+"/approve", `{}`).WantStatus(http.StatusOK)
	path, token := p.mailedLink(t, "grace@example.com")
	p.secrets.add(token)

	page := p.visit(t)
	page.Open(path + "#" + token)
	page.WaitFor(browser.Heading("Collect your password"))
	page.Press("Tab", "Enter")
	page.WaitFor(browser.Heading("Your password"))
	p.secrets.add(page.Value("Password"))
	page.WaitText("helm repo add vendor")
	page.Click(browser.Role("tab", "Docker"))
	page.WaitText("docker login --username " + page.Value("Username"))
	page.Axe()
	page.Resize(browser.Phone)
	if wide := page.Overflow(); len(wide) > 0 {
		t.Errorf("too wide for a phone: %q", wide)
	}
	page.Click(browser.Button("Copy: Username"))
	page.Press("Tab", "Tab")
	if focus := page.Focused(); focus.Name != "Copy: Password" || !focus.Visible {
		t.Errorf("the focus is on %+v, want the visible button that copies the password", focus)
	}
	page.Press("Enter")
	wantCopied(t, page, page.Value("Password"))
}

func testMailedPagesWithoutToken(t *testing.T, p *testStack) {
	page := p.visit(t)
	for _, name := range []string{"activate", "collect"} {
		page.Open("/portal/" + name)
		page.WaitFor(browser.Heading("Open the link in your email"))
		page.Axe()
	}
}

func testMailedPagesWhenServerFails(t *testing.T, p *testStack) {
	page := p.visit(t)
	page.Open("/portal/collect#psl_x")
	stop := page.Respond("*/collect", http.StatusServiceUnavailable, `{"detail":"The service is busy.","requestId":"r-1"}`)
	page.Click(browser.Button("Show the password"))
	page.WaitText("The service is busy.")
	page.WaitText("request ID r-1")
	stop()
	stop = page.Respond("*/collect", 0, "")
	page.Click(browser.Button("Try again"))
	page.WaitText("The server could not be reached.")
	stop()
}
