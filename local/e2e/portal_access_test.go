package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"portside/local/browser"
)

// TestPortalAccess requests, approves, collects, creates, renews and revokes credentials in the browser, and uses them with
// the programs of customers.
func TestPortalAccess(t *testing.T) {
	m := startCustomerStack(t)
	m.createUser(t, "approver@example.com", "admin")
	for _, part := range []struct {
		name string
		run  func(*testing.T, *customerStack)
	}{
		{"a request becomes a password that helm uses", testRequestInBrowser},
		{"a token is created, used, renewed and revoked", testTokenInBrowser},
		{"a double click creates one token", testDoubleClick},
		{"a failing API keeps what was typed", testFailingAPI},
		{"a lost response doubles nothing", testLostResponse},
		{"hostile text is inert", testHostileText},
		{"somebody else decides first", testDecidedMeanwhile},
		{"an overdue request says so", testOverdueRequest},
		{"a session is revoked while a form is open", testRevokedSession},
		{"requests have pages", testRequestPages},
		{"another person's request", testForeignRequest},
		{"all by keyboard", testRequestByKeyboard},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, m) })
	}
	m.checkNoSecretsLeaked(t)
}

const (
	portalCustomer = "customer@example.com"
	portalApprover = "approver@example.com"
)

// visitAs returns a tab of a user who has signed in with a link of the operator. Mailed links have a limit for each address.
func (p *testStack) visitAs(t *testing.T, email string) *browser.Page {
	t.Helper()
	page := p.visit(t)
	page.Open("/portal/activate") // a page that needs no session
	p.startSession(t, page, email)
	return page
}

// startSession signs a user in without a form of the portal.
func (p *testStack) startSession(t *testing.T, page *browser.Page, email string) {
	t.Helper()
	_, token, _ := strings.Cut(p.signInLink(t, email), "#")
	if !browser.Eval[bool](page, fmt.Sprintf(`fetch("/v1/sessions", { method: "POST", headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ token: %q }) }).then(async r => { await r.text(); return r.ok; })`, token)) {
		t.Fatalf("%s cannot sign in", email)
	}
}

// secret returns the value of a field with a secret, which must leak nowhere.
func (m *customerStack) secret(page *browser.Page, label string) string {
	value := page.Value(label)
	m.secrets.add(value)
	return value
}

func testRequestInBrowser(t *testing.T, m *customerStack) {
	customer := m.visitAs(t, portalCustomer)
	customer.Open("/portal")
	customer.Click(browser.Link("Request New Credentials"))
	dialog := customer.Within(browser.Dialog("Request New Credentials"))
	dialog.Select("Access level", "Charts and images")
	dialog.Fill("Justification", "Our staging cluster")
	dialog.Click(browser.Button("Send request"))
	customer.Within(browser.Row("Charts and images")).WaitText("Pending")

	approver := m.visitAs(t, portalApprover)
	approver.Open("/portal")
	approver.Click(browser.Link("Approvals"))
	approver.Within(browser.Row("Our staging cluster")).WaitText(portalCustomer) // when it is due depends on the day of the week
	approver.Click(browser.Button("Approve the request of " + portalCustomer))
	decision := approver.Within(browser.Dialog("Approve this request?"))
	decision.WaitText("Our staging cluster")
	decision.Fill("Reason (optional)", "Agreed with sales.")
	_, before := m.newestMail(t, portalCustomer)
	decision.Click(browser.Button("Approve request"))
	approver.WaitText("The request of " + portalCustomer + " was approved.")
	approver.WaitText("No requests to decide")

	m.awaitMail(t, portalCustomer, before)
	path, token := m.mailedLink(t, portalCustomer)
	m.secrets.add(token)
	c := m.collectInBrowser(t, path+"#"+token)

	customer.Open("/portal")
	customer.WaitText("helm pull vendor/anchor --version 1.1.0")
	c.shell(t, strings.Replace(helmCommands(customer, "helm pull oci"), "helm repo add", "helm repo add --force-update", 1)).wantExit(t, 0)
	c.checkSameFile(t, "anchor-1.1.0.tgz")
	c.runImageCommands(t, customer)
	customer.Axe()

	customer.Open("/portal/access")
	customer.Within(browser.Row("Charts and images")).WaitText("Collected")
	customer.Click(browser.Link("Details of the request for Charts and images"))
	customer.WaitText("Agreed with sales.")
	customer.WaitText("Password collected by you")
	customer.WaitNoText(portalApprover)
}

// collectInBrowser opens the mailed link, saves the password and runs the commands that the page shows.
func (m *customerStack) collectInBrowser(t *testing.T, link string) machine {
	t.Helper()
	page := m.visit(t)
	page.Open(link)
	page.WaitURL("/portal/collect")
	page.Click(browser.Button("Show the password"))
	page.WaitFor(browser.Heading("Your password"))
	wantAsked(t, page, true)
	c := m.machine(t, login{})
	c.write(t, ".portside/password", m.secret(page, "Password"))
	c.shell(t, helmCommands(page, "helm pull")).wantExit(t, 0, "vendor/anchor")

	name, manifest := page.Download(func() { page.Click(browser.Button("Download imagePullSecret")) })
	if name != "portside-pull.yaml" {
		t.Errorf("the manifest is named %q", name)
	}
	m.checkPullSecret(t, manifest, page.Value("Username"), page.Value("Password"))

	again := m.visit(t)
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
func (m *customerStack) checkPullSecret(t *testing.T, manifest []byte, name, password string) {
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
	got := config.Auths[m.host()]
	if secret.Type != "kubernetes.io/dockerconfigjson" || got["username"] != name || got["password"] != password {
		t.Errorf("the manifest is not a pull secret for %s", m.host())
	}
}

func testTokenInBrowser(t *testing.T, m *customerStack) {
	page := m.visitAs(t, portalCustomer)
	page.Open("/portal/access")
	page.Click(browser.Button("Create token"))
	page.Fill("Name", "browser cluster")
	page.Fill("Days until it expires (optional)", "a month")
	page.Click(browser.Button("Create token"))
	page.WaitText("must be a whole number of days")
	page.Fill("Days until it expires (optional)", "")
	page.Click(browser.Button("Create token"))
	page.WaitFor(browser.Dialog("Save your new token"))
	first := login{"token", m.secret(page, "Token")}
	page.Press("Escape", "Escape")
	page.Back()
	page.WaitFor(browser.Dialog("Save your new token")) // nobody loses the secret by a key or by going back
	wantAsked(t, page, true)
	page.Axe()
	page.Click(browser.Button("I have saved the token"))
	page.WaitGone(browser.Dialog("Save your new token"))
	wantAsked(t, page, false)
	m.machine(t, first).addRepository(t).wantExit(t, 0)

	page.Click(browser.Button("Renew browser cluster"))
	page.WaitText("The old token works until")
	page.Click(browser.Button("Create token"))
	page.WaitFor(browser.Dialog("Save your new token"))
	second := login{"token", m.secret(page, "Token")}
	page.Click(browser.Button("I have saved the token"))
	m.machine(t, first).addRepository(t).wantExit(t, 0) // until the customer has switched
	m.machine(t, second).addRepository(t).wantExit(t, 0)

	page.Within(browser.Row("Renewed")).Click(browser.Button("Revoke browser cluster"))
	dialog := page.Within(browser.Dialog("Revoke browser cluster?"))
	dialog.WaitText("It was last used")
	dialog.Click(browser.Button("Revoke"))
	page.WaitGone(browser.Row("Renewed"))
	m.machine(t, first).addRepository(t).wantExit(t, 1, "401 Unauthorized")
	m.machine(t, second).addRepository(t).wantExit(t, 0)
	page.Select("Show", "All")
	page.WaitFor(browser.Row("Revoked"))
	page.WaitURL("/portal/access?show=all")
}

// wantAsked checks whether the browser asks before it closes the page.
func wantAsked(t *testing.T, page *browser.Page, want bool) {
	t.Helper()
	if got := browser.Eval[bool](page, `!dispatchEvent(new Event("beforeunload", { cancelable: true }))`); got != want {
		t.Errorf("the page asks before it closes: %v, want %v", got, want)
	}
}

func testDoubleClick(t *testing.T, m *customerStack) {
	page := m.visitAs(t, portalCustomer)
	page.Open("/portal/access?new=token")
	page.Fill("Name", "clicked twice")
	const submit = `document.querySelector("dialog button[type=submit]")`
	browser.Eval[bool](page, submit+".click(), "+submit+".click(), true")
	page.WaitFor(browser.Dialog("Save your new token"))
	m.secret(page, "Token")
	page.Click(browser.Button("I have saved the token"))
	page.WaitFor(browser.Row("clicked twice")) // exactly one row
}

func testFailingAPI(t *testing.T, m *customerStack) {
	page := m.visitAs(t, portalCustomer)
	page.Open("/portal/access?new=token")
	page.Fill("Name", "typed before the failure")
	page.Check("Charts", false)
	stop := page.Respond("*/api/v1/tokens", http.StatusServiceUnavailable, `{"detail":"The service is busy.","requestId":"r-17"}`)
	page.Click(browser.Button("Create token"))
	page.Within(browser.Dialog("Create token")).WaitText("The service is busy.")
	page.Within(browser.Dialog("Create token")).WaitText("request ID r-17")
	stop()
	stop = page.Respond("*/api/v1/tokens", 0, "")
	page.Click(browser.Button("Create token"))
	page.Within(browser.Dialog("Create token")).WaitText("The server could not be reached.")
	stop()
	if got := page.Value("Name"); got != "typed before the failure" {
		t.Errorf("the name is now %q", got)
	}
	page.Click(browser.Button("Create token"))
	page.WaitFor(browser.Dialog("Save your new token"))
	m.secret(page, "Token")
	page.Click(browser.Button("I have saved the token"))
	page.Within(browser.Row("typed before the failure")).WaitText("All images")
}

func testHostileText(t *testing.T, m *customerStack) {
	const hostile = `<img src=x onerror="document.title='owned'"> {{constructor.constructor('document.title=1')()}} ${7*7}`
	page := m.visitAs(t, portalCustomer)
	page.Allow("400 POST /api/v1")
	page.Open("/portal/access?new=token")
	page.Fill("Name", "gpj.\u202efdp")
	page.Click(browser.Button("Create token"))
	page.WaitText("must not contain control, formatting")
	page.Fill("Name", hostile[:44])
	page.Click(browser.Button("Create token"))
	page.WaitFor(browser.Dialog("Save your new token"))
	m.secret(page, "Token")
	page.Click(browser.Button("I have saved the token"))
	page.WaitFor(browser.Row(hostile[:44]))

	page.Open("/portal/access?new=request")
	page.Fill("Justification", "gpj.\u202efdp")
	page.Click(browser.Button("Send request"))
	page.WaitText("readable characters")
	page.Fill("Justification", hostile)
	page.Click(browser.Button("Send request"))
	page.WaitGone(browser.Dialog("Request New Credentials"))

	approver := m.visitAs(t, portalApprover)
	approver.Open("/portal/approvals")
	approver.WaitFor(browser.Row(hostile[:20]))
	approver.Click(browser.Button("Deny the request of " + portalCustomer))
	dialog := approver.Within(browser.Dialog("Deny this request?"))
	dialog.WaitText(hostile)
	dialog.Fill("Reason (optional)", hostile)
	dialog.Click(browser.Button("Deny request"))
	approver.WaitText("No requests to decide")
	for _, p := range []*browser.Page{page, approver} {
		if title := browser.Eval[string](p, "document.title"); !strings.HasSuffix(title, "· Portside") {
			t.Errorf("the title is %q", title)
		}
	}
}

func testDecidedMeanwhile(t *testing.T, m *customerStack) {
	const requests = "/api/v1/credential-requests"
	id := m.customer.For(t).Post(requests, `{"accessLevel":"charts","justification":"for two approvers"}`).
		WantStatus(http.StatusCreated).Text("data.id")
	page := m.visitAs(t, portalApprover)
	page.Allow("409 POST " + requests)
	page.Open("/portal/approvals")
	page.Click(browser.Button("Approve the request of " + portalCustomer))
	m.admin(t).Post(requests+"/"+id+"/deny", `{"reason":"too late"}`).WantStatus(http.StatusOK)
	page.Click(browser.Button("Approve request"))
	page.WaitText("was already decided: denied by")
	page.WaitText("No requests to decide")
	page.Select("Show", "Denied")
	page.WaitFor(browser.Row("for two approvers"))
	page.WaitURL("/portal/approvals?status=denied")
}

func testOverdueRequest(t *testing.T, m *customerStack) {
	page := m.visitAs(t, portalApprover)
	stop := page.Respond("*/api/v1/credential-requests?*", http.StatusOK, `{
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

func testRevokedSession(t *testing.T, m *customerStack) {
	const email = "typist@example.com" // an address gets few sign-in mails in an hour
	_, key := m.createUser(t, email, "viewer")
	typist := m.anonymous(t).as(key)
	page := m.visitAs(t, email)
	page.Allow("401 ")
	page.Open("/portal/access?new=request")
	page.Fill("Justification", "typed before the session ended")
	typist.Delete("/v1/sessions").WantStatus(http.StatusNoContent)
	page.Click(browser.Button("Send request"))
	again := page.Within(browser.Dialog("Sign in again"))
	_, before := m.newestMail(t, email)
	again.Click(browser.Button("Send me an email"))
	mail := m.awaitMail(t, email, before)
	again.Fill("Code", signInCode.FindString(mail.Text("text")))
	again.Click(browser.Button("Sign in"))
	page.WaitText("Your request was sent.")
	made := typist.Get("/api/v1/credential-requests?limit=1").
		WantValue("data.0.justification", "typed before the session ended").Text("data.0.id")
	m.admin(t).Post("/api/v1/credential-requests/"+made+"/deny", `{}`).WantStatus(http.StatusOK)
}

// signInCode matches the code in a sign-in mail.
var signInCode = regexp.MustCompile(`\b\d{10}\b`)

func testRequestPages(t *testing.T, m *customerStack) {
	const requests = "/api/v1/credential-requests"
	for i := range 23 {
		body := fmt.Sprintf(`{"accessLevel":"images","justification":"request number %d"}`, i)
		id := m.customer.For(t).Post(requests, body).WantStatus(http.StatusCreated).Text("data.id")
		m.admin(t).Post(requests+"/"+id+"/deny", `{}`).WantStatus(http.StatusOK)
	}
	page := m.visitAs(t, portalApprover)
	page.Open("/portal/approvals?status=denied")
	page.WaitFor(browser.Row("request number 22"))
	page.Click(browser.Button("Next"))
	page.WaitFor(browser.Row("request number 0"))
	page.Reload() // the address keeps the page
	page.WaitFor(browser.Row("request number 0"))
	page.Click(browser.Button("Newest"))
	page.WaitFor(browser.Row("request number 22"))
}
