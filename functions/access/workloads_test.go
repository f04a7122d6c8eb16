package main

import (
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/pulls"
	"portside/shared/testkit/trusttest"
	"portside/shared/testkit/webtest"
	"portside/shared/trust"
	"portside/shared/trust/trustoidc"
)

// workloads is a fixture with a trust policy.
type workloads struct {
	*fixture

	policy trusttest.Policy
}

func newWorkloads(tb testing.TB) *workloads {
	tb.Helper()
	f := newFixture(tb)
	return &workloads{fixture: f, policy: trusttest.NewPolicy(tb, f.client, f.table, f.clock)}
}

// exchange returns an access token of the policy.
func (w *workloads) exchange() string {
	w.tb.Helper()
	exchanger := trust.NewExchanger(w.policies(), trustoidc.New(w.clock), w.clock)
	request := trust.Request{PolicyID: w.policy.ID, Token: w.policy.Token(w.now), Network: "192.0.2.1"}
	issued, err := exchanger.Exchange(w.tb.Context(), request)
	if err != nil {
		w.tb.Fatal(err)
	}
	return issued.Secret.Reveal()
}

// TestExchangedTokenIsNoUsersToken checks the operations that are open to an exchanged token, whose owner is a trust
// policy.
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
	pull := pulls.Pull{At: w.now, Kind: pulls.Chart, Repository: "product", Reference: "1.0", CredentialID: text[4:16],
		OwnerID: w.policy.ID}
	if _, err := w.pulls.Record(t.Context(), []pulls.Pull{pull}); err != nil {
		t.Fatal(err)
	}
	w.withKey(admin).Get(pullsPath).WantStatus(http.StatusOK).WantValue("data.0.ownerId", w.policy.ID).
		WantValue("data.0.ownerName", "Builds").
		WantValue("data.0.ownerEmail", nil).WantValue("data.0.tokenName", "repo:acme/app:ref:refs/heads/main")
}
