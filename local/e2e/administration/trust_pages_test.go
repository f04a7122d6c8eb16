package administration

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
	"portside/testclient/workloadtest"
)

// trustPolicies are those of a customer.
type trustPolicies struct{ customerPart }

func visitTrustPolicies(t *testing.T) trustPolicies {
	t.Helper()
	return trustPolicies{visitPart(t, "Trust policies", "/trust-policies")}
}

// Trust policies of pipelines and of pods.
const (
	builds = `{"name":"Builds of the app","issuer":"https://token.actions.githubusercontent.com","audience":"https://portside.example.com",
		"conditions":[{"claim":"sub","value":"repo:acme/app:ref:refs/heads/*"},{"claim":"repository_owner_id","value":"65"}],
		"scopes":["read:helm-charts","read:docker-images:acme/*","read:docker-images:tools/scan"],"maxMinutes":5}`
	pods = `{"name":"Pods","issuer":"https://kubernetes.acme.example","audience":"https://portside.example.com","jwks":%q,
		"conditions":[{"claim":"sub","value":"system:serviceaccount:acme:puller"}],"scopes":["read:helm-charts"],"maxMinutes":1}`
)

// createTwo creates trust policies of pipelines and of pods, and loads the page again.
func (c trustPolicies) createTwo(t *testing.T) {
	t.Helper()
	for _, body := range []string{builds, fmt.Sprintf(pods, workloadtest.KeySet(workloadtest.NewKey("1", "RS256")))} {
		c.create(t, body)
	}
	c.open()
}

// twoTrustPolicies are the rows of createTwo.
var twoTrustPolicies = map[string]string{
	"Builds of the app": "repo:acme/app:ref:refs/heads/*", "Pods": "system:serviceaccount:acme:puller",
}

// policyWith returns a trust policy with one condition.
func policyWith(name, claim, value string) string {
	return fmt.Sprintf(`{"name":%q,"issuer":"https://gitlab.com","audience":"https://portside.example.com",`+
		`"conditions":[{"claim":%q,"value":%q}],"scopes":["read:helm-charts"]}`, name, claim, value)
}

// startAdding opens the form of a new trust policy.
func (c trustPolicies) startAdding() browser.Scope {
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

func TestNoTrustPolicies(t *testing.T) {
	c := visitTrustPolicies(t)
	c.section().WaitText("No pipeline or pod of this customer can exchange a token.")
	c.section().WaitText("Add a trust policy for its pipelines or pods.")
	c.page.Axe()
	reader := c.Portal.VisitAsNew(t, "reader", "viewer")
	reader.Open("/portal/customers/" + c.id)
	reader.WaitText("No pipeline or pod of this customer can exchange a token.")
	e2etest.Ready(reader)
	reader.WaitNoText("Add a trust policy")
	c.Users.CreateOf(t, c.id, "manager", "manager")
	manager := c.Portal.VisitAs(t, "manager")
	manager.Open("/portal/company")
	own := manager.Within(browser.Role("region", "Pipelines and pods"))
	own.WaitText("No pipeline or pod of your company can exchange a token.")
	own.WaitText("Tell the vendor the issuer and the subjects of your jobs.")
	manager.Axe()
}

// TestTrustPolicyPresets checks what the form fills in for each platform. Values of conditions are only examples, which
// the form does not send.
func TestTrustPolicyPresets(t *testing.T) {
	c := visitTrustPolicies(t)
	dialog := c.startAdding()
	origin := browser.Eval[string](c.page, "location.origin")
	wantFields(t, dialog, map[string]string{
		"Issuer": "https://token.actions.githubusercontent.com", "Audience": origin, "Condition 1: Claim": "repository_id",
		"Condition 1: Values": "", "Condition 2: Claim": "repository_owner_id", "Condition 2: Values": "", "Condition 3: Claim": "ref",
		"Condition 3: Values": "", "Longest life in minutes": "15",
	})
	dialog.WaitText("GitHub signs for everybody")
	wantLinkToIDs(t, c.page, dialog)
	const example = `document.querySelector("[name='conditions/0/values']").placeholder`
	for _, preset := range []struct{ platform, issuer, claim, example, hint string }{
		{"GitLab", "https://gitlab.com", "project_id", "20", "GitLab signs for everybody"},
		{"Kubernetes", "", "sub", "system:serviceaccount:acme:puller", "kubectl get --raw /.well-known/openid-configuration"},
		{"Another issuer", "", "sub", "", "an https address"},
		{"GitHub Actions", "https://token.actions.githubusercontent.com", "repository_id", "74", "but an ID cannot"},
	} {
		t.Run(preset.platform, func(t *testing.T) {
			dialog.Select("Platform", preset.platform)
			dialog.WaitText(preset.hint)
			wantFields(t, dialog, map[string]string{
				"Issuer": preset.issuer, "Audience": origin, "Condition 1: Claim": preset.claim, "Condition 1: Values": "",
			})
			if got := browser.Eval[string](c.page, example); got != preset.example {
				t.Errorf("the example is %q", got)
			}
		})
	}
	c.page.Axe()
	c.page.Press("Escape")
	c.page.WaitGone(browser.Dialog("Add trust policy"))
}

// wantLinkToIDs checks that the form links only to the IDs of the repository in GitHub's API.
func wantLinkToIDs(t *testing.T, page *browser.Page, dialog browser.Scope) {
	t.Helper()
	links := func() []string {
		return browser.Eval[[]string](page, `[...document.querySelectorAll("dialog a")].map(a => a.href + " " + a.rel)`)
	}
	dialog.Fill("Repository on GitHub (optional)", " acme/app.go ")
	dialog.WaitText("has the repository_id as id")
	if got := links(); !slices.Equal(got, []string{"https://api.github.com/repos/acme/app.go noopener noreferrer"}) {
		t.Errorf("the form links to %q", got)
	}
	for _, name := range []string{"acme", "acme/..", "../../user", "acme/app/x", "acme/app?x=1",
		"https://github.com/acme/app", ""} {
		dialog.Fill("Repository on GitHub (optional)", name)
		dialog.WaitNoText("has the repository_id as id")
		if got := links(); len(got) > 0 {
			t.Errorf("with %q, the form links to %q", name, got)
		}
	}
}

// TestRejectedTrustPolicy fills in what the API or the form refuses.
func TestRejectedTrustPolicy(t *testing.T) {
	c := visitTrustPolicies(t)
	page, dialog := c.page, c.startAdding()
	page.Allow("400 POST /v1/customers/")
	dialog.Click(browser.Button("Add trust policy"))
	dialog.WaitText("must have 1 to 255 bytes")
	wantInvalid(t, page, "name", "conditions/0/values", "conditions/1/values", "conditions/2/values")
	page.Axe()
	dialog.Fill("Name", "Main branches")
	dialog.Fill("Condition 3: Values", "refs/heads/main")
	dialog.Click(browser.Button("Remove condition 2"))
	dialog.Click(browser.Button("Remove condition 1"))
	dialog.Click(browser.Button("Add trust policy"))
	dialog.Within(browser.Role("group", "Conditions")).
		WaitText("GitHub signs for everybody: add a condition on one of repository_owner_id")
	page.Axe()
	dialog.Select("Platform", "Kubernetes")
	dialog.WaitNoText("must have 1 to 255 bytes")
	dialog.Fill("Name", e2etest.HostileText)
	dialog.Fill("Issuer", "http://kubernetes.acme.example")
	dialog.Fill("Audience", "two words")
	dialog.Fill("Condition 1: Claim", "iss")
	dialog.Fill("Condition 1: Values", "x")
	dialog.Fill("Only these charts (optional)", "acme/**")
	dialog.Fill("Longest life in minutes", "61")
	dialog.Fill("Keys of the issuer (optional)", "{}")
	dialog.Click(browser.Button("Add trust policy"))
	dialog.WaitText("must not be iss, aud or exp")
	wantInvalid(t, page, "name", "issuer", "audience", "conditions/0/claim", "maxMinutes", "jwks")
	dialog.Within(browser.Role("group", "What access tokens may pull")).
		WaitText("must be read:helm-charts or read:docker-images")
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

func TestAddTrustPolicy(t *testing.T) {
	c := visitTrustPolicies(t)
	dialog := c.startAdding()
	dialog.Fill("Name", "Builds of the app")
	dialog.Fill("Condition 1: Values", "74")
	dialog.Fill("Condition 2: Values", "65")
	dialog.Fill("Condition 3: Values", "refs/heads/main\n\n refs/heads/release/* \n")
	dialog.Fill("Only these images (optional)", "acme/*, tools/scan")
	c.page.Axe()
	e2etest.DoubleClick(t, c.page, c.at, func() { c.page.WaitText("The trust policy Builds of the app was added.") })
	row := c.section().Within(browser.Row("Builds of the app"))
	for _, text := range []string{"refs/heads/main or refs/heads/release/*", "repository_owner_id", "All charts",
		"15 minutes"} {
		row.WaitText(text)
	}
	added := c.list(t).WantValue("pagination.total", 1).
		WantValue("data.0.issuer", "https://token.actions.githubusercontent.com").
		WantValue("data.0.audience", browser.Eval[string](c.page, "location.origin")).WantValue("data.0.maxMinutes", 15).
		WantValue("data.0.conditions.1.claim", "repository_owner_id").WantValue("data.0.conditions.1.value", "65").
		WantValue("data.0.jwks", "").
		WantValue("data.0.conditions.2",
			map[string]any{"claim": "ref", "values": []any{"refs/heads/main", "refs/heads/release/*"}}).
		WantValue("data.0.scopes", []any{"read:helm-charts", "read:docker-images:acme/*", "read:docker-images:tools/scan"})
	row.WaitText(added.Text("data.0.id"))

	keys := workloadtest.KeySet(workloadtest.NewKey("1", "RS256"))
	dialog = c.startAdding()
	dialog.Select("Platform", "Kubernetes")
	dialog.Fill("Name", "Pods")
	dialog.Fill("Issuer", "https://kubernetes.acme.example")
	dialog.Fill("Condition 1: Values", "system:serviceaccount:acme:puller")
	dialog.Check("Images", false)
	dialog.Fill("Longest life in minutes", "1")
	dialog.Fill("Keys of the issuer (optional)", keys+"\n")
	lost := c.page.Network.LoseResponses("*" + c.at)
	dialog.Click(browser.Button("Add trust policy"))
	dialog.WaitText("The request may have succeeded.")
	lost()
	dialog.Click(browser.Button("Add trust policy"))
	row = c.section().Within(browser.Row("Pods"))
	row.WaitText("1 minute")
	row.WaitText("keys stored")
	c.list(t).WantValue("pagination.total", 2).WantValue("data.1.jwks", keys).
		WantValue("data.1.scopes", []any{"read:helm-charts"}).
		WantValue("data.1.conditions", []any{map[string]any{"claim": "sub", "value": "system:serviceaccount:acme:puller"}})
	e2etest.Ready(c.page)
	c.page.Axe()
}

func TestEditTrustPolicy(t *testing.T) {
	c := visitTrustPolicies(t)
	c.createTwo(t)
	c.page.Click(browser.Button("Edit the trust policy Builds of the app"))
	dialog := c.page.Within(browser.Dialog("Edit trust policy"))
	wantFields(t, dialog, map[string]string{
		"Name": "Builds of the app", "Issuer": "https://token.actions.githubusercontent.com", "Condition 1: Claim": "sub",
		"Condition 1: Values": "repo:acme/app:ref:refs/heads/*", "Condition 2: Values": "65", "Only these charts (optional)": "",
		"Only these images (optional)": "acme/* tools/scan", "Longest life in minutes": "5", "Keys of the issuer (optional)": "",
	})
	c.page.Axe()
	c.page.Allow("400 PUT /v1/customers/")
	dialog.Fill("Condition 2: Values", "")
	dialog.Click(browser.Button("Save"))
	dialog.WaitText("must have 1 to 255 bytes")
	wantInvalid(t, c.page, "conditions/1/values")
	dialog.Click(browser.Button("Remove condition 2"))
	dialog.Click(browser.Button("Add a condition"))
	dialog.Fill("Condition 2: Claim", "environment")
	dialog.Fill("Condition 2: Values", "production")
	dialog.Fill("Only these images (optional)", "acme/*")
	dialog.Fill("Longest life in minutes", "6")
	dialog.Click(browser.Button("Save"))
	c.page.WaitText("Saved.")
	c.section().Within(browser.Row("Builds of the app")).WaitText("6 minutes")
	c.list(t).WantValue("data.0.maxMinutes", 6).WantValue("data.0.name", "Builds of the app").
		WantValue("data.0.conditions.1.claim", "environment").
		WantValue("data.0.scopes", []any{"read:helm-charts", "read:docker-images:acme/*"})

	c.page.Click(browser.Button("Edit the trust policy Pods"))
	dialog.Fill("Keys of the issuer (optional)", "")
	dialog.Click(browser.Button("Save"))
	c.section().Within(browser.Row("Pods")).WaitNoText("keys stored")
	c.list(t).WantValue("data.1.jwks", "").WantValue("data.1.scopes", []any{"read:helm-charts"})
}

// TestTwoAdminsChangeATrustPolicy changes and deletes a trust policy while its form is open.
func TestTwoAdminsChangeATrustPolicy(t *testing.T) {
	c := visitTrustPolicies(t)
	c.page.Allow("412 ")
	c.page.Allow("404 GET /v1/customers/")
	at := c.create(t, policyWith("Jobs", "sub", "project_path:acme/app:*:*:*:*"))
	c.open()
	c.page.Click(browser.Button("Edit the trust policy Jobs"))
	c.page.WaitFor(browser.Dialog("Edit trust policy"))
	c.Admin(t).Put(at, `{"conditions":[{"claim":"project_id","values":["20","21"]}],"scopes":["read:docker-images:b"],"maxMinutes":3}`).
		WantStatus(http.StatusOK)
	dialog := c.page.Within(browser.Dialog("Edit trust policy"))
	dialog.Fill("Name", "Nightly jobs")
	dialog.Click(browser.Button("Save"))
	dialog.WaitText("Conditions: sub = project_path:acme/app:*:*:*:* → project_id = 20 or 21.")
	dialog.WaitText("What access tokens may pull: All charts → Images: b.")
	dialog.WaitText("Longest life in minutes: 15 → 3.")
	c.page.Axe()
	dialog.Click(browser.Button("Save"))
	c.section().Within(browser.Row("Nightly jobs")).WaitText("3 minutes")

	c.page.Click(browser.Button("Delete the trust policy Nightly jobs"))
	c.page.WaitFor(browser.Dialog("Delete the trust policy Nightly jobs?"))
	c.Admin(t).Put(at, `{"maxMinutes":4}`).WantStatus(http.StatusOK)
	dialog = c.page.Within(browser.Dialog("Delete the trust policy Nightly jobs?"))
	dialog.Click(browser.Button("Delete trust policy"))
	dialog.WaitText("Someone else has changed this in the meantime.")
	dialog.Click(browser.Button("Cancel"))
	c.section().Within(browser.Row("Nightly jobs")).WaitText("4 minutes")
	c.Admin(t).Delete(at).WantStatus(http.StatusNoContent)
	c.page.Click(browser.Button("Edit the trust policy Nightly jobs"))
	c.section().WaitText("The trust policy does not exist.")
	c.page.WaitGone(browser.Row("Nightly jobs"))
}

func TestTrustPolicyByKeyboard(t *testing.T) {
	c := visitTrustPolicies(t)
	e2etest.Press(t, c.page, "Add trust policy")
	c.page.WaitFor(browser.Dialog("Add trust policy"))
	e2etest.TabTo(t, c.page, "Platform")
	c.page.Press("ArrowDown")
	e2etest.TabTo(t, c.page, "Name")
	c.page.Type("Keys")
	e2etest.TabTo(t, c.page, "Condition 1: Values")
	c.page.Type("20")
	e2etest.Press(t, c.page, "Remove condition 2")
	e2etest.Press(t, c.page, "Add trust policy")
	c.section().Within(browser.Row("Keys")).WaitText("https://gitlab.com")
	e2etest.Ready(c.page)
	e2etest.Press(t, c.page, "Edit the trust policy Keys")
	c.page.WaitFor(browser.Dialog("Edit trust policy"))
	e2etest.Press(t, c.page, "Add a condition")
	e2etest.TabTo(t, c.page, "Condition 2: Claim")
	c.page.Type("ref_protected")
	e2etest.TabTo(t, c.page, "Condition 2: Values")
	c.page.Type("true")
	e2etest.Press(t, c.page, "Save")
	c.section().Within(browser.Row("Keys")).WaitText("ref_protected")
	e2etest.Ready(c.page)
	e2etest.WantCopied(t, c.page, c.list(t).Text("data.0.id"), func() { e2etest.Press(t, c.page, "Copy: ID of Keys") })
	e2etest.Press(t, c.page, "Delete the trust policy Keys")
	c.page.WaitFor(browser.Dialog("Delete the trust policy Keys?"))
	e2etest.Press(t, c.page, "Delete trust policy")
	c.page.WaitGone(browser.Row("Keys"))
}

func TestStaffReadsTrustPolicies(t *testing.T) {
	c := visitTrustPolicies(t)
	c.createTwo(t)
	page := c.Portal.VisitAsNew(t, "reader", "viewer")
	page.Open("/portal/customers/" + c.id)
	wantReadOnly(t, page, "Trust policies", twoTrustPolicies)
	page.Within(browser.Role("region", "Trust policies")).WaitFor(browser.Button("Copy: ID of Pods"))
}

func TestCustomersReadTheirTrustPolicies(t *testing.T) {
	c := visitTrustPolicies(t)
	c.createTwo(t)
	c.Users.CreateOf(t, c.id, "manager", "manager")
	c.Users.CreateOf(t, c.id, "chief", "admin") // whose role has customers:write
	for _, email := range []string{"manager", "chief"} {
		page := c.Portal.VisitAs(t, email)
		page.Open("/portal/company")
		wantReadOnly(t, page, "Pipelines and pods", twoTrustPolicies)
		page.Within(browser.Role("region", "Pipelines and pods")).WaitFor(browser.Button("Copy: ID of Pods"))
	}
}

func TestDeleteTrustPolicy(t *testing.T) {
	c := visitTrustPolicies(t)
	c.createTwo(t)
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

// TestPagesOfTrustPolicies adds trust policies until there is a second page and a limit, with texts that are as long as
// possible.
func TestPagesOfTrustPolicies(t *testing.T) {
	c := visitTrustPolicies(t)
	name, claim, value := strings.Repeat("n", 98), strings.Repeat("c", 99), strings.Repeat("v", 255)
	long := fmt.Sprintf(`"conditions":[{"claim":"project_id","value":"20"},{"claim":%q`, claim)
	for i := range 10 {
		policy := policyWith(fmt.Sprintf("%s%02d", name, i), claim, value)
		c.create(t, strings.Replace(policy, fmt.Sprintf(`"conditions":[{"claim":%q`, claim), long, 1))
	}
	c.open()
	e2etest.FitsWindow(t, c.page)
	addLast := func() browser.Scope {
		dialog := c.startAdding()
		dialog.Fill("Name", "last")
		dialog.Fill("Condition 1: Values", "74")
		dialog.Fill("Condition 2: Values", "65")
		dialog.Fill("Condition 3: Values", "refs/heads/main")
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
		c.create(t, policyWith(fmt.Sprintf("p%d", i), "sub", "project_path:acme/app:*:*:*:*"))
	}
	c.page.Allow("409 POST /v1/customers/")
	addLast().WaitText("The customer already has 50 trust policies, the maximum.")
}
