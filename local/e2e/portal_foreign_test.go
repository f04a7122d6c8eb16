package e2e

import (
	"net/http"
	"strings"
	"testing"

	"portside/local/browser"
)

// testForeignRequest opens the page of another person's request.
func testForeignRequest(t *testing.T, m *customerStack) {
	const requests, text = "/api/v1/credential-requests", "of the customer alone"
	id := m.customer.For(t).Post(requests, `{"accessLevel":"charts","justification":"`+text+`"}`).
		WantStatus(http.StatusCreated).Text("data.id")
	m.createUser(t, "stranger@example.com", "viewer")
	page := m.visitAs(t, "stranger@example.com")
	page.Allow("404 GET " + requests)
	page.Open("/portal/access/requests/" + id)
	page.WaitText("The credential request does not exist.")
	page.WaitText("include the request ID")
	if shown := page.Text(); strings.Contains(shown, text) || strings.Contains(shown, portalCustomer) {
		t.Errorf("the page shows another person's request: %s", shown)
	}
	m.admin(t).Post(requests+"/"+id+"/deny", `{}`).WantStatus(http.StatusOK)
}

// testForeignUser opens the page of an admin as a viewer, who can read users but not their credentials.
func testForeignUser(t *testing.T, p *testStack, page *browser.Page) {
	t.Helper()
	at := p.userPath(t, firstAdmin)
	page.Open(portalPath(at))
	page.WaitFor(browser.Heading("Administrator"))
	ready(page)
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
		status := browser.Eval[int](page, `fetch(`+quoteJS(t, path)+`).then(async r => { await r.text(); return r.status })`)
		if status != http.StatusForbidden {
			t.Errorf("%s answers a viewer with %d", path, status)
		}
	}
}

// testForeignJob opens the media page with the job of another person in its address.
func testForeignJob(t *testing.T, p *testStack, address, result string) {
	t.Helper()
	p.createUser(t, "stranger@example.com", "user")
	page := p.visitAs(t, "stranger@example.com")
	page.Allow("404 GET /v1/capabilities/jobs/")
	page.Open(address)
	page.WaitFor(browser.Heading("Media"))
	page.WaitText("You have no such job.")
	if shown := page.Text(); strings.Contains(shown, result) || strings.Contains(shown, "talk.wav") {
		t.Errorf("the page shows another person's job: %s", shown)
	}
	page.Axe()
}
