package distribution

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// newApprover returns a tab of a new admin, who decides on requests.
func (m shop) newApprover(t *testing.T) *browser.Page {
	t.Helper()
	return m.Portal.VisitAsNew(t, "approver", "admin")
}

// decide decides on a request as the first admin.
func (m shop) decide(t *testing.T, id, decision, body string) {
	t.Helper()
	m.Admin(t).Post("/api/v1/credential-requests/"+id+"/"+decision, body).WantStatus(http.StatusOK)
}

// request requests a credential as the manager, and returns the ID.
func (m shop) request(t *testing.T, level, justification string) string {
	t.Helper()
	return m.manager.Post("/api/v1/credential-requests",
		`{"accessLevel":"`+level+`","justification":"`+justification+`"}`).
		WantStatus(http.StatusCreated).Text("data.id")
}

func TestRequestBecomesPassword(t *testing.T) {
	m := newShop(t)
	customer, own := m.Portal.VisitAs(t, "manager"), m.Word("Our staging cluster")
	customer.Open("/portal")
	customer.Click(browser.Link("Request New Credentials"))
	dialog := customer.Within(browser.Dialog("Request New Credentials"))
	dialog.Select("Access level", "Charts and images")
	dialog.Fill("Justification", own)
	dialog.Click(browser.Button("Send request"))
	customer.Within(browser.Row("Charts and images")).WaitText("Pending")

	approver, manager := m.newApprover(t), m.Email("manager")
	approver.Open("/portal")
	approver.Click(browser.Link("Approvals"))
	approver.Within(browser.Row(own)).WaitText(manager) // when it is due depends on the day of the week
	approver.Click(browser.Button("Approve the request of " + m.Email("manager")))
	decision := approver.Within(browser.Dialog("Approve this request?"))
	decision.WaitText(own)
	decision.Fill("Reason (optional)", "Agreed with sales.")
	_, before := m.Mail.Newest(t, "manager")
	decision.Click(browser.Button("Approve request"))
	approver.WaitText("The request of " + manager + " was approved.")
	approver.WaitGone(browser.Row(own))

	m.Mail.Await(t, "manager", before)
	path, token := m.Mail.Link(t, "manager")
	c := m.collectInBrowser(t, path+"#"+token)

	customer.Open("/portal")
	customer.WaitText("helm pull vendor/anchor --version 1.1.0")
	c.Shell(t, strings.Replace(helmCommands(customer, "helm pull oci"), "helm repo add", "helm repo add --force-update",
		1)).WantExit(t, 0)
	c.checkSameFile(t, "anchor-1.1.0.tgz")
	c.runImageCommands(t, customer)
	customer.Axe()

	customer.Open("/portal/access")
	customer.Within(browser.Row("Charts and images")).WaitText("Collected")
	customer.Click(browser.Link("Details of the request for Charts and images"))
	customer.WaitText("Agreed with sales.")
	customer.WaitText("Password collected by you")
	customer.WaitNoText(m.Email("approver"))
}

// collectInBrowser opens the mailed link, saves the password and runs the commands that the page shows.
func (m shop) collectInBrowser(t *testing.T, link string) machine {
	t.Helper()
	page := m.Portal.Visit(t)
	page.Open(link)
	page.WaitURL("/portal/collect")
	page.Click(browser.Button("Show the password"))
	page.WaitFor(browser.Heading("Your password"))
	e2etest.WantAsked(t, page, true)
	c := machine{m.CustomerMachine(t, e2etest.Login{})}
	c.WriteFile(t, ".portside/password", m.Portal.Secret(page, "Password"))
	c.Shell(t, helmCommands(page, "helm pull")).WantExit(t, 0, "vendor/anchor")

	name, manifest := page.Download(func() { page.Click(browser.Button("Download imagePullSecret")) })
	if name != "portside-pull.yaml" {
		t.Errorf("the manifest is named %q", name)
	}
	m.checkPullSecret(t, manifest, page.Value("Username"), page.Value("Password"))

	again := m.Portal.Visit(t)
	again.Allow("401 POST /api/v1/credential-requests/collect")
	again.Open(link)
	again.Click(browser.Button("Show the password"))
	again.WaitFor(browser.Heading("This did not work"))
	again.WaitText("has already been used")
	return c
}

// helmCommands returns the commands for Helm that the page shows, up to the first that begins with end.
func helmCommands(page *browser.Page, end string) string {
	commands, _, _ := strings.Cut(page.Within(browser.Role("region", "Commands for Helm")).Text(), end)
	return commands
}

// checkPullSecret checks that the manifest is a pull secret with the login for the registry.
func (m shop) checkPullSecret(t *testing.T, manifest []byte, name, password string) {
	t.Helper()
	var secret struct {
		Kind, Type string
		StringData map[string]string `yaml:"stringData"`
	}
	if err := yaml.Unmarshal(manifest, &secret); err != nil {
		t.Fatal(err)
	}
	var config struct{ Auths map[string]map[string]string }
	if err := json.Unmarshal([]byte(secret.StringData[".dockerconfigjson"]), &config); err != nil {
		t.Fatal(err)
	}
	got := config.Auths[m.Host()]
	if secret.Type != "kubernetes.io/dockerconfigjson" || got["username"] != name || got["password"] != password {
		t.Errorf("the manifest is not a pull secret for %s", m.Host())
	}
}

//proves:docs/security.md
func TestTokenPage(t *testing.T) {
	m := newShop(t)
	page := m.Portal.VisitAs(t, "manager")
	page.Open("/portal/access")
	page.Click(browser.Button("Create token"))
	page.Fill("Name", "browser cluster")
	page.Fill("Days until it expires (optional)", "a month")
	page.Click(browser.Button("Create token"))
	page.WaitText("must be a whole number of days")
	page.Fill("Days until it expires (optional)", "")
	page.Click(browser.Button("Create token"))
	page.WaitFor(browser.Dialog("Save your new token"))
	first := login("token", m.Portal.Secret(page, "Token"))
	page.Press("Escape", "Escape")
	page.Back()
	page.WaitFor(browser.Dialog("Save your new token")) // keys and the back button cannot close it
	e2etest.WantAsked(t, page, true)
	page.Axe()
	page.Click(browser.Button("I have saved the token"))
	page.WaitGone(browser.Dialog("Save your new token"))
	e2etest.WantAsked(t, page, false)
	m.machine(t, first).addRepository(t).WantExit(t, 0)

	page.Click(browser.Button("Renew browser cluster"))
	page.WaitText("The old token works until")
	page.Click(browser.Button("Create token"))
	page.WaitFor(browser.Dialog("Save your new token"))
	second := login("token", m.Portal.Secret(page, "Token"))
	page.Click(browser.Button("I have saved the token"))
	m.machine(t, first).addRepository(t).WantExit(t, 0) // until the customer has switched
	m.machine(t, second).addRepository(t).WantExit(t, 0)

	page.Within(browser.Row("Renewed")).Click(browser.Button("Revoke browser cluster"))
	dialog := page.Within(browser.Dialog("Revoke browser cluster?"))
	dialog.WaitText("It was last used")
	dialog.Click(browser.Button("Revoke"))
	page.WaitGone(browser.Row("Renewed"))
	m.machine(t, first).addRepository(t).WantExit(t, 1, "401 Unauthorized")
	m.machine(t, second).addRepository(t).WantExit(t, 0)
	page.Select("Show", "All")
	page.WaitFor(browser.Row("Revoked"))
	page.WaitURL("/portal/access?show=all")
}

func TestDoubleClickCreatesOneToken(t *testing.T) {
	m := newShop(t)
	page := m.Portal.VisitAs(t, "manager")
	page.Open("/portal/access?new=token")
	page.Fill("Name", "clicked twice")
	e2etest.DoubleClick(t, page, "/api/v1/tokens", func() { page.WaitFor(browser.Dialog("Save your new token")) })
	m.Portal.Secret(page, "Token")
	page.Click(browser.Button("I have saved the token"))
	page.WaitFor(browser.Row("clicked twice")) // exactly one row
}

func TestFailingAPIKeepsWhatWasTyped(t *testing.T) {
	m := newShop(t)
	page := m.Portal.VisitAs(t, "manager")
	page.Open("/portal/access?new=token")
	page.Fill("Name", "typed before the failure")
	page.Check("Charts", false)
	stop := page.Network.Respond("*/api/v1/tokens", http.StatusServiceUnavailable,
		`{"detail":"The service is busy.","requestId":"r-17"}`)
	page.Click(browser.Button("Create token"))
	page.Within(browser.Dialog("Create token")).WaitText("The service is busy.")
	page.Within(browser.Dialog("Create token")).WaitText("request ID r-17")
	stop()
	stop = page.Network.Respond("*/api/v1/tokens", 0, "")
	page.Click(browser.Button("Create token"))
	page.Within(browser.Dialog("Create token")).WaitText("The server could not be reached.")
	stop()
	if got := page.Value("Name"); got != "typed before the failure" {
		t.Errorf("the name is now %q", got)
	}
	page.Click(browser.Button("Create token"))
	page.WaitFor(browser.Dialog("Save your new token"))
	m.Portal.Secret(page, "Token")
	page.Click(browser.Button("I have saved the token"))
	page.Within(browser.Row("typed before the failure")).WaitText("All images")
}

//proves:docs/security.md
func TestHostileTextInRequests(t *testing.T) {
	m := newShop(t)
	const hostile = `<img src=x onerror="document.title='owned'"> {{constructor.constructor('document.title=1')()}} ${7*7}`
	page := m.Portal.VisitAs(t, "manager")
	page.Allow("400 POST /api/v1")
	page.Open("/portal/access?new=token")
	page.Fill("Name", "gpj.\u202efdp")
	page.Click(browser.Button("Create token"))
	page.WaitText("must not contain control, formatting")
	page.Fill("Name", hostile[:44])
	page.Click(browser.Button("Create token"))
	page.WaitFor(browser.Dialog("Save your new token"))
	m.Portal.Secret(page, "Token")
	page.Click(browser.Button("I have saved the token"))
	page.WaitFor(browser.Row(hostile[:44]))

	page.Open("/portal/access?new=request")
	page.Fill("Justification", "gpj.\u202efdp")
	page.Click(browser.Button("Send request"))
	page.WaitText("readable characters")
	page.Fill("Justification", hostile)
	page.Click(browser.Button("Send request"))
	page.WaitGone(browser.Dialog("Request New Credentials"))

	approver := m.newApprover(t)
	approver.Open("/portal/approvals")
	approver.WaitFor(browser.Row(hostile[:20]))
	approver.Click(browser.Button("Deny the request of " + m.Email("manager")))
	dialog := approver.Within(browser.Dialog("Deny this request?"))
	dialog.WaitText(hostile)
	dialog.Fill("Reason (optional)", hostile)
	dialog.Click(browser.Button("Deny request"))
	approver.WaitGone(browser.Row(hostile[:20]))
	for _, p := range []*browser.Page{page, approver} {
		if title := browser.Eval[string](p, "document.title"); !strings.HasSuffix(title, "· Portside") {
			t.Errorf("the title is %q", title)
		}
	}
}

func TestRequestDecidedMeanwhile(t *testing.T) {
	m := newShop(t)
	own := m.Word("for two approvers")
	id := m.request(t, "charts", own)
	page := m.newApprover(t)
	page.Allow("409 POST /api/v1/credential-requests")
	page.Open("/portal/approvals")
	page.Click(browser.Button("Approve the request of " + m.Email("manager")))
	m.decide(t, id, "deny", `{"reason":"too late"}`)
	page.Click(browser.Button("Approve request"))
	page.WaitText("was already decided: denied by")
	page.WaitGone(browser.Row(own))
	page.Select("Show", "Denied")
	page.WaitURL("/portal/approvals?status=denied")
	e2etest.Ready(page)
	for page.Count(browser.Row(own)) == 0 { // other tests deny requests too
		page.Click(browser.Button("Next"))
		e2etest.Ready(page)
	}
}

// Another filter loads the list in an effect, which runs after the page is drawn. Until then, the old list must not
// look like the new one.
func TestListIsBusyAsSoonAsItsFilterChanges(t *testing.T) {
	page := newShop(t).newApprover(t)
	page.Open("/portal/approvals")
	e2etest.Ready(page)
	const chooseDenied = `(async () => {
		const filter = document.querySelector("main select");
		filter.value = "denied";
		filter.dispatchEvent(new Event("change", {bubbles: true}));
		for (let i = 0; i < 100; i++) await null; // renders, but draws nothing
		return document.querySelector("main [aria-busy=true]") !== null;
	})()`
	if isBusy := browser.Eval[bool](page, chooseDenied); !isBusy {
		t.Error("the list is not busy before it loads")
	}
	page.WaitURL("/portal/approvals?status=denied")
}

func TestOverdueRequest(t *testing.T) {
	m := newShop(t)
	page := m.newApprover(t)
	stop := page.Network.Respond("*/api/v1/credential-requests?*", http.StatusOK, `{
		"pagination": {"limit": 20, "hasMore": false, "next": null}, "data": [{
		"id": "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11", "status": "pending", "accessLevel": "full", "justification": "long ago",
		"userId": "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12", "requester": null, "createdAt": "2020-01-01T00:00:00Z", "dueAt": "2020-01-02T00:00:00Z",
		"decidedBy": null, "decider": null, "decidedAt": null, "reason": null, "collectBy": null, "credentialId": null, "events": []
	}]}`)
	page.Open("/portal/approvals")
	page.Within(browser.Row("long ago")).WaitText("Overdue")
	page.Within(browser.Row("Deleted user")).WaitText("days ago")
	page.Axe()
	stop()
}

func TestSessionRevokedUnderRequest(t *testing.T) {
	m := newShop(t)
	_, key := m.Users.Create(t, "typist", "viewer")
	typist := m.As(t, key)
	page := m.Portal.VisitAs(t, "typist")
	page.Allow("401 ")
	page.Open("/portal/access?new=request")
	page.Fill("Justification", "typed before the session ended")
	typist.Delete("/v1/sessions").WantStatus(http.StatusNoContent)
	page.Click(browser.Button("Send request"))
	again := page.Within(browser.Dialog("Sign in again"))
	_, before := m.Mail.Newest(t, "typist")
	again.Click(browser.Button("Send me an email"))
	mail := m.Mail.Await(t, "typist", before)
	again.Fill("Code", signInCode.FindString(mail.Text))
	again.Click(browser.Button("Sign in"))
	page.WaitText("Your request was sent.")
	made := typist.Get("/api/v1/credential-requests?limit=1").
		WantValue("data.0.justification", "typed before the session ended").Text("data.0.id")
	m.decide(t, made, "deny", `{}`)
}

// signInCode matches the code in a sign-in mail.
var signInCode = regexp.MustCompile(`\b\d{10}\b`)

func TestPagesOfRequests(t *testing.T) {
	m := newShop(t)
	number := func(i int) string { return m.Word(fmt.Sprint("request number ", i)) }
	for i := range 23 {
		m.decide(t, m.request(t, "images", number(i)), "deny", `{}`)
	}
	page := m.newApprover(t)
	page.Open("/portal/approvals?status=denied")
	page.WaitFor(browser.Row(number(22)))
	page.Click(browser.Button("Next"))
	page.WaitFor(browser.Row(number(0)))
	page.Reload() // the address keeps the page
	page.WaitFor(browser.Row(number(0)))
	page.Click(browser.Button("Newest"))
	page.WaitFor(browser.Row(number(22)))
}

// TestForeignRequest opens the page of another person's request.
func TestForeignRequest(t *testing.T) {
	m := newShop(t)
	const text = "of the customer alone"
	id := m.request(t, "charts", text)
	page := m.Portal.VisitAsNew(t, "stranger", "viewer")
	page.Allow("404 GET /api/v1/credential-requests")
	page.Open("/portal/access/requests/" + id)
	page.WaitText("The credential request does not exist.")
	page.WaitText("include the request ID")
	if shown := page.Text(); strings.Contains(shown, text) || strings.Contains(shown, m.Email("manager")) {
		t.Errorf("the page shows another person's request: %s", shown)
	}
}

// TestRequestByKeyboard requests, approves and collects a password without a mouse.
func TestRequestByKeyboard(t *testing.T) {
	m := onShelf(e2etest.Shared(t))
	own := m.Word("Only with keys")
	customer := m.Portal.VisitAsNew(t, "keys", "viewer")
	customer.Open("/portal")
	e2etest.Ready(customer)
	e2etest.Press(t, customer, "Request New Credentials")
	customer.WaitFor(browser.Dialog("Request New Credentials"))
	e2etest.TabTo(t, customer, "Access level")
	customer.Press("ArrowDown")
	e2etest.TabTo(t, customer, "Justification")
	customer.Type(own)
	e2etest.Press(t, customer, "Send request")
	customer.WaitGone(browser.Dialog("Request New Credentials"))
	customer.WaitFor(browser.Row("Pending"))

	approver := m.newApprover(t)
	approver.Open("/portal")
	e2etest.Ready(approver)
	e2etest.Press(t, approver, "Approvals")
	approver.WaitFor(browser.Row(own))
	approver.Settle()
	e2etest.Press(t, approver, "Approve the request of "+m.Email("keys"))
	approver.WaitFor(browser.Dialog("Approve this request?"))
	e2etest.TabTo(t, approver, "Reason (optional)")
	approver.Type("Agreed")
	_, before := m.Mail.Newest(t, "keys")
	e2etest.Press(t, approver, "Approve request")
	approver.WaitText("The request of " + m.Email("keys") + " was approved.")

	m.Mail.Await(t, "keys", before)
	path, token := m.Mail.Link(t, "keys")
	page := m.Portal.Visit(t)
	page.Open(path + "#" + token)
	page.WaitFor(browser.Heading("Collect your password"))
	e2etest.Press(t, page, "Show the password")
	page.WaitFor(browser.Heading("Your password"))
	m.Portal.Secret(page, "Password")
	e2etest.WantCopied(t, page, page.Value("Password"), func() { e2etest.Press(t, page, "Copy: Password") })
}

// TestLostResponseDoublesNothing loses the first response to each creation. The user presses the button again and finds
// one result.
func TestLostResponseDoublesNothing(t *testing.T) {
	m := newShop(t)
	page := m.Portal.VisitAs(t, "manager")
	page.VirtualAuthenticator()

	page.Open("/portal/access?new=token")
	page.Fill("Name", "token after a lost response")
	pressAgain(page, "*/api/v1/tokens", "Create token")
	page.WaitFor(browser.Dialog("Save your new token"))
	m.Portal.Secret(page, "Token")
	page.Click(browser.Button("I have saved the token"))
	page.WaitFor(browser.Row("token after a lost response")) // exactly one row

	page.Open("/portal/access?new=request")
	page.Fill("Justification", "request after a lost response")
	pressAgain(page, "*/api/v1/credential-requests", "Send request")
	page.WaitText("Your request was sent.")
	wantOneRequest(t, m, "request after a lost response")

	page.Open("/portal/account")
	e2etest.Ready(page) // the lists above the button have their final height
	page.Click(browser.Button("Create API key"))
	page.Within(browser.Dialog("Create API key")).Fill("Name", "key after a lost response")
	pressAgain(page, "*/api-keys", "Create API key")
	page.WaitFor(browser.Dialog("The API key is ready"))
	m.Portal.Secret(page, "API key")
	page.Click(browser.Button("I have saved the key"))
	page.WaitFor(browser.Row("key after a lost response"))

	e2etest.Ready(page)
	page.Click(browser.Button("Add a passkey"))
	page.Within(browser.Dialog("Add a passkey")).Fill("Name", "passkey after a lost response")
	pressAgain(page, "*/v1/passkeys", "Add the passkey")
	page.WaitText("This device already has a passkey for your account.")
	page.Click(browser.Button("Cancel"))
	page.WaitFor(browser.Row("passkey after a lost response"))
}

// pressAgain presses a button of the open dialog. It loses the response, and presses the button again.
func pressAgain(page *browser.Page, pattern, button string) {
	stop := page.Network.LoseResponses(pattern)
	page.Click(browser.Button(button))
	page.WaitText("The server could not be reached.")
	stop()
	page.Click(browser.Button(button))
}

// wantOneRequest checks that one credential request of the manager has the justification.
func wantOneRequest(t *testing.T, m shop, justification string) {
	t.Helper()
	list := m.manager.Get("/api/v1/credential-requests").WantStatus(http.StatusOK)
	if count := strings.Count(string(list.Body), `"justification":"`+justification+`"`); count != 1 {
		t.Errorf("%d requests have the justification %q, want 1", count, justification)
	}
}
