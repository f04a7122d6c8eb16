package main

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/transactions"
	"portside/shared/pulls"
	"portside/shared/testkit/webtest"
	"portside/shared/trust"
	"portside/shared/trust/trustoidc"
	"portside/shared/web"
	"portside/testclient/workloadtest"
)

const (
	workloadIssuer   = "https://token.actions.githubusercontent.com"
	workloadAudience = "https://portside.example.com"
	acmeCustomer     = "0199cccc-0000-7000-8000-000000000001"
)

// workloads is a fixture with a trust policy for jobs of acme/app.
type workloads struct {
	*fixture

	key      workloadtest.Key
	policyID string
}

func newWorkloads(tb testing.TB) *workloads {
	tb.Helper()
	w := &workloads{fixture: newFixture(tb), key: workloadtest.NewKey("1", "ES256")}
	customer := []types.TransactWriteItem{w.table.AddCustomer(acmeCustomer, credentialsdynamo.CustomerState{})}
	if err := transactions.Write(tb.Context(), w.client, customer); err != nil {
		tb.Fatal(err)
	}
	policies := trust.NewService(w.policies(), web.NewID, w.clock)
	created, err := policies.Create(tb.Context(), trust.CreateOptions{CustomerID: acmeCustomer, Caller: principal.Operator()}, trust.New{
		Name: "Builds", Issuer: workloadIssuer, Audience: workloadAudience, Keys: workloadtest.KeySet(w.key),
		Conditions: []trust.Condition{{Claim: "repository", Values: []string{"acme/app"}}}, Scopes: []principal.Scope{principal.ReadCharts},
	})
	if err != nil {
		tb.Fatal(err)
	}
	w.policyID = created.Policy.ID
	return w
}

// exchange returns an access token of the policy.
func (w *workloads) exchange() string {
	w.tb.Helper()
	exchanger := trust.NewExchanger(w.policies(), trustoidc.New(w.clock), w.clock)
	token := w.key.Sign(workloadtest.GitHub(workloadIssuer, workloadAudience, w.now))
	issued, err := exchanger.Exchange(w.tb.Context(), trust.Request{PolicyID: w.policyID, Token: token, Network: "192.0.2.1"})
	if err != nil {
		w.tb.Fatal(err)
	}
	return issued.Secret.Reveal()
}

// TestExchangedTokenIsNoUsersToken shows what the owner of a token, which is a trust policy, may do.
func TestExchangedTokenIsNoUsersToken(t *testing.T) {
	w := newWorkloads(t)
	_, admin := w.user("boss@example.com", principal.Admin)
	text := w.exchange()
	secret, err := credentials.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	own, at := w.withToken(text), "/api/v1/tokens/"+secret.ID()
	own.Post("/api/v1/tokens", `{"name":"next","scopes":["read:helm-charts"]}`).WantStatus(http.StatusForbidden)
	own.Get("/api/v1/tokens").WantStatus(http.StatusOK).WantValue("data", []any{})
	for _, client := range []webtest.Client{own, w.withKey(admin)} {
		client.Get(at).WantStatus(http.StatusOK).WantValue("data.name", "repo:acme/app:ref:refs/heads/main").
			WantValue("data.status", "active").WantValue("data.line", nil)
	}
	own.Delete(at).WantStatus(http.StatusNoContent)
	if w.works(text) {
		t.Error("a revoked token works")
	}
	second := w.exchange()
	w.withKey(admin).Delete("/api/v1/tokens/" + second[4:16] + "?line=true").WantStatus(http.StatusNoContent)
	third := w.exchange()
	w.report(third)
	w.report(third)
	if w.works(second) || w.works(third) {
		t.Error("a token works that was revoked with its line or reported as leaked")
	}
	w.wantNoJobs()
}

func TestPullsOfWorkloadsNameThePolicy(t *testing.T) {
	w := newWorkloads(t)
	_, admin := w.user("boss@example.com", principal.Admin)
	text := w.exchange()
	pull := pulls.Pull{At: w.now, Kind: pulls.Chart, Repository: "product", Reference: "1.0", CredentialID: text[4:16], OwnerID: w.policyID}
	if _, err := w.pulls.Record(t.Context(), []pulls.Pull{pull}); err != nil {
		t.Fatal(err)
	}
	w.withKey(admin).Get(pullsPath).WantStatus(http.StatusOK).WantValue("data.0.ownerId", w.policyID).WantValue("data.0.ownerName", "Builds").
		WantValue("data.0.ownerEmail", nil).WantValue("data.0.tokenName", "repo:acme/app:ref:refs/heads/main")
}
