package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"portside/testclient/workloadtest"
)

// TestWorkloads runs the commands of docs/pipelines.md, and then exchanges tokens as a pod would. The policies of the exchanges have keys
// of their own, because a test cannot sign as GitHub.
func TestWorkloads(t *testing.T) {
	p := newTestStack(t)
	stop := p.start(t, noRateLimit())
	defer stop()
	root, key := p.admin(t), workloadtest.NewKey("1", "RS256")
	const issuer, audience = "https://kubernetes.acme.example", "https://portside.example.com"
	p.runWorkloadsDocument(t)
	at := "/v1/customers/" + root.Post("/v1/customers", `{"name":"Acme","slug":"acme"}`).WantStatus(http.StatusCreated).Text("data.id")
	policies := at + "/trust-policies"
	policy := root.Post(policies, fmt.Sprintf(`{"name":"Pods","issuer":%q,"audience":%q,"jwks":%q,"maxMinutes":10,`+
		`"conditions":[{"claim":"/kubernetes.io/namespace","value":"acme"}],"scopes":["read:helm-charts"]}`,
		issuer, audience, workloadtest.KeySet(key))).WantStatus(http.StatusCreated).Text("data.id")
	token := key.Sign(workloadtest.Kubernetes(issuer, audience, now()))

	form := url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "subject_token": {token}, "trust_policy_id": {policy},
		"subject_token_type": {"urn:ietf:params:oauth:token-type:id_token"},
	}
	send := func() response {
		return p.anonymous(t).With("Content-Type", "application/x-www-form-urlencoded").Post("/api/v1/token-exchange", form.Encode())
	}
	access := send().WantStatus(http.StatusOK).Text("access_token")
	p.anonymous(t).With("Authorization", "Bearer "+access).Get("/charts/index.yaml").WantStatus(http.StatusOK)
	form.Set("subject_token", key.Sign(workloadtest.With(workloadtest.Kubernetes(issuer, audience, now()), "kubernetes.io", nil)))
	send().WantStatus(http.StatusBadRequest).WantValue("error", "invalid_request")
	root.Put(at, `{"status":"suspended"}`).WantStatus(http.StatusOK)
	p.anonymous(t).With("Authorization", "Bearer "+access).Get("/charts/index.yaml").WantStatus(http.StatusUnauthorized)
}

// runWorkloadsDocument runs the commands of docs/pipelines.md as somebody who has built the command line in the folder of the document.
func (p *testStack) runWorkloadsDocument(t *testing.T) {
	t.Helper()
	reader := p.documentReaderAs(t, "reader@example.com", "manager")
	buildPortside(t, reader.path(filepath.Join(".local", "bin", "portside")))
	reader.runDocument(t, filepath.Join(repository, "docs", "pipelines.md"), 2)
	policies := p.admin(t).Get("/v1/customers/" + strings.TrimSpace(reader.read(t, "customer-id")) + "/trust-policies")
	policies.WantStatus(http.StatusOK).WantValue("pagination.total", 2).WantValue("data.1.id", strings.TrimSpace(reader.read(t, "policy-id")))
}
