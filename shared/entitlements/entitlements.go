// Package entitlements administers what customers may fetch; package entitlement has the rule.
//
// A customer without entitlements fetches nothing. A change takes effect with the next request of each credential. The
// entitlements of a customer are few and always needed together, so they are stored, checked and counted as one.
//
// The vendor's staff changes entitlements. Users of a customer see only the entitlements of that customer; see
// principal.Principal.Reaches.
package entitlements

import (
	"context"
	"fmt"
	"slices"

	"portside/shared/core/entitlement"
	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
)

// Max is how many entitlements a customer can have.
const Max = 200

// The errors of operations on entitlements.
var (
	ErrNotFound   = fault.New(fault.NotFound, "The entitlement does not exist.")
	ErrNoCustomer = fault.New(fault.NotFound, "The customer does not exist.")
	ErrTooMany    = fault.NewFinal(fault.Conflict, fmt.Sprintf("The customer already has %d entitlements, the maximum. Delete one of them, "+
		"or use a pattern such as acme/* for several repositories.", Max)).Coded(errorcode.TooManyEntitlements)
)

// Held are the entitlements of a customer in the order of their creation.
type Held struct {
	All     entitlement.Set
	Version int64 // of All; the next change must replace this version
}

// find returns the position of an entitlement, or ErrNotFound.
func (h Held) find(id string) (int, error) {
	i := slices.IndexFunc(h.All, func(e entitlement.Entitlement) bool { return e.ID == id })
	if i < 0 {
		return 0, ErrNotFound
	}
	return i, nil
}

// Store keeps entitlements. Methods return the errors of this package and those of packages versions and idempotency
// unwrapped; any other error is an outage.
type Store interface {
	// Get returns the entitlements of a customer, strongly consistent. Errors: ErrNoCustomer.
	Get(ctx context.Context, customerID string) (Held, error)
	// Replace replaces the entitlements of a customer. Errors: versions.ErrStale if the stored version is not before's,
	// ErrNoCustomer.
	Replace(ctx context.Context, customerID string, before Held, after entitlement.Set) error
	// Add adds an entitlement, as Replace does. If the creation has an idempotency key that was used within its
	// lifetime, nothing is written: Add returns the first request's entitlement in its first state, or
	// idempotency.ErrReused if the fingerprints differ.
	Add(ctx context.Context, customerID string, before Held, creation Creation) (Created, error)
}

// Creation is an entitlement to add, with what must be written in the same transaction.
type Creation struct {
	Entitlement entitlement.Entitlement
	Once        *idempotency.Key // nil if the client sent no idempotency key
}

// Created is the result of a creation.
type Created struct {
	Entitlement entitlement.Entitlement
	Replayed    bool // nothing was written, because an earlier request with the same idempotency key created this entitlement
}
