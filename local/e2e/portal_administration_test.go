package e2e

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"portside/local/browser"
)

const firstAdmin = "admin@localhost"

// TestAdministrationPages administers users, projects and customers in a browser.
func TestAdministrationPages(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	page := p.visitAs(t, firstAdmin)
	t.Run("create a user", func(t *testing.T) { testCreateUserPage(t, p, page) })
	t.Run("find users", func(t *testing.T) { testFindUsers(t, page) })
	t.Run("change a user", func(t *testing.T) { testUserPage(t, p, page) })
	t.Run("two admins change a user", func(t *testing.T) { testConflict(t, p, page) })
	t.Run("keys and tokens", func(t *testing.T) { testUserCredentials(t, p, page) })
	t.Run("last admin", func(t *testing.T) { testLastAdmin(t, p, page) })
	t.Run("own account", func(t *testing.T) { testOwnAccount(t, p) })
	t.Run("hostile user", func(t *testing.T) { testHostileUser(t, p, page) })
	t.Run("hostile project", func(t *testing.T) { testHostileProject(t, p, page) })
	t.Run("hostile searches", func(t *testing.T) { testHostileSearches(t, page) })
	t.Run("projects", func(t *testing.T) { testProjectPages(t, p, page) })
	t.Run("hostile customer", func(t *testing.T) { testHostileCustomer(t, p, page) })
	t.Run("customers", func(t *testing.T) { testCustomerPages(t, p, page) })
	t.Run("customer of a user", func(t *testing.T) { testCustomerOfUser(t, p, page) })
	t.Run("company", func(t *testing.T) { testCompany(t, p) })
	t.Run("unknown ids", func(t *testing.T) { testUnknownIDs(t, page) })
	t.Run("manager", func(t *testing.T) { testManager(t, p) })
	t.Run("viewer", func(t *testing.T) { testViewer(t, p) })
	t.Run("import", func(t *testing.T) { testImportPage(t, p, page) })
	t.Run("import with cancel", func(t *testing.T) { testImportCancel(t, p, page) })
	t.Run("pages of lists", func(t *testing.T) { testListPages(t, p, page) })
	p.checkNoSecretsLeaked(t)
}

// countPosts returns how many POST requests the page has sent to the path.
func countPosts(page *browser.Page, path string) (count int) {
	for _, r := range page.Requests() {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL, path) {
			count++
		}
	}
	return count
}

// portalPath returns the path of the page that shows the resource at a path of the API.
func portalPath(at string) string { return "/portal" + strings.TrimPrefix(at, "/v1") }

// doubleClick submits the form of the page with two clicks, before the page can draw anything between them.
const doubleClick = `document.querySelector("main form:not([role=search]) button[type=submit]").click(),
	document.querySelector("main form:not([role=search]) button[type=submit]").click(), true`

func testCreateUserPage(t *testing.T, p *testStack, page *browser.Page) {
	page.Open("/portal/users")
	page.WaitFor(browser.Row(firstAdmin))
	page.Axe()
	page.Click(browser.Link("Create user"))
	page.WaitFor(browser.Heading("Create user"))
	page.Allow("400 POST /v1/users")
	page.Fill("Email address", "nonsense")
	page.Click(browser.Button("Create user"))
	page.WaitText("must be an e-mail address such as ada@example.com")
	page.Axe()
	page.Fill("Email address", "Ada@Example.com")
	page.Fill("Name", "Ada")
	page.Select("Role", "Manager")
	page.Click(browser.Button("Add a value"))
	page.Fill("Metadata: key 1", "customerNumber")
	page.Fill("Metadata: value 1", "C-1815")
	before := countPosts(page, "/v1/users")
	browser.Eval[bool](page, doubleClick)
	page.WaitFor(browser.Heading("Ada"))
	if sent := countPosts(page, "/v1/users") - before; sent != 1 {
		t.Errorf("a double click sent %d requests", sent)
	}
	page.WaitText("Pending")
	mail, count := p.newestMail(t, "ada@example.com")
	if count != 1 {
		t.Errorf("%d activation mails: %s", count, mail.Text("subject"))
	}
	testInviteAgain(t, p, page, mail.Text("text"))
}

// testInviteAgain sends another activation mail on the page of a pending user.
func testInviteAgain(t *testing.T, p *testStack, page *browser.Page, firstMail string) {
	t.Helper()
	page.WaitText("The activation email was sent. Its link works until")
	page.Allow("429 POST /v1/users/")
	page.Click(browser.Button("Send another email"))
	page.WaitText("An activation link was sent to this user a short time ago.")
	link := regexp.MustCompile(`psl_([0-9A-Za-z]+)_`).FindStringSubmatch(firstMail)
	if link == nil {
		t.Fatalf("no link in the mail:\n%s", firstMail)
	}
	p.setTime(t, link[1], "created", now().Add(-2*time.Minute))
	page.Click(browser.Button("Send another email"))
	page.WaitText("Another activation email to ada@example.com is on its way.")
	if mail, count := p.newestMail(t, "ada@example.com"); count != 2 {
		t.Errorf("%d activation mails: %s", count, mail.Text("subject"))
	}
}

// testFindUsers finds the user of testCreateUserPage by address and by role.
func testFindUsers(t *testing.T, page *browser.Page) {
	t.Helper()
	page.Open("/portal/users")
	page.Fill(searchUsers, " ADA@example.com")
	page.Press("Enter")
	page.WaitURL("/portal/users?q=ADA%40example.com")
	page.WaitFor(browser.Row("ada@example.com"))
	page.WaitGone(browser.Row(firstAdmin))
	page.Press("Escape")
	page.WaitFor(browser.Row(firstAdmin))
	page.Select("Role", "Viewer")
	page.WaitText("No user matches these filters")
	page.Click(browser.Button("Show all users"))
	page.Select("Role", "Manager")
	page.WaitGone(browser.Row(firstAdmin))
	page.WaitFor(browser.Row("ada@example.com"))
}

func testUserPage(t *testing.T, p *testStack, page *browser.Page) {
	at, key := p.createUser(t, "grace@example.com", "user")
	big := `{"seat":12345678901234567890,"plan":"gold"}`
	p.admin(t).Put(at, `{"metadata":`+big+`}`).WantStatus(http.StatusOK)
	page.Open(portalPath(at))
	page.WaitFor(browser.Heading("grace@example.com"))
	page.Settle()
	page.Axe()
	page.Fill("Name", "Grace Hopper")
	page.Fill("Department (optional)", "Compilers")
	page.Fill("Metadata as JSON", strings.Replace(page.Value("Metadata as JSON"), "gold", "silver", 1))
	page.Click(browser.Button("Save"))
	page.WaitFor(browser.Heading("Grace Hopper"))
	got := p.admin(t).Get(at).WantValue("data.department", "Compilers").WantValue("data.role", "user")
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
	p.anonymous(t).as(key).Get(at).WantStatus(http.StatusUnauthorized)
	page.Click(browser.Button("Reactivate"))
	page.WaitFor(browser.Button("Suspend"))
	p.anonymous(t).as(key).Get(at).WantStatus(http.StatusOK).WantValue("data.department", "Compilers")

	page.Click(browser.Button("Sign out everywhere"))
	page.Axe()
	page.Within(browser.Dialog("Sign Grace Hopper out everywhere?")).Click(browser.Button("Sign out everywhere"))
	page.WaitText("Grace Hopper was signed out everywhere.")
	p.anonymous(t).as(key).Get(at).WantStatus(http.StatusOK) // API keys stay

	page.Click(browser.Button("End all credentials"))
	page.Axe()
	page.Within(browser.Dialog("End all credentials of Grace Hopper?")).Click(browser.Button("End all credentials"))
	page.WaitText("All credentials of Grace Hopper were ended.")
	p.anonymous(t).as(key).Get(at).WantStatus(http.StatusUnauthorized)
	testDeleteUser(t, p, page, at)
}

// testDeleteUser deletes the user whose page is open.
func testDeleteUser(t *testing.T, p *testStack, page *browser.Page, at string) {
	t.Helper()
	page.Click(browser.Button("Delete user"))
	dialog := page.Within(browser.Dialog("Delete Grace Hopper?"))
	dialog.Fill("Type grace@example.com to confirm", "grace")
	dialog.Click(browser.Button("Delete user"))
	dialog.WaitText("must be the email address of the user")
	page.Axe()
	dialog.Fill("Type grace@example.com to confirm", "grace@example.com")
	dialog.Click(browser.Button("Delete user"))
	page.WaitURL("/portal/users")
	p.admin(t).Get(at).WantStatus(http.StatusNotFound)
}

func testConflict(t *testing.T, p *testStack, page *browser.Page) {
	at, _ := p.createUser(t, "edith@example.com", "user")
	page.Allow("412 ")
	page.Open(portalPath(at))
	page.Fill("Department (optional)", "Mine")
	page.Select("Status", "Inactive")
	p.admin(t).Put(at, `{"name":"Edith Clarke","department":"Theirs","role":"viewer"}`).WantStatus(http.StatusOK)
	page.Click(browser.Button("Save"))
	page.WaitText("Someone else has changed this in the meantime.")
	page.WaitText("Role: user → viewer.")
	page.WaitText("Department: (empty) → Theirs. The form still has your value")
	page.Axe()
	if name, typed := page.Value("Name"), page.Value("Department (optional)"); name != "Edith Clarke" || typed != "Mine" {
		t.Errorf("the form has the name %q and the department %q", name, typed)
	}
	p.admin(t).Get(at).WantValue("data.department", "Theirs").WantValue("data.status", "active")
	page.Click(browser.Button("Save"))
	page.WaitFor(browser.Heading("Edith Clarke"))
	p.admin(t).Get(at).WantValue("data.department", "Mine").WantValue("data.status", "inactive").WantValue("data.role", "viewer")

	p.admin(t).Put(at, `{"department":"Changed again"}`).WantStatus(http.StatusOK)
	page.Click(browser.Button("Delete user"))
	dialog := page.Within(browser.Dialog("Delete Edith Clarke?"))
	dialog.Fill("Type edith@example.com to confirm", "edith@example.com")
	dialog.Click(browser.Button("Delete user"))
	dialog.WaitText("Someone else has changed this in the meantime.")
	p.admin(t).Get(at).WantStatus(http.StatusOK)
	dialog.Click(browser.Button("Cancel"))
	page.WaitGone(browser.Dialog("Delete Edith Clarke?"))
	await(t, "the other department", func() bool { return page.Value("Department (optional)") == "Changed again" })
}

func testUserCredentials(t *testing.T, p *testStack, page *browser.Page) {
	at, key := p.createUser(t, "katherine@example.com", "manager")
	token := p.anonymous(t).as(key).Post("/api/v1/tokens", `{"name":"pipeline","scopes":["read:helm-charts"]}`).WantStatus(http.StatusCreated)
	page.Open(portalPath(at))
	page.Click(browser.Button("Create API key"))
	dialog := page.Within(browser.Dialog("Create API key"))
	dialog.Fill("Name", "build server")
	dialog.Select("Expires", "After 90 days")
	dialog.Click(browser.Button("Create API key"))
	created := page.Within(browser.Dialog("The API key is ready"))
	created.WaitFor(browser.Button("Copy: API key"))
	page.Axe()
	secret := created.Value("API key")
	p.secrets.add(secret)
	p.anonymous(t).as(secret).Get(at).WantStatus(http.StatusOK)
	page.Press("Escape") // must not close the dialog, because the key cannot be shown again
	created.Click(browser.Button("I have saved the key"))
	page.WaitFor(browser.Row("build server"))
	page.WaitNoText(secret)
	page.Within(browser.Row("build server")).WaitText("You")
	p.testDeletionWithMade(t, page, at, secret)

	renewed := p.withToken(t, token.Text("data.token")).Post("/api/v1/tokens", `{"name":"successor","scopes":["read:helm-charts"]}`).
		WantStatus(http.StatusCreated)
	page.Within(browser.Row("pipeline")).WaitText("katherine@example.com")
	page.Click(browser.Button("Revoke pipeline"))
	dialog = page.Within(browser.Dialog("Revoke pipeline?"))
	dialog.Check("Also revoke all tokens of its line of renewals", true)
	dialog.Click(browser.Button("Revoke"))
	page.Within(browser.Row("pipeline")).WaitText("Revoked")
	page.Within(browser.Row("successor")).WaitText("Revoked")
	for _, ended := range []response{token, renewed} {
		p.withToken(t, ended.Text("data.token")).Get("/api/v1/tokens").WantStatus(http.StatusUnauthorized)
	}
}

func (p *testStack) withToken(t *testing.T, token string) client {
	t.Helper()
	return p.anonymous(t).With("Authorization", "Bearer "+token)
}

// testDeletionWithMade deletes the key "build server" of the page, which has created another one.
func (p *testStack) testDeletionWithMade(t *testing.T, page *browser.Page, at, key string) {
	t.Helper()
	made := p.anonymous(t).as(key).Post(at+"/api-keys", `{"name":"made with it"}`).WantStatus(http.StatusCreated).Text("data.key")
	page.Open(portalPath(at))
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
		p.anonymous(t).as(ended).Get(at).WantStatus(http.StatusUnauthorized)
	}
}

func testLastAdmin(t *testing.T, p *testStack, page *browser.Page) {
	page.Allow("409 ")
	page.Open(portalPath(p.userPath(t, firstAdmin)))
	page.Click(browser.Button("Suspend"))
	dialog := page.Within(browser.Dialog("Suspend Administrator?"))
	dialog.WaitText("Only another admin can reactivate the account.")
	dialog.Click(browser.Button("Suspend"))
	dialog.WaitText("This is the last active admin. Make another user an active admin first.")
	dialog.Click(browser.Button("Cancel"))
	page.Select("Role", "Viewer")
	page.Click(browser.Button("Save"))
	page.Within(browser.Dialog("Change your own role?")).Click(browser.Button("Change role"))
	page.WaitText("This is the last active admin.")
}

// testOwnAccount takes away access and permissions from the signed-in user. The portal warns each time and then shows the loss.
func testOwnAccount(t *testing.T, p *testStack) {
	at, _ := p.createUser(t, "self@example.com", "admin")
	page := p.visitAs(t, "self@example.com")
	page.Open(portalPath(at))
	testOwnDialogs(t, p, page, at)

	page.Select("Role", "Manager")
	page.Click(browser.Button("Save"))
	dialog := page.Within(browser.Dialog("Change your own role?"))
	dialog.WaitText("You lose permissions at once, and only another admin can give them back.")
	page.Axe()
	dialog.Click(browser.Button("Change role"))
	page.WaitGone(browser.Button("Delete user")) // managers may not delete users
	p.admin(t).Get(at).WantValue("data.role", "manager")

	page.Select("Status", "Inactive")
	page.Click(browser.Button("Save"))
	dialog = page.Within(browser.Dialog("Deactivate your own account?"))
	dialog.WaitText("Only an admin or another manager can reactivate the account.")
	dialog.Click(browser.Button("Deactivate"))
	page.WaitFor(browser.Heading("Sign in"))
	p.admin(t).Get(at).WantValue("data.status", "inactive")
	testOwnSuspension(t, p, page, at)
}

// testOwnDialogs opens the dialogs about the own account and cancels them.
func testOwnDialogs(t *testing.T, p *testStack, page *browser.Page, at string) {
	t.Helper()
	for _, test := range []struct{ button, title, warning string }{
		{"Suspend", "Suspend self@example.com?", "Only another admin can reactivate the account."},
		{"Sign out everywhere", "Sign self@example.com out everywhere?", "You are signed out at once, also here."},
		{"End all credentials", "End all credentials of self@example.com?", "You are signed out at once, and your own programs lose access."},
		{"Delete user", "Delete self@example.com?", "This is your own account. You are signed out at once."},
	} {
		page.Click(browser.Button(test.button))
		dialog := page.Within(browser.Dialog(test.title))
		dialog.WaitText(test.warning)
		dialog.Click(browser.Button("Cancel"))
		page.WaitGone(browser.Dialog(test.title))
	}
	p.admin(t).Get(at).WantValue("data.status", "active")
}

func testOwnSuspension(t *testing.T, p *testStack, page *browser.Page, at string) {
	t.Helper()
	p.admin(t).Put(at, `{"status":"active"}`).WantStatus(http.StatusOK)
	p.startSession(t, page, "self@example.com")
	page.Open(portalPath(at))
	page.Click(browser.Button("Suspend"))
	page.Within(browser.Dialog("Suspend self@example.com?")).Click(browser.Button("Suspend"))
	page.WaitFor(browser.Heading("Sign in"))
	p.admin(t).Get(at).WantValue("data.status", "suspended")
}

func testUnknownIDs(t *testing.T, page *browser.Page) {
	t.Helper()
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

func testManager(t *testing.T, p *testStack) {
	p.createUser(t, "boss@example.com", "manager")
	page := p.visitAs(t, "boss@example.com")
	page.Open(portalPath(p.userPath(t, firstAdmin)))
	page.WaitText("this user's role has more permissions than yours")
	for _, name := range []string{"Save", "Suspend", "Sign out everywhere", "End all credentials", "Delete user", "Create API key"} {
		if page.Count(browser.Button(name)) > 0 {
			t.Errorf("a manager sees the button %q", name)
		}
	}
	page.Open(portalPath(p.userPath(t, "katherine@example.com")))
	page.WaitFor(browser.Button("Save"))
	page.WaitGone(browser.Button("Delete user"))
	page.WaitGone(browser.Heading("API keys"))
	page.Open("/portal/users/new")
	page.WaitFor(browser.Heading("Create user"))
	if roles := browser.Eval[string](page, `document.querySelector("select[name=role]").innerText`); strings.Contains(roles, "Admin") {
		t.Errorf("a manager can choose the roles %q", roles)
	}
	page.Allow("403 POST /v1/users")
	browser.Eval[bool](page, `fetch("/v1/users", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({email: "x@example.com", name: "X", role: "admin"})}).then(async r => { await r.text(); return r.ok })`)
	p.admin(t).Get("/v1/users?email=x@example.com").WantValue("pagination.total", 0)
}

func testViewer(t *testing.T, p *testStack) {
	p.createUser(t, "viewer@example.com", "viewer")
	page := p.visitAs(t, "viewer@example.com")
	page.Open("/portal/users")
	page.WaitFor(browser.Row(firstAdmin))
	for _, name := range []string{"Create user", "Import users"} {
		if page.Count(browser.Link(name)) > 0 {
			t.Errorf("a viewer sees the link %q", name)
		}
	}
	for _, path := range []string{"/portal/users/new", "/portal/users/import", "/portal/projects/new", "/portal/customers/new"} {
		page.Open(path)
		page.WaitFor(browser.Heading("You do not have access to this page"))
	}
	page.Axe()
	testForeignUser(t, p, page)
}
