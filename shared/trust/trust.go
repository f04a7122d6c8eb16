// Package trust lets workloads fetch charts and images without a stored secret: a pipeline or a pod has a token of its
// platform (an OpenID Connect token of GitHub Actions, GitLab, Kubernetes or another issuer), and exchanges it for a
// short-lived access token.
//
// A policy of a customer says which tokens are accepted: their issuer, their audience, and conditions on their claims.
// It always has a condition, because an issuer such as GitHub signs tokens for everybody. The access token belongs to
// the policy and to no user: it has scopes of the policy, cannot be renewed, and is not listed. See Exchanger.
//
// The vendor's staff changes policies. Users of a customer see only the policies of that customer; see
// principal.Principal.Reaches.
package trust

import (
	"context"
	"fmt"
	"time"

	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
)

// Max is how many policies a customer can have. Together with what else the deletion of a customer writes, they fit in
// one transaction.
const Max = 50

// The errors of operations on policies.
var (
	ErrNotFound   = fault.New(fault.NotFound, "The trust policy does not exist.")
	ErrNoCustomer = fault.New(fault.NotFound, "The customer does not exist.")
	ErrTooMany    = fault.NewFinal(fault.Conflict, fmt.Sprintf("The customer already has %d trust policies, the maximum. Delete one of "+
		"them, or list several repositories in the values of one condition.", Max)).Coded(errorcode.TooManyPolicies)
)

// Policy says which tokens of an issuer a customer's workloads can exchange, and what for.
type Policy struct {
	ID         string
	CustomerID string
	Name       string
	Issuer     string // the claim iss, an https address
	Audience   string // must be among the claim aud
	Conditions []Condition
	Scopes     []principal.Scope
	MaxMinutes int    // for which an access token works
	Keys       string // of the issuer, a JSON Web Key Set; empty if the issuer publishes them
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Version    int64
}

// Store keeps policies. Reads are strongly consistent. Methods return the errors of this package and those of packages
// versions and idempotency unwrapped; any other error is an outage.
type Store interface {
	// List returns the policies of a customer in the order of their creation. Errors: ErrNoCustomer.
	List(ctx context.Context, customerID string) ([]Policy, error)
	// Get returns a policy. Errors: ErrNotFound.
	Get(ctx context.Context, id string) (Policy, error)
	// Add adds a policy. If the creation has an idempotency key that was used within its lifetime, nothing is written:
	// Add returns the first request's policy in its first state, or idempotency.ErrReused if the fingerprints differ.
	// Errors: ErrNoCustomer, ErrTooMany.
	Add(ctx context.Context, creation Creation) (Created, error)
	// Replace replaces a policy. Errors: versions.ErrStale if the stored version is not before's.
	Replace(ctx context.Context, before, after Policy) error
	// Delete deletes a policy. Errors: versions.ErrStale if the stored version is another one.
	Delete(ctx context.Context, policy Policy) error
}

// Creation is a policy to add, with what must be written in the same transaction.
type Creation struct {
	Policy Policy
	Once   *idempotency.Key // nil if the client sent no idempotency key
}

// Created is the result of a creation.
type Created struct {
	Policy   Policy
	Replayed bool // nothing was written, because an earlier request with the same idempotency key created this policy
}
