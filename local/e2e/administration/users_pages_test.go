package administration

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

func TestCreateUserPage(t *testing.T) {
	p, page := visitAsAdmin(t)
	page.Open("/portal/users")
	page.WaitFor(browser.Row(e2etest.FirstAdmin))
	page.Axe()
	page.Click(browser.Link("Create user"))
	page.WaitFor(browser.Heading("Create user"))
	page.Allow("400 POST /v1/users")
	page.Fill("Email address", "nonsense")
	page.Click(browser.Button("Create user"))
	page.WaitText("must be an email address such as ada@example.com")
	page.Axe()
	page.Fill("Email address", strings.ToUpper(p.Email("ada")))
	page.Fill("Name", "Ada")
	page.Select("Role", "Manager")
	page.Click(browser.Button("Add a value"))
	page.Fill("Metadata: key 1", "customerNumber")
	page.Fill("Metadata: value 1", "C-1815")
	e2etest.DoubleClick(t, page, "/v1/users", func() { page.WaitFor(browser.Heading("Ada")) })
	page.WaitText("Pending")
	mail, count := p.Mail.Newest(t, "ada")
	if count != 1 {
		t.Errorf("%d activation mails: %s", count, mail.Subject)
	}
	testInviteAgain(t, p, page, mail.Text)
}

// testInviteAgain sends another activation mail on the page of a pending user.
func testInviteAgain(t *testing.T, p *e2etest.Stack, page *browser.Page, firstMail string) {
	t.Helper()
	page.WaitText("The activation email was sent. Its link works until")
	page.Allow("429 POST /v1/users/")
	page.Click(browser.Button("Send another email"))
	page.WaitText("An activation link was sent to this user a short time ago.")
	link := regexp.MustCompile(`psl_([0-9A-Za-z]+)_`).FindStringSubmatch(firstMail)
	if link == nil {
		t.Fatalf("no link in the mail:\n%s", firstMail)
	}
	p.Users.SetTime(t, link[1], "created", e2etest.Now().Add(-2*time.Minute))
	page.Click(browser.Button("Send another email"))
	page.WaitText("Another activation email to " + p.Email("ada") + " is on its way.")
	if mail, count := p.Mail.Newest(t, "ada"); count != 2 {
		t.Errorf("%d activation mails: %s", count, mail.Subject)
	}
}

// TestFilterUsers finds a user by address and by role, in the list of the users of a customer.
func TestFilterUsers(t *testing.T) {
	p := e2etest.Shared(t)
	acme := p.CreateCustomer(t, "Acme Shipping", "acme")
	p.Users.CreateOf(t, acme, "ada", "manager")
	p.Users.CreateOf(t, acme, "chief", "admin")
	ada, chief := browser.Row(p.Email("ada")), browser.Row(p.Email("chief"))
	page := p.Portal.VisitAs(t, "chief")
	page.Open("/portal/users")
	page.WaitFor(chief)
	address := strings.ToUpper(p.Email("ada"))
	page.Fill(e2etest.SearchUsers, " "+address)
	page.Press("Enter")
	page.WaitURL("/portal/users?q=" + url.QueryEscape(address))
	page.WaitFor(ada)
	page.WaitGone(chief)
	page.Press("Escape")
	page.WaitFor(chief)
	page.Select("Role", "Viewer")
	page.WaitText("No user matches these filters")
	page.Click(browser.Button("Show all users"))
	page.Select("Role", "Manager")
	page.WaitGone(chief)
	page.WaitFor(ada)
}

func TestUserPage(t *testing.T) {
	p, page := visitAsAdmin(t)
	at, key := p.Users.Create(t, "grace", "user")
	big := `{"seat":12345678901234567890,"plan":"gold"}`
	p.Admin(t).Put(at, `{"metadata":`+big+`}`).WantStatus(http.StatusOK)
	page.Open(e2etest.PortalPath(at))
	page.WaitFor(browser.Heading(p.Email("grace")))
	page.Settle()
	page.Axe()
	page.Fill("Name", "Grace Hopper")
	page.Fill("Department (optional)", "Compilers")
	page.Fill("Metadata as JSON", strings.Replace(page.Value("Metadata as JSON"), "gold", "silver", 1))
	page.Click(browser.Button("Save"))
	page.WaitFor(browser.Heading("Grace Hopper"))
	got := p.Admin(t).Get(at).WantValue("data.department", "Compilers").WantValue("data.role", "user")
	if !strings.Contains(string(got.Body), `"seat":12345678901234567890,"plan":"silver"`) {
		t.Errorf("the metadata are %s", got.Body)
	}
	page.Fill("Department (optional)", "typed and not saved")
	page.Click(browser.Button("Suspend"))
	page.Within(browser.Dialog("Suspend Grace Hopper?")).Click(browser.Button("Suspend"))
	page.WaitFor(browser.Button("Reactivate"))
	if typed := page.Value("Department (optional)"); typed != "typed and not saved" {
		t.Errorf("the field has %q: the page lost what was typed", typed)
	}
	p.As(t, key).Get(at).WantStatus(http.StatusUnauthorized)
	page.Click(browser.Button("Reactivate"))
	page.WaitFor(browser.Button("Suspend"))
	p.As(t, key).Get(at).WantStatus(http.StatusOK).WantValue("data.department", "Compilers")

	page.Click(browser.Button("Sign out everywhere"))
	page.Axe()
	page.Within(browser.Dialog("Sign Grace Hopper out everywhere?")).Click(browser.Button("Sign out everywhere"))
	page.WaitText("Grace Hopper was signed out everywhere.")
	p.As(t, key).Get(at).WantStatus(http.StatusOK) // API keys stay

	page.Click(browser.Button("End all credentials"))
	page.Axe()
	page.Within(browser.Dialog("End all credentials of Grace Hopper?")).Click(browser.Button("End all credentials"))
	page.WaitText("All credentials of Grace Hopper were ended.")
	p.As(t, key).Get(at).WantStatus(http.StatusUnauthorized)
	testDeleteUser(t, p, page, at)
}

// testDeleteUser deletes the user whose page is open.
func testDeleteUser(t *testing.T, p *e2etest.Stack, page *browser.Page, at string) {
	t.Helper()
	page.Click(browser.Button("Delete user"))
	dialog := page.Within(browser.Dialog("Delete Grace Hopper?"))
	dialog.Fill("Type "+p.Email("grace")+" to confirm", "grace")
	dialog.Click(browser.Button("Delete user"))
	dialog.WaitText("must be the email address of the user")
	page.Axe()
	dialog.Fill("Type "+p.Email("grace")+" to confirm", p.Email("grace"))
	dialog.Click(browser.Button("Delete user"))
	page.WaitURL("/portal/users")
	p.Admin(t).Get(at).WantStatus(http.StatusNotFound)
}

func TestTwoAdminsChangeAUser(t *testing.T) {
	p, page := visitAsAdmin(t)
	at, _ := p.Users.Create(t, "edith", "user")
	page.Allow("412 ")
	page.Open(e2etest.PortalPath(at))
	page.Fill("Department (optional)", "Mine")
	page.Select("Status", "Inactive")
	p.Admin(t).Put(at, `{"name":"Edith Clarke","department":"Theirs","role":"viewer"}`).WantStatus(http.StatusOK)
	page.Click(browser.Button("Save"))
	page.WaitText("Someone else has changed this in the meantime.")
	page.WaitText("Role: user → viewer.")
	page.WaitText("Department: (empty) → Theirs. The form still has your value")
	page.Axe()
	if name, typed := page.Value("Name"), page.Value("Department (optional)"); name != "Edith Clarke" || typed != "Mine" {
		t.Errorf("the form has the name %q and the department %q", name, typed)
	}
	p.Admin(t).Get(at).WantValue("data.department", "Theirs").WantValue("data.status", "active")
	page.Click(browser.Button("Save"))
	page.WaitFor(browser.Heading("Edith Clarke"))
	p.Admin(t).Get(at).WantValue("data.department", "Mine").WantValue("data.status", "inactive").
		WantValue("data.role", "viewer")

	p.Admin(t).Put(at, `{"department":"Changed again"}`).WantStatus(http.StatusOK)
	page.Click(browser.Button("Delete user"))
	dialog := page.Within(browser.Dialog("Delete Edith Clarke?"))
	dialog.Fill("Type "+p.Email("edith")+" to confirm", p.Email("edith"))
	dialog.Click(browser.Button("Delete user"))
	dialog.WaitText("Someone else has changed this in the meantime.")
	p.Admin(t).Get(at).WantStatus(http.StatusOK)
	dialog.Click(browser.Button("Cancel"))
	page.WaitGone(browser.Dialog("Delete Edith Clarke?"))
	e2etest.Await(t, "the other department", func() bool { return page.Value("Department (optional)") == "Changed again" })
}

func TestUserCredentialsPage(t *testing.T) {
	p, page := visitAsAdmin(t)
	at, key := p.Users.Create(t, "katherine", "manager")
	token := p.As(t, key).Post("/api/v1/tokens", `{"name":"pipeline","scopes":["read:helm-charts"]}`).
		WantStatus(http.StatusCreated)
	page.Open(e2etest.PortalPath(at))
	page.Click(browser.Button("Create API key"))
	dialog := page.Within(browser.Dialog("Create API key"))
	dialog.Fill("Name", "build server")
	dialog.Select("Expires", "After 90 days")
	dialog.Click(browser.Button("Create API key"))
	created := page.Within(browser.Dialog("The API key is ready"))
	created.WaitFor(browser.Button("Copy: API key"))
	page.Axe()
	secret := p.Portal.Secret(page, "API key")
	p.As(t, secret).Get(at).WantStatus(http.StatusOK)
	page.Press("Escape") // must not close the dialog, because the key cannot be shown again
	created.Click(browser.Button("I have saved the key"))
	page.WaitFor(browser.Row("build server"))
	page.WaitNoText(secret)
	page.Within(browser.Row("build server")).WaitText("You")
	testDeletionWithMade(t, p, page, [2]string{at, secret})

	renewed := p.WithToken(t, token.Text("data.token")).
		Post("/api/v1/tokens", `{"name":"successor","scopes":["read:helm-charts"]}`).
		WantStatus(http.StatusCreated)
	page.Within(browser.Row("pipeline")).WaitText(p.Email("katherine"))
	page.Click(browser.Button("Revoke pipeline"))
	dialog = page.Within(browser.Dialog("Revoke pipeline?"))
	dialog.Check("Also revoke all tokens of its line of renewals", true)
	dialog.Click(browser.Button("Revoke"))
	page.Within(browser.Row("pipeline")).WaitText("Revoked")
	page.Within(browser.Row("successor")).WaitText("Revoked")
	for _, ended := range []e2etest.Response{token, renewed} {
		p.WithToken(t, ended.Text("data.token")).Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized)
	}
}

// testDeletionWithMade deletes the key "build server" of the page, which has created another one.
func testDeletionWithMade(t *testing.T, p *e2etest.Stack, page *browser.Page, user [2]string) {
	t.Helper()
	at, key := user[0], user[1]
	made := p.As(t, key).Post(at+"/api-keys", `{"name":"made with it"}`).WantStatus(http.StatusCreated).Text("data.key")
	page.Open(e2etest.PortalPath(at))
	page.Within(browser.Row("made with it")).WaitText("with a credential created by You")
	page.Axe()
	page.Click(browser.Button("Delete the API key build server"))
	dialog := page.Within(browser.Dialog("Delete the API key build server?"))
	dialog.Check("Also end everything that was created with this key", true)
	page.Axe()
	dialog.Click(browser.Button("Delete"))
	page.WaitGone(browser.Row("build server"))
	page.WaitGone(browser.Row("made with it"))
	for _, ended := range []string{key, made} {
		p.As(t, ended).Get(at).WantStatus(http.StatusUnauthorized)
	}
}

// TestOwnAccountPage takes away access and permissions from the signed-in user. The portal warns each time and then
// shows the loss.
func TestOwnAccountPage(t *testing.T) {
	p := e2etest.Shared(t)
	at, _ := p.Users.Create(t, "self", "admin")
	page := p.Portal.VisitAs(t, "self")
	page.Open(e2etest.PortalPath(at))
	testOwnDialogs(t, p, page, at)

	page.Select("Role", "Manager")
	page.Click(browser.Button("Save"))
	dialog := page.Within(browser.Dialog("Change your own role?"))
	dialog.WaitText("You lose permissions at once, and only another admin can give them back.")
	page.Axe()
	dialog.Click(browser.Button("Change role"))
	page.WaitGone(browser.Button("Delete user")) // managers may not delete users
	p.Admin(t).Get(at).WantValue("data.role", "manager")

	page.Select("Status", "Inactive")
	page.Click(browser.Button("Save"))
	dialog = page.Within(browser.Dialog("Deactivate your own account?"))
	dialog.WaitText("Only an admin or another manager can reactivate the account.")
	dialog.Click(browser.Button("Deactivate"))
	e2etest.WaitSignedOut(page)
	p.Admin(t).Get(at).WantValue("data.status", "inactive")
	testOwnSuspension(t, p, page, at)
}

// testOwnDialogs opens the dialogs about the own account and cancels them.
func testOwnDialogs(t *testing.T, p *e2etest.Stack, page *browser.Page, at string) {
	t.Helper()
	self := p.Email("self")
	for _, test := range []struct{ button, title, warning string }{
		{"Suspend", "Suspend " + self + "?", "Only another admin can reactivate the account."},
		{"Sign out everywhere", "Sign " + self + " out everywhere?", "You are signed out at once, also here."},
		{"End all credentials", "End all credentials of " + self + "?", "You are signed out at once, and your own programs lose access."},
		{"Delete user", "Delete " + self + "?", "This is your own account. You are signed out at once."},
	} {
		page.Click(browser.Button(test.button))
		dialog := page.Within(browser.Dialog(test.title))
		dialog.WaitText(test.warning)
		dialog.Click(browser.Button("Cancel"))
		page.WaitGone(browser.Dialog(test.title))
	}
	p.Admin(t).Get(at).WantValue("data.status", "active")
}

func testOwnSuspension(t *testing.T, p *e2etest.Stack, page *browser.Page, at string) {
	t.Helper()
	p.Admin(t).Put(at, `{"status":"active"}`).WantStatus(http.StatusOK)
	p.Portal.StartSession(t, page, "self")
	page.Open(e2etest.PortalPath(at))
	page.Click(browser.Button("Suspend"))
	page.Within(browser.Dialog("Suspend " + p.Email("self") + "?")).Click(browser.Button("Suspend"))
	e2etest.WaitSignedOut(page)
	p.Admin(t).Get(at).WantValue("data.status", "suspended")
}

func TestUnknownIDs(t *testing.T) {
	_, page := visitAsAdmin(t)
	page.Allow("404 GET")
	page.Allow("400 GET")
	for path, want := range map[string]string{
		"/portal/users/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11": "The user does not exist.",
		"/portal/users/junk":                                     "must be a UUID",
		"/portal/users/..%2Fprojects":                            "There is nothing at this path.",
		"/portal/projects/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11":  "The project does not exist.",
		"/portal/projects/%3Cb%3E":                               "must be a UUID",
		"/portal/customers/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11": "The customer does not exist.",
		"/portal/users/1/2":                                      "Page not found",
	} {
		page.Open(path)
		page.WaitText(want)
	}
}

func TestManagersSeeNoAdminsActions(t *testing.T) {
	p := e2etest.Shared(t)
	p.Users.Create(t, "katherine", "manager")
	page := p.Portal.VisitAsNew(t, "boss", "manager")
	page.Open(e2etest.PortalPath(p.Users.Path(t, e2etest.FirstAdmin)))
	page.WaitText("this user's role has more permissions than yours")
	for _, name := range []string{"Save", "Suspend", "Sign out everywhere", "End all credentials", "Delete user",
		"Create API key"} {
		if page.Count(browser.Button(name)) > 0 {
			t.Errorf("a manager sees the button %q", name)
		}
	}
	page.Open(e2etest.PortalPath(p.Users.Path(t, "katherine")))
	page.WaitFor(browser.Button("Save"))
	page.WaitGone(browser.Button("Delete user"))
	page.WaitGone(browser.Heading("API keys"))
	page.Open("/portal/users/new")
	page.WaitFor(browser.Heading("Create user"))
	if roles := browser.Eval[string](page,
		`document.querySelector("select[name=role]").innerText`); strings.Contains(roles, "Admin") {
		t.Errorf("a manager can choose the roles %q", roles)
	}
	page.Allow("403 POST /v1/users")
	browser.Eval[bool](page, `fetch("/v1/users", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({email: "`+p.Email("x")+`", name: "X", role: "admin"})}).then(async r => { await r.text(); return r.ok })`)
	p.Admin(t).Get("/v1/users?email="+p.Email("x")).WantValue("pagination.total", 0)
}

func TestViewersChangeNothing(t *testing.T) {
	p := e2etest.Shared(t)
	page := p.Portal.VisitAsNew(t, "viewer", "viewer")
	page.Open("/portal/users")
	page.WaitFor(browser.Row(e2etest.FirstAdmin))
	for _, name := range []string{"Create user", "Import users"} {
		if page.Count(browser.Link(name)) > 0 {
			t.Errorf("a viewer sees the link %q", name)
		}
	}
	for _, path := range []string{"/portal/users/new", "/portal/users/import", "/portal/projects/new",
		"/portal/customers/new"} {
		page.Open(path)
		page.WaitFor(browser.Heading("You do not have access to this page"))
	}
	page.Axe()
	testForeignUser(t, p, page)
}

// testForeignUser opens the page of an admin as a viewer, who can read users but not their credentials.
func testForeignUser(t *testing.T, p *e2etest.Stack, page *browser.Page) {
	t.Helper()
	at := p.Users.Path(t, e2etest.FirstAdmin)
	page.Open(e2etest.PortalPath(at))
	page.WaitFor(browser.Heading("Administrator"))
	e2etest.Ready(page)
	for _, name := range []string{"Save", "Suspend", "Delete user", "Create API key"} {
		if page.Count(browser.Button(name)) > 0 {
			t.Errorf("a viewer sees the button %q", name)
		}
	}
	if page.Count(browser.Heading("API keys")) > 0 {
		t.Error("a viewer sees the keys of an admin")
	}
	for _, path := range []string{at + "/api-keys", "/api/v1/tokens?userId=" + strings.TrimPrefix(at, "/v1/users/")} {
		page.Allow("403 GET " + path)
		status := browser.Eval[int](page,
			`fetch(`+e2etest.QuoteJS(t, path)+`).then(async r => { await r.text(); return r.status })`)
		if status != http.StatusForbidden {
			t.Errorf("%s answers a viewer with %d", path, status)
		}
	}
}
