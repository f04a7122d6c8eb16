package e2e

import (
	"testing"

	"portside/local/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }

// visit returns an empty tab of a new visitor. The portal's host is localhost, because browsers accept its cookies and
// passkeys only there and with HTTPS.
func (p *testStack) visit(t *testing.T) *browser.Page {
	t.Helper()
	page := browser.New(t, p.info.Portal)
	page.Allow("401 GET /v1/sessions/current") // the answer before the sign-in
	return page
}
