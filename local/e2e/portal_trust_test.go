package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/testclient/workloadtest"
)

// trustingCustomer is a customer whose page is open in a browser.
type trustingCustomer struct {
	*testStack

	page *browser.Page
	id   string
	at   string // of its trust policies in the API
}

// TestPortalTrustPolicies administers in a browser which pipelines and pods of a customer get access tokens.
func TestPortalTrustPolicies(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	id := p.createCustomer(t, `{"name":"Acme Shipping","slug":"acme"}`)
	c := &trustingCustomer{testStack: p, page: p.visitAs(t, firstAdmin), id: id, at: "/v1/customers/" + id + "/trust-policies"}
	c.open()
	t.Run("nothing yet", func(t *testing.T) { testNoTrustPolicies(t, c) })
	t.Run("presets", func(t *testing.T) { testPresets(t, c) })
	t.Run("rejected fields", func(t *testing.T) { testRejectedTrustPolicy(t, c) })
	t.Run("add", func(t *testing.T) { testAddTrustPolicy(t, c) })
	t.Run("edit", func(t *testing.T) { testEditTrustPolicy(t, c) })
	t.Run("two people change a trust policy", func(t *testing.T) { testTrustPolicyConflicts(t, c) })
	t.Run("all by keyboard", func(t *testing.T) { testTrustPolicyByKeyboard(t, c) })
	t.Run("staff who may only read", func(t *testing.T) { testReadTrustPolicies(t, c) })
	t.Run("the customer's users", func(t *testing.T) { testOwnTrustPolicies(t, c) })
	t.Run("delete", func(t *testing.T) { testDeleteTrustPolicy(t, c) })
	t.Run("pages", func(t *testing.T) { testTrustPolicyPages(t, c) })
	p.checkNoSecretsLeaked(t)
}

// open opens the page of the customer.
func (c *trustingCustomer) open() {
	c.page.Open("/portal/customers/" + c.id)
	ready(c.page)
}

// section returns the part of the page with the trust policies.
func (c *trustingCustomer) section() browser.Scope {
	return c.page.Within(browser.Role("region", "Trust policies"))
}

// list returns all trust policies in the API.
func (c *trustingCustomer) list(t *testing.T) response {
	t.Helper()
	return c.admin(t).Get(c.at + "?limit=100").WantStatus(http.StatusOK)
}

// create creates a trust policy with one condition with the API and returns its path.
func (c *trustingCustomer) create(t *testing.T, name, claim, value string) string {
	t.Helper()
	body := fmt.Sprintf(`{"name":%q,"issuer":"https://gitlab.com","audience":"https://portside.example.com",`+
		`"conditions":[{"claim":%q,"value":%q}],"scopes":["read:helm-charts"]}`, name, claim, value)
	return c.at + "/" + c.admin(t).Post(c.at, body).WantStatus(http.StatusCreated).Text("data.id")
}

// startAdding opens the form of a new trust policy.
func (c *trustingCustomer) startAdding() browser.Scope {
	c.section().Click(browser.Button("Add trust policy"))
	dialog := c.page.Within(browser.Dialog("Add trust policy"))
	dialog.WaitText("Fills in the issuer")
	return dialog
}

// wantFields checks the values of fields.
func wantFields(t *testing.T, form browser.Scope, want map[string]string) {
	t.Helper()
	for label, value := range want {
		if got := form.Value(label); got != value {
			t.Errorf("%s is %q, want %q", label, got, value)
		}
	}
}

func testNoTrustPolicies(t *testing.T, c *trustingCustomer) {
	c.section().WaitText("No pipeline or pod of this customer can exchange a token.")
	c.section().WaitText("Add a trust policy for its pipelines or pods.")
	c.page.Axe()
	c.createUser(t, "reader@example.com", "viewer")
	reader := c.visitAs(t, "reader@example.com")
	reader.Open("/portal/customers/" + c.id)
	reader.WaitText("No pipeline or pod of this customer can exchange a token.")
	ready(reader)
	reader.WaitNoText("Add a trust policy")
	c.createUserOf(t, c.id, "manager@acme.example", "manager")
	manager := c.visitAs(t, "manager@acme.example")
	manager.Open("/portal/company")
	own := manager.Within(browser.Role("region", "Pipelines and pods"))
	own.WaitText("No pipeline or pod of your company can exchange a token.")
	own.WaitText("Tell the vendor the issuer and the subjects of your jobs.")
	manager.Axe()
}

// testPresets checks what the form fills in for each platform. Values of conditions are only examples, which the form does not send.
func testPresets(t *testing.T, c *trustingCustomer) {
	dialog := c.startAdding()
	origin := browser.Eval[string](c.page, "location.origin")
	wantFields(t, dialog, map[string]string{
		"Issuer": "https://token.actions.githubusercontent.com", "Audience": origin, "Condition 1: Claim": "sub", "Condition 1: Value": "",
		"Condition 2: Claim": "repository_owner_id", "Condition 2: Value": "", "Longest life in minutes": "15",
	})
	dialog.WaitText("GitHub signs for everybody")
	const example = `document.querySelector("[name='conditions/0/value']").placeholder`
	for _, preset := range []struct{ platform, issuer, example, hint string }{
		{"GitLab", "https://gitlab.com", "project_path:acme/app:ref_type:branch:ref:main", "GitLab signs for everybody"},
		{"Kubernetes", "", "system:serviceaccount:acme:puller", "kubectl get --raw /.well-known/openid-configuration"},
		{"Another issuer", "", "", "an https address"},
		{"GitHub Actions", "https://token.actions.githubusercontent.com", "repo:acme/app:ref:refs/heads/main", "their IDs cannot"},
	} {
		dialog.Select("Platform", preset.platform)
		dialog.WaitText(preset.hint)
		wantFields(t, dialog, map[string]string{
			"Issuer": preset.issuer, "Audience": origin, "Condition 1: Claim": "sub", "Condition 1: Value": "",
		})
		if got := browser.Eval[string](c.page, example); got != preset.example {
			t.Errorf("%s: the example is %q", preset.platform, got)
		}
	}
	c.page.Axe()
	c.page.Press("Escape")
	c.page.WaitGone(browser.Dialog("Add trust policy"))
}

// testRejectedTrustPolicy fills in what the API or the form refuses.
func testRejectedTrustPolicy(t *testing.T, c *trustingCustomer) {
	page, dialog := c.page, c.startAdding()
	page.Allow("400 POST /v1/customers/")
	dialog.Click(browser.Button("Add trust policy"))
	dialog.WaitText("must have 1 to 255 bytes")
	wantInvalid(t, page, "name", "conditions/0/value", "conditions/1/value")
	page.Axe()
	dialog.Select("Platform", "Kubernetes")
	dialog.WaitNoText("must have 1 to 255 bytes")
	dialog.Fill("Name", hostileText)
	dialog.Fill("Issuer", "http://kubernetes.acme.example")
	dialog.Fill("Audience", "two words")
	dialog.Fill("Condition 1: Claim", "iss")
	dialog.Fill("Condition 1: Value", "x")
	dialog.Fill("Only these charts (optional)", "acme/**")
	dialog.Fill("Longest life in minutes", "61")
	dialog.Fill("Keys of the issuer (optional)", "{}")
	dialog.Click(browser.Button("Add trust policy"))
	dialog.WaitText("must not be iss, aud or exp")
	wantInvalid(t, page, "name", "issuer", "audience", "conditions/0/claim", "maxMinutes", "jwks")
	dialog.Within(browser.Role("group", "What access tokens may pull")).WaitText("must be read:helm-charts or read:docker-images")
	page.Axe()
	dialog.Fill("Longest life in minutes", "ten")
	dialog.Click(browser.Button("Add trust policy"))
	dialog.WaitText("Longest life in minutes: must be a whole number from 1 to 60")
	wantInvalid(t, page, "maxMinutes")
	dialog.Fill("Longest life in minutes", "10")
	dialog.Click(browser.Button("Remove condition 1"))
	dialog.Check("Charts", false)
	dialog.Check("Images", false)
	dialog.Click(browser.Button("Add trust policy"))
	dialog.Within(browser.Role("group", "Conditions")).WaitText("must have 1 to 10 entries")
	dialog.Within(browser.Role("group", "What access tokens may pull")).WaitText("must have 1 to 20 entries")
	page.Axe()
	for range 10 {
		dialog.Click(browser.Button("Add a condition"))
	}
	const disabled = `[...document.querySelectorAll("dialog button:disabled")].map(b => b.innerText.trim())`
	if got := browser.Eval[[]string](page, disabled); !slices.Equal(got, []string{"Add a condition"}) {
		t.Errorf("with ten conditions, the buttons %q are disabled", got)
	}
	page.Press("Escape")
	page.WaitGone(browser.Dialog("Add trust policy"))
	c.list(t).WantValue("pagination.total", 0)
}

func testAddTrustPolicy(t *testing.T, c *trustingCustomer) {
	dialog := c.startAdding()
	dialog.Fill("Name", "Builds of the app")
	dialog.Fill("Condition 1: Value", "repo:acme/app:ref:refs/heads/*")
	dialog.Fill("Condition 2: Value", "65")
	dialog.Fill("Only these images (optional)", "acme/*, tools/scan")
	c.page.Axe()
	before := countPosts(c.page, c.at)
	const submit = `document.querySelector("dialog button[type=submit]")`
	browser.Eval[bool](c.page, submit+".click(), "+submit+".click(), true")
	c.page.WaitText("The trust policy Builds of the app was added.")
	if sent := countPosts(c.page, c.at) - before; sent != 1 {
		t.Errorf("a double click sent %d requests", sent)
	}
	row := c.section().Within(browser.Row("Builds of the app"))
	for _, text := range []string{"repo:acme/app:ref:refs/heads/*", "repository_owner_id", "All charts", "15 minutes"} {
		row.WaitText(text)
	}
	added := c.list(t).WantValue("pagination.total", 1).WantValue("data.0.issuer", "https://token.actions.githubusercontent.com").
		WantValue("data.0.audience", browser.Eval[string](c.page, "location.origin")).WantValue("data.0.maxMinutes", 15).
		WantValue("data.0.conditions.1.claim", "repository_owner_id").WantValue("data.0.conditions.1.value", "65").WantValue("data.0.jwks", "").
		WantValue("data.0.scopes", []any{"read:helm-charts", "read:docker-images:acme/*", "read:docker-images:tools/scan"})
	row.WaitText(added.Text("data.0.id"))

	keys := workloadtest.KeySet(workloadtest.NewKey("1", "RS256"))
	dialog = c.startAdding()
	dialog.Select("Platform", "Kubernetes")
	dialog.Fill("Name", "Pods")
	dialog.Fill("Issuer", "https://kubernetes.acme.example")
	dialog.Fill("Condition 1: Value", "system:serviceaccount:acme:puller")
	dialog.Check("Images", false)
	dialog.Fill("Longest life in minutes", "1")
	dialog.Fill("Keys of the issuer (optional)", keys+"\n")
	lost := c.page.LoseResponses("*" + c.at)
	dialog.Click(browser.Button("Add trust policy"))
	dialog.WaitText("The request may have succeeded.")
	lost()
	dialog.Click(browser.Button("Add trust policy"))
	row = c.section().Within(browser.Row("Pods"))
	row.WaitText("1 minute")
	row.WaitText("keys stored")
	c.list(t).WantValue("pagination.total", 2).WantValue("data.1.jwks", keys).WantValue("data.1.scopes", []any{"read:helm-charts"}).
		WantValue("data.1.conditions", []any{map[string]any{"claim": "sub", "value": "system:serviceaccount:acme:puller"}})
	ready(c.page)
	c.page.Axe()
}

func testEditTrustPolicy(t *testing.T, c *trustingCustomer) {
	c.page.Click(browser.Button("Edit the trust policy Builds of the app"))
	dialog := c.page.Within(browser.Dialog("Edit trust policy"))
	wantFields(t, dialog, map[string]string{
		"Name": "Builds of the app", "Issuer": "https://token.actions.githubusercontent.com", "Condition 1: Claim": "sub",
		"Condition 1: Value": "repo:acme/app:ref:refs/heads/*", "Condition 2: Value": "65", "Only these charts (optional)": "",
		"Only these images (optional)": "acme/* tools/scan", "Longest life in minutes": "15", "Keys of the issuer (optional)": "",
	})
	c.page.Axe()
	c.page.Allow("400 PUT /v1/customers/")
	dialog.Fill("Condition 2: Value", "")
	dialog.Click(browser.Button("Save"))
	dialog.WaitText("must have 1 to 255 bytes")
	wantInvalid(t, c.page, "conditions/1/value")
	dialog.Click(browser.Button("Remove condition 2"))
	dialog.Click(browser.Button("Add a condition"))
	dialog.Fill("Condition 2: Claim", "environment")
	dialog.Fill("Condition 2: Value", "production")
	dialog.Fill("Only these images (optional)", "acme/*")
	dialog.Fill("Longest life in minutes", "5")
	dialog.Click(browser.Button("Save"))
	c.page.WaitText("Saved.")
	c.section().Within(browser.Row("Builds of the app")).WaitText("5 minutes")
	c.list(t).WantValue("data.0.maxMinutes", 5).WantValue("data.0.name", "Builds of the app").
		WantValue("data.0.conditions.1.claim", "environment").WantValue("data.0.scopes", []any{"read:helm-charts", "read:docker-images:acme/*"})

	c.page.Click(browser.Button("Edit the trust policy Pods"))
	dialog.Fill("Keys of the issuer (optional)", "")
	dialog.Click(browser.Button("Save"))
	c.section().Within(browser.Row("Pods")).WaitNoText("keys stored")
	c.list(t).WantValue("data.1.jwks", "").WantValue("data.1.scopes", []any{"read:helm-charts"})
}

// testTrustPolicyConflicts changes and deletes a trust policy while its form is open.
func testTrustPolicyConflicts(t *testing.T, c *trustingCustomer) {
	c.page.Allow("412 ")
	c.page.Allow("404 GET /v1/customers/")
	at := c.create(t, "Jobs", "sub", "project_path:acme/app:*:*:*:*")
	c.open()
	c.page.Click(browser.Button("Edit the trust policy Jobs"))
	c.page.WaitFor(browser.Dialog("Edit trust policy"))
	c.admin(t).Put(at, `{"conditions":[{"claim":"sub","value":"a"}],"scopes":["read:docker-images:b"],"maxMinutes":3}`).
		WantStatus(http.StatusOK)
	dialog := c.page.Within(browser.Dialog("Edit trust policy"))
	dialog.Fill("Name", "Nightly jobs")
	dialog.Click(browser.Button("Save"))
	dialog.WaitText("Conditions: sub = project_path:acme/app:*:*:*:* → sub = a.")
	dialog.WaitText("What access tokens may pull: All charts → Images: b.")
	dialog.WaitText("Longest life in minutes: 15 → 3.")
	c.page.Axe()
	dialog.Click(browser.Button("Save"))
	c.section().Within(browser.Row("Nightly jobs")).WaitText("3 minutes")

	c.page.Click(browser.Button("Delete the trust policy Nightly jobs"))
	c.page.WaitFor(browser.Dialog("Delete the trust policy Nightly jobs?"))
	c.admin(t).Put(at, `{"maxMinutes":4}`).WantStatus(http.StatusOK)
	dialog = c.page.Within(browser.Dialog("Delete the trust policy Nightly jobs?"))
	dialog.Click(browser.Button("Delete trust policy"))
	dialog.WaitText("Someone else has changed this in the meantime.")
	dialog.Click(browser.Button("Cancel"))
	c.section().Within(browser.Row("Nightly jobs")).WaitText("4 minutes")
	c.admin(t).Delete(at).WantStatus(http.StatusNoContent)
	c.page.Click(browser.Button("Edit the trust policy Nightly jobs"))
	c.section().WaitText("The trust policy does not exist.")
	c.page.WaitGone(browser.Row("Nightly jobs"))
}

func testTrustPolicyByKeyboard(t *testing.T, c *trustingCustomer) {
	c.open()
	press(t, c.page, "Add trust policy")
	c.page.WaitFor(browser.Dialog("Add trust policy"))
	tabTo(t, c.page, "Platform")
	c.page.Press("ArrowDown")
	tabTo(t, c.page, "Name")
	c.page.Type("Keys")
	tabTo(t, c.page, "Condition 1: Value")
	c.page.Type("project_path:acme/keys:*:*:*:*")
	press(t, c.page, "Remove condition 2")
	press(t, c.page, "Add trust policy")
	c.section().Within(browser.Row("Keys")).WaitText("https://gitlab.com")
	ready(c.page)
	press(t, c.page, "Edit the trust policy Keys")
	c.page.WaitFor(browser.Dialog("Edit trust policy"))
	press(t, c.page, "Add a condition")
	tabTo(t, c.page, "Condition 2: Claim")
	c.page.Type("ref_protected")
	tabTo(t, c.page, "Condition 2: Value")
	c.page.Type("true")
	press(t, c.page, "Save")
	c.section().Within(browser.Row("Keys")).WaitText("ref_protected")
	ready(c.page)
	press(t, c.page, "Copy: ID of Keys")
	wantCopied(t, c.page, c.list(t).Text("data.2.id"))
	press(t, c.page, "Delete the trust policy Keys")
	c.page.WaitFor(browser.Dialog("Delete the trust policy Keys?"))
	press(t, c.page, "Delete trust policy")
	c.page.WaitGone(browser.Row("Keys"))
}

// wantTrustPoliciesToRead checks that a part of the page has the trust policies, and buttons only to copy.
func wantTrustPoliciesToRead(t *testing.T, page *browser.Page, region string) {
	t.Helper()
	ready(page)
	part := page.Within(browser.Role("region", region))
	part.Within(browser.Row("Builds of the app")).WaitText("repo:acme/app:ref:refs/heads/*")
	part.Within(browser.Row("Pods")).WaitText("system:serviceaccount:acme:puller")
	part.WaitFor(browser.Button("Copy: ID of Pods"))
	controls := `document.querySelectorAll("section[aria-label='` + region + `'] :is(button:not([aria-label^='Copy:']), a, input)").length`
	if count := browser.Eval[int](page, controls); count > 0 {
		t.Errorf("the part %q has %d controls", region, count)
	}
	page.Axe()
	page.Resize(browser.Phone)
	page.Settle()
	if wide := page.Overflow(); len(wide) > 0 {
		t.Errorf("%q is wider than a phone: %q", region, wide)
	}
}

func testReadTrustPolicies(t *testing.T, c *trustingCustomer) {
	page := c.visitAs(t, "reader@example.com")
	page.Open("/portal/customers/" + c.id)
	wantTrustPoliciesToRead(t, page, "Trust policies")
}

func testOwnTrustPolicies(t *testing.T, c *trustingCustomer) {
	c.createUserOf(t, c.id, "chief@acme.example", "admin") // whose role has customers:write
	for _, email := range []string{"manager@acme.example", "chief@acme.example"} {
		page := c.visitAs(t, email)
		page.Open("/portal/company")
		wantTrustPoliciesToRead(t, page, "Pipelines and pods")
	}
}

func testDeleteTrustPolicy(t *testing.T, c *trustingCustomer) {
	c.open()
	for name, minutes := range map[string]string{"Builds of the app": "5 minutes", "Pods": "1 minute"} {
		c.page.Click(browser.Button("Delete the trust policy " + name))
		dialog := c.page.Within(browser.Dialog("Delete the trust policy " + name + "?"))
		dialog.WaitText("for at most " + minutes + ".")
		c.page.Axe()
		dialog.Click(browser.Button("Delete trust policy"))
		c.page.WaitText("The trust policy " + name + " was deleted.")
		c.page.WaitGone(browser.Dialog("Delete the trust policy " + name + "?"))
	}
	c.section().WaitText("No pipeline or pod of this customer can exchange a token.")
	c.list(t).WantValue("pagination.total", 0)
}

// testTrustPolicyPages adds trust policies until there is a second page and a limit, with texts that are as long as possible.
func testTrustPolicyPages(t *testing.T, c *trustingCustomer) {
	name, claim, value := strings.Repeat("n", 98), strings.Repeat("c", 99), strings.Repeat("v", 255)
	for i := range 10 {
		c.create(t, fmt.Sprintf("%s%02d", name, i), claim, value)
	}
	c.open()
	for _, size := range []browser.Size{browser.Phone, browser.Desktop} {
		c.page.Resize(size)
		c.page.Settle()
		if wide := c.page.Overflow(); len(wide) > 0 {
			t.Errorf("at %v, the trust policies are too wide: %q", size, wide)
		}
	}
	addLast := func() browser.Scope {
		dialog := c.startAdding()
		dialog.Fill("Name", "last")
		dialog.Fill("Condition 1: Value", "repo:acme/app:ref:refs/heads/main")
		dialog.Fill("Condition 2: Value", "65")
		dialog.Click(browser.Button("Add trust policy"))
		return dialog
	}
	addLast()
	c.section().WaitFor(browser.Row("last")) // on the second page
	c.section().WaitText("11–11 of 11")
	c.page.Click(browser.Button("Delete the trust policy last"))
	c.page.Click(browser.Button("Delete trust policy"))
	c.section().WaitFor(browser.Row(name + "09")) // on the first page, because the second one has become empty
	for i := range 40 {
		c.create(t, fmt.Sprintf("p%d", i), "sub", "project_path:acme/app:*:*:*:*")
	}
	c.page.Allow("409 POST /v1/customers/")
	addLast().WaitText("The customer already has 50 trust policies, the maximum.")
}
