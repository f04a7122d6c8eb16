package credentials

import (
	"context"
	"slices"
	"time"

	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
)

// Lister lists the credentials of a user, and what the user's customer is entitled to.
type Lister interface {
	// List returns the credentials of some kinds that an owner has, in no particular order, strongly
	// consistent, and without their last uses. It may include revoked and expired ones.
	List(ctx context.Context, ownerID string, kinds ...Kind) ([]Credential, error)
	// Entitled returns the entitlements of a customer, in effect or not, strongly consistent.
	Entitled(ctx context.Context, customerID string) (entitlement.Set, error)
}

// Visibility decides which charts and images a person may see in the portal. A person of the vendor's staff with
// tokens:read sees everything. Anybody else sees what their own working tokens and passwords may
// fetch, within the entitlements of their customer, so that a list never names an artifact that its reader cannot get.
type Visibility struct {
	store Lister
	now   func() time.Time
}

// NewVisibility returns a Visibility on a store.
func NewVisibility(store Lister, now func() time.Time) *Visibility {
	return &Visibility{store: store, now: now}
}

// Of returns a principal with the scopes and entitlements of everything that the caller may see, and without a role.
// It has no scopes if the caller may see nothing.
func (v *Visibility) Of(ctx context.Context, caller principal.Principal) (principal.Principal, error) {
	viewer := principal.Principal{UserID: caller.UserID, CustomerID: caller.CustomerID, CredentialID: caller.CredentialID}
	if caller.CanForAll(principal.TokensRead) {
		viewer.Scopes = []principal.Scope{principal.ReadCharts, principal.ReadImages}
		return viewer, nil
	}
	now := v.now()
	owned, err := v.store.List(ctx, caller.UserID, AccessToken, Password)
	if err != nil {
		return principal.Principal{}, err
	}
	for _, c := range owned {
		if c.Works(now) {
			viewer.Scopes = unite(viewer.Scopes, c.principal(now).Scopes)
		}
	}
	if caller.CustomerID == "" || len(viewer.Scopes) == 0 {
		return viewer, nil
	}
	entitled, err := v.store.Entitled(ctx, caller.CustomerID)
	viewer.Entitled = entitled.At(now)
	return viewer, err
}

// unite adds scopes and leaves out scopes that another one covers, so that lists check few scopes
// for each name.
func unite(held, more []principal.Scope) []principal.Scope {
	for _, added := range more {
		if slices.ContainsFunc(held, func(s principal.Scope) bool { return s.Covers(added) }) {
			continue
		}
		held = slices.DeleteFunc(held, added.Covers)
		held = append(held, added)
	}
	return held
}
