package e2e

import (
	"net/http"
	"testing"
)

// checkDemoLists checks that the lists of the portal have something to show after `portside demo-data`.
func checkDemoLists(t *testing.T, p *testStack) {
	t.Helper()
	admin := p.admin(t)
	newest := admin.Get("/api/v1/pulls").WantStatus(http.StatusOK)
	if newest.Text("data.0.tokenName") == "" {
		t.Errorf("a pull belongs to no token: %s", newest.Body)
	}
	paths := []string{"/v1/users", "/v1/projects", "/api/v1/tokens?userId=" + newest.Text("data.0.ownerId")}
	for _, status := range []string{"pending", "approved", "denied", "collected", "expired"} {
		paths = append(paths, "/api/v1/credential-requests?status="+status)
	}
	for _, path := range paths {
		if list := admin.Get(path).WantStatus(http.StatusOK).List("data"); len(list) == 0 {
			t.Errorf("%s is empty", path)
		}
	}
}
