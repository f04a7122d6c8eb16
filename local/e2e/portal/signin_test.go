package portal

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// signIn signs a user in with a link of the operator. The page shows the home page afterwards.
func signIn(t *testing.T, p *e2etest.Stack, page *browser.Page, person string) {
	t.Helper()
	page.Open(p.Users.SignInLink(t, person))
	page.Click(browser.Button("Sign in"))
	page.WaitFor(browser.Button("Sign out"))
	page.Settle()
}

// codeInMail matches the code in a sign-in mail.
var codeInMail = regexp.MustCompile(`there: (\d{10})\s`)

// awaitCode presses the button that asks for a sign-in mail, and returns the code of the mail.
func awaitCode(t *testing.T, p *e2etest.Stack, person string, press func()) string {
	t.Helper()
	_, before := p.Mail.Newest(t, person)
	press()
	mail := p.Mail.Await(t, person, before)
	found := codeInMail.FindStringSubmatch(mail.Text)
	if found == nil {
		t.Fatalf("no code in the mail:\n%s", mail.Text)
	}
	return found[1]
}

// askForMail asks for a sign-in mail on the sign-in page, and returns its code.
func askForMail(t *testing.T, p *e2etest.Stack, page *browser.Page, person string) string {
	t.Helper()
	return awaitCode(t, p, person, func() {
		page.Fill("Email address", p.Email(person))
		page.Press("Enter")
		page.WaitFor(browser.Heading("Check your email"))
	})
}

// TestSignInPageHasNoErrors opens the page as a new visitor, and in browsers whose session has ended or expired. The
// page requests the current session. If the browser reports an error in its console, the test fails.
func TestSignInPageHasNoErrors(t *testing.T) {
	p := e2etest.Shared(t)
	_, key := p.Users.Create(t, "maryam", "user")
	ended, expired := p.Users.SignIn(t, "maryam"), p.Users.SignIn(t, "maryam")
	_, text, _ := strings.Cut(expired, "=")
	p.Users.Expire(t, text)
	_, text, _ = strings.Cut(ended, "=")
	p.As(t, key).Delete("/v1/sessions/" + e2etest.PublicID(text)).WantStatus(http.StatusNoContent)
	for _, cookie := range []string{"", "__Host-portside-session=x", ended, expired} {
		page := p.Portal.Visit(t)
		if cookie != "" {
			page.Window.SetCookie(cookie)
		}
		for _, path := range []string{"/portal/sign-in", "/portal/account"} {
			page.Open(path)
			page.WaitFor(browser.Heading("Sign in"))
			e2etest.Ready(page)
		}
	}
}

func TestSignInByMailedLink(t *testing.T) {
	p := e2etest.Shared(t)
	p.Users.Create(t, "ada", "user")
	page := p.Portal.Visit(t)
	page.Open("/portal/account?x=1")
	page.WaitFor(browser.Heading("Sign in"))
	page.WaitURL("/portal/sign-in?return=" + url.QueryEscape("/portal/account?x=1"))
	page.Axe()
	askForMail(t, p, page, "ada")
	path, token := p.Mail.Link(t, "ada")
	link := path + "#" + token
	page.Axe()

	scanner := p.Portal.Visit(t) // a mail scanner opens the link, and another browser even clicks
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
	page.WaitText(p.Email("ada"))
	page.Allow("401 POST /v1/sessions")
	page.Open(link)
	page.Click(browser.Button("Sign in"))
	page.WaitText("has already been used")
}

//proves:docs/security.md
func TestSignInByCode(t *testing.T) {
	p := e2etest.Shared(t)
	p.Users.Create(t, "grace", "admin")
	page := p.Portal.Visit(t)
	page.Open("/portal/sign-in?return=" + url.QueryEscape("/portal/account"))
	code := askForMail(t, p, page, "grace")
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
	browser.Eval[float64](page, `sessionStorage.setItem("media", "Grace's settings"), sessionStorage.length`)
	page.Click(browser.Button("Sign out"))
	e2etest.WaitSignedOut(page)
	if kept := browser.Eval[float64](page, "sessionStorage.length"); kept != 0 {
		t.Errorf("the tab keeps %v values after the sign-out", kept)
	}
}

func TestSignInByOperatorLink(t *testing.T) {
	p := e2etest.Shared(t)
	p.Users.Create(t, "ada", "user")
	page := p.Portal.Visit(t)
	signIn(t, p, page, "ada")
	page.Open("/portal/sign-in?return=" + url.QueryEscape("https://evil.example/portal")) // signed in already
	page.WaitURL("/portal")
}

// TestSessionEndsUnderForm ends the session while a form is open, and signs in again. The form keeps its text.
func TestSessionEndsUnderForm(t *testing.T) {
	p := e2etest.Shared(t)
	p.Users.Create(t, "grace", "admin")
	page := p.Portal.Visit(t)
	signIn(t, p, page, "grace")
	page.Open("/portal/account")
	page.Settle() // tables move the button
	page.Click(browser.Button("Create API key"))
	page.Fill("Name", "build <b>server")
	other := p.Portal.Visit(t)
	signIn(t, p, other, "grace")
	other.Open("/portal/account")
	other.Click(browser.Button("Sign out everywhere"))
	page.Allow("401 ") // also of names that the page still loads
	other.Within(browser.Dialog("Sign out everywhere?")).Click(browser.Button("Sign out everywhere"))
	e2etest.WaitSignedOut(other)

	page.Press("Enter")
	dialog := page.Within(browser.Dialog("Sign in again"))
	dialog.WaitText(p.Email("grace"))
	page.Axe()
	dialog.Fill("Code", awaitCode(t, p, "grace", func() {
		dialog.Click(browser.Button("Send me an email"))
		dialog.WaitFor(browser.Heading("Check your email"))
	}))
	page.Press("Enter")
	page.WaitGone(browser.Dialog("Sign in again"))
	p.Portal.Secret(page, "API key")
	page.Click(browser.Button("I have saved the key"))
	page.WaitText("build <b>server")
}

func TestAccountEndsAllSessions(t *testing.T) {
	p := e2etest.Shared(t)
	p.Users.Create(t, "ada", "user")
	first, second := p.Portal.Visit(t), p.Portal.Visit(t)
	signIn(t, p, first, "ada")
	signIn(t, p, second, "ada")
	second.Open("/portal/account")
	second.WaitText("This browser")
	second.Axe()
	e2etest.FitsWindow(t, second)
	second.Click(browser.Button("Sign out everywhere"))
	second.Within(browser.Dialog("Sign out everywhere?")).Click(browser.Button("Sign out everywhere"))
	e2etest.WaitSignedOut(second)
	first.Open("/portal/account")
	e2etest.WaitSignedOut(first)
}

func TestPasskeysOfAnAccount(t *testing.T) {
	p := e2etest.Shared(t)
	p.Users.Create(t, "ada", "user")
	page := p.Portal.Visit(t)
	device := page.VirtualAuthenticator()
	signIn(t, p, page, "ada")
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
	page.Click(browser.Button("Sign out"))
	e2etest.WaitSignedOut(page)
	page.Click(browser.Button("Use a passkey"))
	page.WaitText("The passkey was not used.")
	page.Axe()
	device.SetUserVerified(true)
	page.Click(browser.Button("Use a passkey"))
	page.WaitFor(browser.Heading("Account"))
	device.SetUserVerified(false)
	page.Click(browser.Button("Sign out"))
	e2etest.WaitSignedOut(page)
	device.SetUserVerified(true)
	page.Reload() // the device confirms the passkey that the field of the address offers
	page.WaitFor(browser.Heading("Account"))
	page.Click(browser.Button("Delete the passkey Work <i>laptop"))
	page.Within(browser.Dialog("Delete the passkey Work <i>laptop?")).Click(browser.Button("Delete"))
	page.WaitText("You have no passkeys.")
	device.SetUserVerified(false)
	page.Click(browser.Button("Sign out"))
	e2etest.WaitSignedOut(page)
	page.Allow("401 POST /v1/sessions")
	device.SetUserVerified(true)
	page.Click(browser.Button("Use a passkey")) // which the device still has
	page.WaitText("This passkey does not work here.")
}

// TestOtherOrigin sends requests as a browser sends them from a page of another origin.
func TestOtherOrigin(t *testing.T) {
	p := e2etest.Shared(t)
	visitor := p.Anonymous(t).With("Origin", "http://evil.example").With("Sec-Fetch-Site", "cross-site")
	visitor.Post("/v1/sign-in/links", `{"email":"ada@example.com"}`).WantStatus(http.StatusForbidden)
	visitor.Post("/v1/sessions", `{"token":"x"}`).WantStatus(http.StatusForbidden)
}
