package distribution

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/local/e2e/e2etest"
	"portside/testclient/workloadtest"
)

// TestPipelinesDocument runs the commands of docs/pipelines.md on a new stack, as a person who has built the command
// line in the folder of the document.
func TestPipelinesDocument(t *testing.T) {
	p := e2etest.Start(t)
	reader := p.DocumentReader(t, "manager")
	portside, err := filepath.Abs(e2etest.Portside)
	if err == nil {
		reader.WriteFile(t, ".local/bin/none", "")
		err = os.Symlink(portside, reader.Path(".local/bin/portside"))
	}
	if err != nil {
		t.Fatal(err)
	}
	reader.RunDocument(t, "pipelines.md", 2)
	policies := p.Admin(t).Get("/v1/customers/" + strings.TrimSpace(reader.ReadFile(t, "customer-id")) + "/trust-policies")
	policies.WantStatus(http.StatusOK).WantValue("pagination.total", 2).
		WantValue("data.1.id", strings.TrimSpace(reader.ReadFile(t, "policy-id")))
}

// TestTokenExchange exchanges tokens as a pod would. The policy has the keys of the test, because a test cannot sign as
// GitHub.
func TestTokenExchange(t *testing.T) {
	p := e2etest.Shared(t)
	root, key := p.Admin(t), workloadtest.NewKey("1", "RS256")
	const issuer, audience = "https://kubernetes.acme.example", "https://portside.example.com"
	at := "/v1/customers/" + p.CreateCustomer(t, "Acme", "acme")
	policies := at + "/trust-policies"
	policy := root.Post(policies, fmt.Sprintf(`{"name":"Pods","issuer":%q,"audience":%q,"jwks":%q,"maxMinutes":10,`+
		`"conditions":[{"claim":"/kubernetes.io/namespace","value":"acme"}],"scopes":["read:helm-charts"]}`,
		issuer, audience, workloadtest.KeySet(key))).WantStatus(http.StatusCreated).Text("data.id")
	token := key.Sign(workloadtest.Kubernetes(issuer, audience, e2etest.Now()))

	form := url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "subject_token": {token},
		"trust_policy_id":    {policy},
		"subject_token_type": {"urn:ietf:params:oauth:token-type:id_token"},
	}
	send := func() e2etest.Response {
		return p.Anonymous(t).With("Content-Type", "application/x-www-form-urlencoded").
			Post("/api/v1/token-exchange", form.Encode())
	}
	access := send().WantStatus(http.StatusOK).Text("access_token")
	p.WithToken(t, access).Get("/charts/index.yaml").WantStatus(http.StatusOK)
	form.Set("subject_token", key.Sign(workloadtest.With(workloadtest.Kubernetes(issuer, audience, e2etest.Now()),
		"kubernetes.io", nil)))
	send().WantStatus(http.StatusBadRequest).WantValue("error", "invalid_request")
	root.Put(at, `{"status":"suspended"}`).WantStatus(http.StatusOK)
	p.WithToken(t, access).Get("/charts/index.yaml").WantStatus(http.StatusUnauthorized)
}

// TestExchangeByIDs exchanges tokens of GitHub with both forms of subjects, by a policy with IDs and alternatives.
func TestExchangeByIDs(t *testing.T) {
	p := e2etest.Shared(t)
	root, key := p.Admin(t), workloadtest.NewKey("1", "RS256")
	const issuer, audience = "https://token.actions.githubusercontent.com", "https://portside.example.com"
	policies := "/v1/customers/" + p.CreateCustomer(t, "Builders", "builders") + "/trust-policies"
	create := func(conditions string) e2etest.Response {
		return root.Post(policies, fmt.Sprintf(`{"name":"Builds","issuer":%q,"audience":%q,"jwks":%q,"scopes":["read:helm-charts"],`+
			`"conditions":[%s]}`, issuer, audience, workloadtest.KeySet(key), conditions))
	}
	const refs = `{"claim":"ref","values":["refs/heads/main","refs/heads/release/*"]}`
	create(refs).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/conditions")
	policy := create(`{"claim":"repository_id","value":"74"},{"claim":"repository_owner_id","value":"65"},` + refs).
		WantStatus(http.StatusCreated).Text("data.id")
	send := func(claims workloadtest.Claims) e2etest.Response {
		form := url.Values{
			"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "trust_policy_id": {policy},
			"subject_token_type": {"urn:ietf:params:oauth:token-type:jwt"}, "subject_token": {key.Sign(claims)},
		}
		return p.Anonymous(t).With("Content-Type", "application/x-www-form-urlencoded").
			Post("/api/v1/token-exchange", form.Encode())
	}
	now := e2etest.Now()
	immutable, named := workloadtest.GitHubWithIDs(issuer, audience, now), workloadtest.GitHub(issuer, audience, now)
	access := send(immutable).WantStatus(http.StatusOK).Text("access_token")
	p.WithToken(t, access).Get("/charts/index.yaml").WantStatus(http.StatusOK)
	send(workloadtest.With(named, "ref", "refs/heads/release/1")).WantStatus(http.StatusOK)
	send(workloadtest.With(immutable, "repository_id", "744")).WantStatus(http.StatusBadRequest).
		WantValue("error", "invalid_request")
	send(workloadtest.With(immutable, "ref", "refs/heads/other")).WantStatus(http.StatusBadRequest)
	for range 18 {
		send(immutable).WantStatus(http.StatusOK)
	}
	send(immutable).WantStatus(http.StatusTooManyRequests).WantValue("code", "QUOTA_EXCEEDED").
		WantValue("error", "temporarily_unavailable")
	send(workloadtest.With(immutable, "jti", "another")).WantStatus(http.StatusOK)
}
