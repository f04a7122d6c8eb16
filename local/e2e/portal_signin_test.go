package e2e

import (
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portside/local/browser"
)

// signInLink returns the path of the sign-in page with a link that the operator makes for a user.
func (p *testStack) signInLink(t *testing.T, email string) string {
	t.Helper()
	operator := filepath.Join(repository, ".local", "bin", "portside")
	output := p.runCommand(t, operator, "sign-in-link", "--local", p.data, "--email", email)
	for word := range strings.FieldsSeq(output) {
		if path, found := strings.CutPrefix(word, p.info.Portal); found {
			return path
		}
	}
	t.Fatalf("the operator's command printed no link:\n%s", output)
	return ""
}

// signIn signs a user in. The page shows the home page afterwards.
func (p *testStack) signIn(t *testing.T, page *browser.Page, email string) {
	t.Helper()
	page.Open(p.signInLink(t, email))
	page.Click(browser.Button("Sign in"))
	page.WaitFor(browser.Button("Sign out"))
	page.Settle()
}

// askForMail asks for a sign-in mail on the sign-in page, and returns the address of its link and its code.
func (p *testStack) askForMail(t *testing.T, page *browser.Page, email string) (link, code string) {
	t.Helper()
	_, before := p.newestMail(t, email)
	page.Fill("Email address", email)
	page.Press("Enter")
	page.WaitFor(browser.Heading("Check your email"))
	mail := p.awaitMail(t, email, before)
	path, token := p.mailedLink(t, email)
	found := regexp.MustCompile(`there: (\d{10})\s`).FindStringSubmatch(mail.Text("text"))
	if found == nil {
		t.Fatalf("no code in the mail:\n%s", mail.Text("text"))
	}
	p.secrets.add(token)
	return path + "#" + token, found[1]
}

// TestSignIn signs people in to the portal in every way, and tries what must not work.
func TestSignIn(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	p.createUser(t, "ada@example.com", "user")
	p.createUser(t, "grace@example.com", "admin")
	t.Run("link", func(t *testing.T) { testSignInByMailedLink(t, p) })
	t.Run("code", func(t *testing.T) { testSignInByCode(t, p) })
	t.Run("operator's link", func(t *testing.T) { testSignInByOperatorLink(t, p) })
	t.Run("session ends under a form", func(t *testing.T) { testSessionEndsUnderForm(t, p) })
	t.Run("account", func(t *testing.T) { testAccount(t, p) })
	t.Run("passkey", func(t *testing.T) { testPasskey(t, p) })
	t.Run("not recent", func(t *testing.T) { testNotRecent(t, p) })
	t.Run("one session", func(t *testing.T) { testEndOneSession(t, p) })
	t.Run("hostile names", func(t *testing.T) { testHostileNames(t, p) })
	t.Run("other origin", func(t *testing.T) { testOtherOrigin(t, p) })
	t.Run("framing", func(t *testing.T) { testFraming(t, p) })
	t.Run("another user in a tab", func(t *testing.T) { testAnotherUserInATab(t, p) })
	p.checkNoSecretsLeaked(t)
}

func testSignInByMailedLink(t *testing.T, p *testStack) {
	page := p.visit(t)
	page.Open("/portal/account?x=1")
	page.WaitFor(browser.Heading("Sign in"))
	page.WaitURL("/portal/sign-in?return=" + url.QueryEscape("/portal/account?x=1"))
	page.Axe()
	link, _ := p.askForMail(t, page, "ada@example.com")
	page.Axe()

	scanner := p.visit(t) // a mail scanner opens the link, and another browser even clicks
	scanner.Allow("401 POST /v1/sessions")
	scanner.Open(link)
	scanner.WaitURL("/portal/sign-in") // the token is not in the address bar
	scanner.Click(browser.Button("Sign in"))
	scanner.WaitText("This sign-in does not work")
	scanner.Axe()
	scanner.Click(browser.Button("Sign in another way"))
	scanner.WaitFor(browser.Button("Send me an email"))

	page.Open(link)
	page.Click(browser.Button("Sign in"))
	page.WaitURL("/portal")
	page.WaitText("ada@example.com")
	page.Allow("401 POST /v1/sessions")
	page.Open(link)
	page.Click(browser.Button("Sign in"))
	page.WaitText("has already been used")
}

func testSignInByCode(t *testing.T, p *testStack) {
	page := p.visit(t)
	page.Open("/portal/sign-in?return=" + url.QueryEscape("/portal/account"))
	_, code := p.askForMail(t, page, "grace@example.com")
	page.Allow("401 POST /v1/sessions")
	wrong := "00000000"
	if code == wrong {
		wrong = "00000001"
	}
	page.Fill("Code", wrong)
	page.Press("Enter")
	page.WaitText("This sign-in does not work")
	if kept := page.Value("Code"); kept != wrong {
		t.Errorf("the field has %q, want what was typed", kept)
	}
	page.Fill("Code", code[:4]+" "+code[4:])
	page.Press("Enter")
	page.WaitFor(browser.Heading("Account"))
	page.WaitURL("/portal/account")
	page.Settle() // a request that is under way would get a 401 after the sign-out
	browser.Eval[float64](page, `sessionStorage.setItem("media", "Grace's settings"), sessionStorage.length`)
	page.Click(browser.Button("Sign out"))
	page.WaitFor(browser.Heading("Sign in"))
	if kept := browser.Eval[float64](page, "sessionStorage.length"); kept != 0 {
		t.Errorf("the tab keeps %v values after the sign-out", kept)
	}
}

func testSignInByOperatorLink(t *testing.T, p *testStack) {
	page := p.visit(t)
	p.signIn(t, page, "ada@example.com")
	page.Open("/portal/sign-in?return=" + url.QueryEscape("https://evil.example/portal")) // signed in already
	page.WaitURL("/portal")
}

// testSessionEndsUnderForm ends the session while a form is open, and signs in again. The form keeps its text.
func testSessionEndsUnderForm(t *testing.T, p *testStack) {
	page := p.visit(t)
	p.signIn(t, page, "grace@example.com")
	page.Open("/portal/account")
	page.Settle() // tables move the button
	page.Click(browser.Button("Create API key"))
	page.Fill("Name", "build <b>server")
	other := p.visit(t)
	p.signIn(t, other, "grace@example.com")
	other.Open("/portal/account")
	other.Click(browser.Button("Sign out everywhere"))
	page.Allow("401 POST")
	page.Allow("401 GET") // the page may still load names
	other.Within(browser.Dialog("Sign out everywhere?")).Click(browser.Button("Sign out everywhere"))
	other.WaitFor(browser.Heading("Sign in"))

	page.Press("Enter")
	dialog := page.Within(browser.Dialog("Sign in again"))
	dialog.WaitText("grace@example.com")
	page.Axe()
	_, before := p.newestMail(t, "grace@example.com")
	dialog.Click(browser.Button("Send me an email"))
	dialog.WaitFor(browser.Heading("Check your email"))
	mail := p.awaitMail(t, "grace@example.com", before)
	code := regexp.MustCompile(`there: (\d{10})\s`).FindStringSubmatch(mail.Text("text"))
	dialog.Fill("Code", code[1])
	page.Press("Enter")
	page.WaitGone(browser.Dialog("Sign in again"))
	p.secrets.add(page.Value("API key"))
	page.Click(browser.Button("I have saved the key"))
	page.WaitText("build <b>server")
}

func testAccount(t *testing.T, p *testStack) {
	first, second := p.visit(t), p.visit(t)
	p.signIn(t, first, "ada@example.com")
	p.signIn(t, second, "ada@example.com")
	second.Open("/portal/account")
	second.WaitText("This browser")
	second.Axe()
	second.SetTheme(browser.Dark)
	second.Axe()
	second.Resize(browser.Phone)
	if wide := second.Overflow(); len(wide) > 0 {
		t.Errorf("too wide for a phone: %q", wide)
	}
	second.Resize(browser.Desktop)
	second.Click(browser.Button("Sign out everywhere"))
	second.Within(browser.Dialog("Sign out everywhere?")).Click(browser.Button("Sign out everywhere"))
	second.WaitFor(browser.Heading("Sign in"))
	first.Open("/portal/account")
	first.WaitFor(browser.Heading("Sign in"))
}

func testPasskey(t *testing.T, p *testStack) {
	page := p.visit(t)
	device := page.VirtualAuthenticator()
	p.signIn(t, page, "ada@example.com")
	page.Open("/portal/account")
	page.WaitText("You have no passkeys.")
	page.Click(browser.Button("Add a passkey"))
	page.Fill("Name", "Work <i>laptop")
	page.Press("Enter")
	page.WaitFor(browser.Row("Work <i>laptop"))
	if n := device.Passkeys(); n != 1 {
		t.Fatalf("%d passkeys on the device, want 1", n)
	}
	device.SetUserVerified(false)
	page.Settle() // a request that is on the way would get a 401
	page.Click(browser.Button("Sign out"))
	page.WaitFor(browser.Heading("Sign in"))
	page.Click(browser.Button("Use a passkey"))
	page.WaitText("The passkey was not used.")
	page.Axe()
	device.SetUserVerified(true)
	page.Click(browser.Button("Use a passkey"))
	page.WaitFor(browser.Heading("Account"))
	device.SetUserVerified(false)
	page.Click(browser.Button("Sign out"))
	page.WaitFor(browser.Heading("Sign in"))
	device.SetUserVerified(true)
	page.Reload() // the device confirms the passkey that the field of the address offers
	page.WaitFor(browser.Heading("Account"))
	page.Click(browser.Button("Delete the passkey Work <i>laptop"))
	page.Within(browser.Dialog("Delete the passkey Work <i>laptop?")).Click(browser.Button("Delete"))
	page.WaitText("You have no passkeys.")
}

// testOtherOrigin sends requests as a browser sends them from a page of another origin.
func testOtherOrigin(t *testing.T, p *testStack) {
	visitor := p.anonymous(t).With("Origin", "http://evil.example").With("Sec-Fetch-Site", "cross-site")
	visitor.Post("/v1/sign-in/links", `{"email":"ada@example.com"}`).WantStatus(http.StatusForbidden)
	visitor.Post("/v1/sessions", `{"token":"x"}`).WantStatus(http.StatusForbidden)
}
