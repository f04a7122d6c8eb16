package trust_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/entitlement"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/entitlementlists"
	"portside/shared/testkit/liststest"
	"portside/shared/trust"
	"portside/testclient/workloadtest"
)

// wantRefused fails the test unless the error has the code invalid_request, and its detail a part.
func wantRefused(t *testing.T, what string, err error, detail string) {
	t.Helper()
	if refused := fault.As(err); refused == nil || refused.OAuthCode != trust.InvalidRequest ||
		!strings.Contains(refused.Detail, detail) {
		t.Errorf("%s: %v, want %s with %q", what, err, trust.InvalidRequest, detail)
	}
}

func TestExchange(t *testing.T) {
	f := newFixture(t)
	policy := f.create(f.github())
	all := entitlement.Set{{
		ID: "e", Artifact: entitlement.Chart, Repository: "*", Versions: entitlement.AllVersions(), CreatedAt: noon, UpdatedAt: noon, Version: 1,
	}}
	f.write(entitlementlists.Set(f.table.Name(), acme, entitlementlists.List{Version: 1, All: all})...)
	issued, err := f.exchange(policy.ID, f.token())
	if err != nil {
		t.Fatal(err)
	}
	token := issued.Token
	if token.Name != "repo:acme/app:ref:refs/heads/main" || token.CreatedAt != noon ||
		token.ExpiresAt != noon.Add(15*time.Minute) ||
		token.Owner != (credentials.Owner{ID: policy.ID, CustomerID: acme, Active: true}) || !token.Exchanged {
		t.Errorf("issued %+v", token)
	}
	who, err := f.authenticate(issued.Secret)
	if err != nil || who.UserID != policy.ID || who.CustomerID != acme || !who.Scoped() ||
		!who.MayFetch(principal.ReadImages, "acme/api") ||
		who.MayFetch(principal.ReadImages, "other/api") || len(who.Charts("any")) != 1 || !who.Token.LineEndsAt.IsZero() {
		t.Errorf("authenticated %+v, %v", who, err)
	}
	f.now = noon.Add(15*time.Minute - time.Millisecond)
	if _, err = f.authenticate(issued.Secret); err != nil {
		t.Errorf("before the end: %v", err)
	}
	f.now = noon.Add(15 * time.Minute)
	_, err = f.authenticate(issued.Secret)
	wantError(t, "at the end", err, credentials.ErrUnauthorized)
}

func TestExchangeOfPlatforms(t *testing.T) {
	f := newFixture(t)
	for name, c := range map[string]struct {
		claims    workloadtest.Claims
		condition trust.Condition
	}{
		"GitHub":          {workloadtest.GitHub(issuer, audience, noon), is("repository_owner_id", "65")},
		"GitHub with IDs": {workloadtest.GitHubWithIDs(issuer, audience, noon), is("sub", "repo:acme@65/*:ref:refs/heads/*")},
		"GitLab": {workloadtest.GitLab(gitlab, audience, noon),
			trust.Condition{Claim: "sub", Values: []string{"project_path:acme/*:ref_type:branch:ref:main"}}},
		"Kubernetes": {workloadtest.Kubernetes(cluster, audience, noon), is("/kubernetes.io/namespace", "acme")},
	} {
		t.Run(name, func(t *testing.T) {
			input := f.github()
			input.Issuer, input.Conditions = c.claims["iss"].(string), []trust.Condition{c.condition}
			policy := f.create(input)
			if _, err := f.exchange(policy.ID, f.key.Sign(c.claims)); err != nil {
				t.Error(err)
			}
			input.Conditions = append(input.Conditions, trust.Condition{Claim: "sub", Values: []string{"another"}})
			strict := f.create(input)
			_, err := f.exchange(strict.ID, f.key.Sign(c.claims))
			wantRefused(t, name+" with another subject", err, "on the claim sub")
		})
	}
}

func TestScopes(t *testing.T) {
	f := newFixture(t)
	policy := f.create(f.github())
	for _, c := range []struct {
		wanted []principal.Scope
		code   string
	}{
		{[]principal.Scope{principal.ReadCharts}, ""},
		{[]principal.Scope{principal.ReadImages + ":acme/api", principal.ReadCharts + ":product"}, ""},
		{[]principal.Scope{principal.ReadImages}, trust.InvalidScope},
		{[]principal.Scope{principal.ReadCharts, principal.ReadImages + ":other/*"}, trust.InvalidScope},
		{[]principal.Scope{"openid"}, trust.InvalidScope},
	} {
		t.Run(string(c.wanted[0])+" "+c.code, func(t *testing.T) {
			issued, err := f.exchange(policy.ID, f.token(), c.wanted...)
			switch {
			case c.code != "":
				if refused := fault.As(err); refused == nil || refused.OAuthCode != c.code {
					t.Error(err)
				}
			case err != nil || len(issued.Token.Scopes) != len(c.wanted) || issued.Token.Scopes[0] != string(c.wanted[0]):
				t.Errorf("%+v, %v", issued.Token.Scopes, err)
			}
		})
	}
}

//proves:docs/security.md
func TestExchangeIsRefused(t *testing.T) {
	f := newFixture(t)
	policy := f.create(f.github())
	_, err := f.exchange(policy.ID, strings.Repeat("x", trust.MaxToken+1))
	wantRefused(t, "long token", err, "16 KB")
	_, err = f.exchange(acme, f.token())
	wantRefused(t, "unknown policy", err, "does not exist")
	f.write(f.table.Customers.Set(acme, customerstates.State{Suspended: true}))
	_, err = f.exchange(policy.ID, f.token())
	wantRefused(t, "suspended customer", err, "does not exist")
	f.write(f.table.Customers.Set(acme, customerstates.State{}))
	issued, err := f.exchange(policy.ID, f.token())
	if err != nil {
		t.Fatal(err)
	}
	f.write(f.table.Customers.Set(acme, customerstates.State{Suspended: true}))
	_, err = f.authenticate(issued.Secret)
	wantError(t, "token of a suspended customer", err, credentials.ErrUnauthorized)
	f.write(f.table.Customers.Set(acme, customerstates.State{}))
	wantError(t, "deletion", f.Delete(t.Context(), target(policy.ID)), nil)
	_, err = f.exchange(policy.ID, f.token())
	wantRefused(t, "deleted policy", err, "does not exist")
}

func TestOddSubjectsAreNotNames(t *testing.T) {
	f := newFixture(t)
	input := f.github()
	input.Conditions = []trust.Condition{{Claim: "repository", Values: []string{"acme/app"}}}
	policy := f.create(input)
	for subject, want := range map[string]string{
		"": "Builds", "  ": "Builds", "a\nb": "Builds", "a\u202eb": "Builds", " x ": "x",
		strings.Repeat("é", 100): strings.Repeat("é", 100), strings.Repeat("é", 101): strings.Repeat("é", 99) + "…",
	} {
		claims := workloadtest.With(workloadtest.GitHub(issuer, audience, f.now), "sub", subject)
		issued, err := f.exchange(policy.ID, f.key.Sign(claims))
		if err != nil || issued.Token.Name != want {
			t.Errorf("%q: %q, %v", subject, issued.Token.Name, err)
		}
	}
}

// forged returns a token that meets the policy but has a wrong signature.
func (f *fixture) forged() string {
	signed := f.token()
	other := f.key.Sign(workloadtest.With(workloadtest.GitHub(issuer, audience, f.now), "sub", "another"))
	return signed[:strings.LastIndex(signed, ".")] + other[strings.LastIndex(other, "."):]
}

// TestNeighborsCannotStopExchanges has strangers at the address of a workload exceed the limit of refusals, for its
// policy and for unknown policies. Each refusal beyond the limit costs one read of the policy. The token of the
// workload is still exchanged.
//
//proves:docs/security.md
func TestNeighborsCannotStopExchanges(t *testing.T) {
	f := newFixture(t)
	policy, another := f.create(f.github()), f.create(f.github())
	exchanger, forged := f.exchangerOn(f.store()), f.forged()
	send := func(policyID, token string) error {
		_, err := exchanger.Exchange(t.Context(), trust.Request{PolicyID: policyID, Token: token, Network: "203.0.113.9"})
		return err
	}
	for _, claimed := range []string{policy.ID, acme} {
		for range 600 {
			if err := send(claimed, forged); errors.Is(err, trust.ErrTooManyExchanges) {
				t.Fatal(err)
			}
		}
	}
	for _, claimed := range []string{policy.ID, acme, other} {
		f.meter.Reset()
		err := send(claimed, forged)
		wantError(t, "beyond the limit", err, trust.ErrTooManyExchanges)
		if wait := fault.As(err).RetryAfter; wait != 10*time.Minute {
			t.Errorf("wait %v", wait)
		}
		if calls, writes := f.meter.Calls(), f.meter.WriteUnits(); calls != 1 || writes != 0 {
			t.Errorf("a refusal beyond the limit cost %d calls and %v writes", calls, writes)
		}
	}
	wantRefused(t, "a refusal of a policy that strangers have not named", send(another.ID, forged), "not signed")
	_, err := f.exchange(policy.ID, forged)
	wantError(t, "another process", err, trust.ErrTooManyExchanges)
	for range 3 {
		wantError(t, "the token of the workload", send(policy.ID, f.token()), nil)
	}
	f.now = noon.Add(10 * time.Minute)
	wantRefused(t, "in the next window", send(policy.ID, f.forged()), "not signed")
}

// TestTokensThatNobodyAcceptsCostNothing sends tokens with wrong forms, algorithms and times. They are refused before
// the policy is read.
//
//proves:docs/security.md
func TestTokensThatNobodyAcceptsCostNothing(t *testing.T) {
	f := newFixture(t)
	policy := f.create(f.github())
	claims := func(name string, value any) string {
		return f.key.Sign(workloadtest.With(workloadtest.GitHub(issuer, audience, f.now), name, value))
	}
	f.meter.Reset()
	for name, token := range map[string]string{
		"text": "x", "long": strings.Repeat("x", trust.MaxToken+1), "no claims": "eyJhbGciOiJSUzI1NiJ9.bm8.bm8",
		"symmetric": "eyJhbGciOiJIUzI1NiJ9.e30.bm8", "expired": claims("exp", noon.Add(-time.Minute).Unix()),
		"lasting": claims("exp", noon.Add(48*time.Hour).Unix()), "early": claims("nbf", noon.Add(time.Hour).Unix()),
	} {
		if _, err := f.exchange(policy.ID, token); fault.KindOf(err) != fault.Validation || f.meter.Calls() != 0 {
			t.Errorf("%s: %v, %d calls", name, err, f.meter.Calls())
		}
	}
}

// TestCostOfAnExchange: two reads and one transaction.
func TestCostOfAnExchange(t *testing.T) {
	f := newFixture(t)
	policy, token := f.create(f.github()), f.token()
	f.meter.Reset()
	if _, err := f.exchange(policy.ID, token); err != nil {
		t.Fatal(err)
	}
	if f.meter.Calls() != 3 {
		t.Errorf("%d calls, want 3", f.meter.Calls())
	}
	f.meter.Reset()
	if _, err := f.exchange(policy.ID, f.forged()); err == nil || f.meter.Calls() != 2 {
		t.Errorf("a refused exchange: %v, %d calls, want 2", err, f.meter.Calls())
	}
}

// TestExchangedTokensAreOnlyRecords: they are in no list, tally or notice.
func TestExchangedTokensAreOnlyRecords(t *testing.T) {
	f := newFixture(t)
	policy := f.create(f.github())
	before := len(liststest.Scan(t, f.client, f.table.Name()))
	for n := range credentials.MaxDaily + 1 {
		if _, err := f.exchange(policy.ID, f.tokenOf(n)); err != nil {
			t.Fatal(err)
		}
	}
	records := 0
	for _, item := range liststest.Scan(t, f.client, f.table.Name()) {
		if pk := liststest.Text(item, "pk"); strings.HasPrefix(pk, "credential#") {
			records++
			if _, isMarked := item["exchanged"].(*types.AttributeValueMemberBOOL); !isMarked {
				t.Errorf("%s is not marked", pk)
			}
		} else if !strings.HasPrefix(pk, "count#") {
			before--
		}
	}
	if records != credentials.MaxDaily+1 || before != 0 {
		t.Errorf("%d records, %d other items fewer", records, before)
	}
}

// racing is a store in which the policy changes between the read and the transaction.
type racing struct {
	trust.ExchangeStore
	change func()
}

func (r *racing) Issue(ctx context.Context, policy trust.Policy, token credentials.Credential, of trust.Exchanged) error {
	if change := r.change; change != nil {
		r.change = nil
		change()
	}
	return r.ExchangeStore.Issue(ctx, policy, token, of) //nolint:wrapcheck // the errors of the store are under test
}

// A change of the policy, also its deletion, takes effect for an exchange that has begun.
func TestPolicyChangesDuringAnExchange(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *fixture, id string) error
		want   string
	}{
		"deleted": {func(f *fixture, id string) error { return f.Delete(f.t.Context(), target(id)) }, "does not exist"},
		"stricter": {func(f *fixture, id string) error {
			strict := []trust.Condition{is("environment", "production"), is("repository_id", "74")}
			_, err := f.Update(f.t.Context(), target(id), trust.Change{Conditions: &strict})
			return err
		}, "on the claim environment"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			policy := f.create(f.github())
			store := &racing{ExchangeStore: f.store(), change: func() { wantError(t, name, c.change(f, policy.ID), nil) }}
			_, err := f.exchangerOn(store).
				Exchange(t.Context(), trust.Request{PolicyID: policy.ID, Token: f.token(), Network: "n"})
			wantRefused(t, name, err, c.want)
			if errors.Is(err, versions.ErrBusy) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
