package faults

import (
	"context"
	"fmt"
	"slices"
	"time"

	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/entitlements"
	"portside/shared/tokens"
	"portside/shared/users"
)

// changeEntitlements creates, changes and deletes entitlements of a customer, and fetches with a token of the
// customer's user.
func changeEntitlements(r *run) {
	admin := r.join(principal.Admin).caller
	customerID := r.newCustomer(admin, "acme")
	token := r.customersToken(admin, customerID)
	r.wantEntitled(token)
	from := r.clock().Add(-time.Hour)
	created := r.createEntitlement(entitlements.CreateOptions{
		Caller: admin, CustomerID: customerID, IdempotencyKey: r.key("first"),
	}, entitlements.New{Artifact: entitlement.Chart, Repository: "buoy", Versions: "^1.2.0", From: from})
	extra := r.clearDuplicates(admin, customerID, created.ID)
	r.check(extra == 0 || r.noKeys, "the key has created %d entitlements more", extra)
	r.wantEntitled(token, "buoy ^1.2.0 1")

	target := entitlements.Target{Target: versions.Target{ID: created.ID}, CustomerID: customerID}
	repository, constraint := "quay", "*"
	r.do("change the entitlement", func(ctx context.Context) error {
		_, err := r.entitled.Update(ctx, target, entitlements.Change{Repository: &repository, Versions: &constraint})
		return err
	})
	r.wantEntitled(token, "quay * 2")
	second := r.createEntitlement(entitlements.CreateOptions{
		Caller: admin, CustomerID: customerID, IdempotencyKey: r.key("second"),
	}, entitlements.New{Artifact: entitlement.Image, Repository: "acme/*"})
	r.clearDuplicates(admin, customerID, created.ID, second.ID)
	r.wantEntitled(token, "quay * 2", "acme/* * 1")
	r.do("delete the entitlement", func(ctx context.Context) error { return r.entitled.Delete(ctx, target) }, entitlements.ErrNotFound)
	r.wantEntitled(token, "acme/* * 1")
	got, err := r.entitled.Get(r.tb.Context(), admin, customerID, second.ID)
	r.must(err)
	r.check(got.Version == 1 && got.Repository == "acme/*", "the second entitlement is %+v", got)
	target.ID = second.ID
	r.do("delete the last entitlement", func(ctx context.Context) error { return r.entitled.Delete(ctx, target) }, entitlements.ErrNotFound)
	r.wantEntitled(token)
}

// createEntitlement creates an entitlement, and returns the one of the last attempt.
func (r *run) createEntitlement(options entitlements.CreateOptions,
	input entitlements.New) (made entitlement.Entitlement) {
	r.do("create an entitlement", func(ctx context.Context) error {
		created, err := r.entitled.Create(ctx, options, input)
		made = created.Entitlement
		return err
	})
	return made
}

// clearDuplicates deletes the entitlements but some, and returns their number. Repeats without an idempotency key
// create them.
func (r *run) clearDuplicates(caller principal.Principal, customerID string, but ...string) (duplicates int) {
	var all entitlement.Set
	r.do("list the entitlements", func(ctx context.Context) (err error) {
		all, err = r.entitled.List(ctx, caller, customerID)
		return err
	})
	for _, e := range all {
		if !slices.Contains(but, e.ID) {
			target := entitlements.Target{Target: versions.Target{ID: e.ID}, CustomerID: customerID}
			r.must(r.entitled.Delete(r.tb.Context(), target))
			duplicates++
		}
	}
	return duplicates
}

// customersToken returns a token of a new user of the customer.
func (r *run) customersToken(admin principal.Principal, customerID string) string {
	ctx := r.tb.Context()
	input := users.NewUser{Email: "ada@example.com", Name: "Ada", Role: principal.Manager, CustomerID: customerID}
	created, err := r.users.Create(ctx, users.CreateOptions{Caller: admin}, input)
	r.must(err)
	issued, err := r.keys.Create(ctx, principal.Operator(), created.User.ID, users.NewKey{Name: "first"})
	r.must(err)
	made, err := r.tokens.Create(ctx, r.caller(issued.Secret.Reveal()),
		tokens.NewToken{Name: "t", Scopes: tokens.AllScopes(), Days: 30})
	r.must(err)
	return made.Secret.Reveal()
}

// wantEntitled authenticates a token, in a process that may know older entitlements, and compares its entitlements.
func (r *run) wantEntitled(token string, want ...string) {
	var who principal.Principal
	r.do("authenticate", func(ctx context.Context) (err error) {
		who, _, err = r.auth.Authenticate(ctx, token, credentials.AccessToken)
		return err
	})
	var got []string
	for _, e := range who.Entitled {
		got = append(got, fmt.Sprint(e.Repository, " ", e.Versions, " ", e.Version))
	}
	r.check(slices.Equal(got, want), "the token is entitled to %q, want %q", got, want)
}
