package e2e

import (
	"testing"

	"portside/local/browser"
)

// visitAs returns a tab of a user who has signed in with a mailed link.
func (p *testStack) visitAs(t *testing.T, email string) *browser.Page {
	t.Helper()
	page := p.visit(t)
	page.Open("/portal/activate") // a page that needs no session
	browser.Eval[bool](page, fetchPost("/v1/sign-in/links", `{"email":"`+email+`"}`))
	_, token := p.mailedLink(t, email)
	p.secrets.add(token)
	if !browser.Eval[bool](page, fetchPost("/v1/sessions", `{"token":"`+token+`"}`)) {
		t.Fatalf("%s cannot sign in", email)
	}
	return page
}

// fetchPost returns the expression that sends a request as the portal does, and tells whether it succeeded.
func fetchPost(path, body string) string {
	return "fetch('" + path + "', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '" + body + "'}).then(async r => { await r.text(); return r.ok })"
}
