package distribution

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/local/e2e/e2etest"
	"portside/local/stack"
)

// TestOnlyImageRepositoriesAreOffered has a stack whose functions may pull acme/* of an account with more repositories.
// The registry refuses like ECR what a role does not permit.
func TestOnlyImageRepositoriesAreOffered(t *testing.T) {
	s := shop{Stack: e2etest.StartWith(t, stack.Options{Parameters: map[string]string{"ImageRepositories": "acme/*"}})}
	admin := s.Admin(t)
	for _, repository := range []string{"acme/api", "acme/tools/cli", "acme", "globex/api", "internal/acme/api"} {
		s.push(t, repository+":1.0", randomImage(t, "amd64", 1<<10, 1))
	}
	token := admin.Post("/api/v1/tokens", `{"name":"node","scopes":["read:docker-images"]}`).
		WantStatus(http.StatusCreated).Text("data.token")
	node := s.WithLogin(t, e2etest.Login{User: "any-name", Password: token})
	want := []any{"acme/api", "acme/tools/cli"}
	if got := s.SendOCI(node, http.MethodGet,
		"/v2/_catalog").WantStatus(http.StatusOK).List("repositories"); !cmp.Equal(got, want) {
		t.Errorf("the catalog has %q, want %q", got, want)
	}
	var listed []any
	for _, item := range admin.Get("/v1/images").WantStatus(http.StatusOK).List("data") {
		if fields, isObject := item.(map[string]any); isObject {
			listed = append(listed, fields["repository"])
		}
	}
	if !cmp.Equal(listed, want) {
		t.Errorf("the list of repositories has %q, want %q", listed, want)
	}
	s.SendOCI(node, http.MethodGet, "/v2/acme/tools/cli/manifests/1.0").WantStatus(http.StatusOK)
	s.SendOCI(node, http.MethodGet, "/v2/acme/tools/cli/tags/list").WantStatus(http.StatusOK)
	for _, hidden := range []string{"acme", "globex/api", "internal/acme/api"} {
		s.SendOCI(node, http.MethodGet, "/v2/"+hidden+"/manifests/1.0").WantStatus(http.StatusNotFound)
		s.SendOCI(node, http.MethodGet, "/v2/"+hidden+"/tags/list").WantStatus(http.StatusNotFound)
	}
}
