package faults

import (
	"context"
	"slices"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/trust"
	"portside/testclient/workloadtest"
)

// exchangeTokens creates, changes and deletes a trust policy of a customer, and exchanges tokens with it.
func exchangeTokens(r *run) {
	admin := r.join(principal.Admin).caller
	customerID := r.newCustomer(admin, "acme")
	key := workloadtest.NewKey("1", "EdDSA")
	const issuer, audience = "https://gitlab.com", "portside"
	input := trust.New{
		Name: "Builds", Issuer: issuer, Audience: audience, Keys: workloadtest.KeySet(key), MaxMinutes: 60,
		Conditions: []trust.Condition{{Claim: "project_path", Values: []string{"acme/*"}}},
		Scopes:     []principal.Scope{principal.ReadCharts},
	}
	policy := r.createPolicy(trust.CreateOptions{Caller: admin, CustomerID: customerID, IdempotencyKey: r.key("first")},
		input)
	extra := r.clearPolicies(admin, customerID, policy.ID)
	r.check(extra == 0 || r.noKeys, "the key has created %d policies more", extra)

	var issued trust.Issued
	request := trust.Request{
		PolicyID: policy.ID, Token: key.Sign(workloadtest.GitLab(issuer, audience, r.clock())), Network: "203.0.113.9",
	}
	exchange := func(ctx context.Context) (err error) {
		issued, err = r.exchanger.Exchange(ctx, request)
		return err
	}
	r.do("exchange a token", exchange)
	r.check(r.works(issued.Secret.Reveal()), "the token does not work")
	target := trust.Target{Target: versions.Target{ID: policy.ID}, CustomerID: customerID}
	strict := []trust.Condition{{Claim: "project_path", Values: []string{"other/*"}}}
	r.do("change the policy", func(ctx context.Context) error {
		_, err := r.policies.Update(ctx, target, trust.Change{Conditions: &strict})
		return err
	})
	r.check(exchange(r.tb.Context()) != nil, "the changed policy accepts the token")
	r.do("delete the policy", func(ctx context.Context) error { return r.policies.Delete(ctx, target) }, trust.ErrNotFound)
	r.check(r.clearPolicies(admin, customerID) == 0, "a policy is left")
}

// createPolicy creates a trust policy, and returns the one of the last attempt.
func (r *run) createPolicy(options trust.CreateOptions, input trust.New) (made trust.Policy) {
	r.do("create a policy", func(ctx context.Context) error {
		created, err := r.policies.Create(ctx, options, input)
		made = created.Policy
		return err
	})
	return made
}

// clearPolicies deletes the policies but some, and returns their number. Repeats without an idempotency key create
// them.
func (r *run) clearPolicies(caller principal.Principal, customerID string, but ...string) (duplicates int) {
	var all []trust.Policy
	r.do("list the policies", func(ctx context.Context) (err error) {
		all, err = r.policies.List(ctx, caller, customerID)
		return err
	})
	for _, p := range all {
		if !slices.Contains(but, p.ID) {
			r.must(r.policies.Delete(r.tb.Context(), trust.Target{Target: versions.Target{ID: p.ID}, CustomerID: customerID}))
			duplicates++
		}
	}
	return duplicates
}
