// Package administration has the end-to-end tests of users, projects, customers, what customers may pull, and the audit
// log: their pages, mails, commands and documents.
package administration

import (
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

func TestMain(m *testing.M) { e2etest.Main(m) }

// visitAsAdmin returns the shared stack and a tab of a new admin of the vendor.
func visitAsAdmin(t *testing.T) (*e2etest.Stack, *browser.Page) {
	t.Helper()
	p := e2etest.Shared(t)
	return p, p.Portal.VisitAsNew(t, "staff", "admin")
}
