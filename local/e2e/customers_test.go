package e2e

import (
	"net/http"
	"path/filepath"
	"testing"
)

// TestCustomers runs the commands of docs/customers.md and checks the result.
func TestCustomers(t *testing.T) {
	p := newTestStack(t)
	stop := p.start(t, noRateLimit())
	defer stop()
	document := filepath.Join(repository, "docs", "customers.md")
	p.documentReaderAs(t, "reader@example.com", "manager").runDocument(t, document, 7)

	root := p.admin(t)
	listed := root.Get("/v1/customers").WantStatus(http.StatusOK).WantValue("pagination.total", 1)
	at := "/v1/customers/" + listed.Text("data.0.id")
	root.Get(at).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`)
	root.Get(at+"/entitlements").WantStatus(http.StatusOK).WantValue("pagination.total", 1)
	root.Do(http.MethodDelete, at, "").WantStatus(http.StatusNoContent)
	root.Get(at).WantStatus(http.StatusNotFound)
	p.anonymous(t).Get("/v1/customers").WantStatus(http.StatusUnauthorized)
}
