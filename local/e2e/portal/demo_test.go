package portal

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"portside/local/e2e/e2etest"
)

var addDemoData sync.Once

// withDemoData returns the shared stack with an example of 120 days, which the first test that needs it adds.
func withDemoData(t *testing.T) *e2etest.Stack {
	t.Helper()
	p := e2etest.Shared(t)
	addDemoData.Do(func() {
		p.Operator.Demo(t)
		p.Operator.Run(t, "demo-data", "--days", "120", "--add")
	})
	return p
}

// checkDemoLists checks that the lists of the portal have something to show after `portside demo-data`.
func checkDemoLists(t *testing.T, p *e2etest.Stack) {
	t.Helper()
	admin := p.Admin(t)
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

// checkDemoPullsExist checks that the service has all charts and images that `portside demo-data` says were pulled,
// with their versions.
func checkDemoPullsExist(t *testing.T, p *e2etest.Stack) {
	t.Helper()
	admin, repositories, paths := p.Admin(t), map[string]bool{}, map[string]bool{}
	for next, hasMore := "", true; hasMore; {
		page := admin.Get("/api/v1/pulls?limit=100" + next).WantStatus(http.StatusOK)
		for _, entry := range page.List("data") {
			pull := entry.(map[string]any)
			repositories[pull["repository"].(string)], paths[pathOfPulled(pull)] = true, true
		}
		var cursor string
		cursor, hasMore = page.JSON("pagination.next").(string)
		next = "&cursor=" + url.QueryEscape(cursor)
	}
	for path := range paths {
		admin.Get(path).WantStatus(http.StatusOK)
	}
	if len(repositories) != 3 {
		t.Errorf("the pulls are of %v, want a chart, an image and a chart in the registry", repositories)
	}
}

// pathOfPulled returns where the API describes the version that was pulled.
func pathOfPulled(pull map[string]any) string {
	repository, reference := pull["repository"].(string), pull["reference"].(string)
	if pull["kind"] == "chart" && !strings.HasPrefix(repository, "charts/") {
		return "/v1/charts/" + repository + "/" + reference
	}
	return "/v1/images/manifests?repository=" + url.QueryEscape(repository) + "&reference=" + url.QueryEscape(reference)
}
