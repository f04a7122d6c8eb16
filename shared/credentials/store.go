package credentials

import (
	"context"
	"time"

	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
)

// Presented is a credential in a request, with the data that authentication needs.
type Presented struct {
	Credential

	Entitled entitlement.Set // the entitlements of the owner's customer, in effect or not, if the credential Fetches

	// MaxRequests is how many requests all credentials of the users of the owner's customer may make per minute. 0
	// means no limit.
	MaxRequests int
}

// principal returns the caller, as Credential.principal does, with the entitlements that are in effect.
func (p Presented) principal(at time.Time) principal.Principal {
	who := p.Credential.principal(at)
	who.Entitled = p.Entitled.At(at)
	return who
}

// Store finds credentials when they are presented.
type Store interface {
	// CountRequest counts one request in the minute of at, and records the use. It returns the credential, strongly
	// consistent, and the number of requests in that minute, including this one. The owner of the credential is not
	// active if the owner's customer is suspended. A credential that Fetches has the customer's entitlements. Errors:
	// ErrUnknown if the store does not have the secret; ErrIdle if it belongs to a session that was not used for
	// SessionIdle, so that the request does not revive the session. Requests with another secret do not count for a
	// credential, so a caller who knows only its public id cannot use up its allowance.
	CountRequest(ctx context.Context, secret Secret, at time.Time) (Presented, int, error)
	// RecordUse stores that the credential was used, unless a later use is stored.
	RecordUse(ctx context.Context, c Credential, at time.Time) error

	Reader
	SharedCounters
	Counters
}

// Reader reads credentials.
type Reader interface {
	// Find returns the credential as CountRequest does, without counting a request. Errors: ErrUnknown.
	Find(ctx context.Context, secret Secret) (Presented, error)
	// Get returns the credential with this id, strongly consistent, without its last use. Errors: ErrUnknown.
	Get(ctx context.Context, id string) (Credential, error)
}

// SharedCounters count requests of several credentials together.
type SharedCounters interface {
	// CountOwner counts a block of requests of a credential for its owner in the minute of at. If there were already as
	// many as the limit, it returns false, and CountRequest returns OwnerExhausted or more for the rest of the minute.
	CountOwner(ctx context.Context, c Credential, block Block, at time.Time) (bool, error)
	// CountCustomer does the same for the owner's customer, and CountRequest then returns CustomerExhausted or more.
	CountCustomer(ctx context.Context, c Credential, block Block, at time.Time) (bool, error)
	// CountStep counts a step in the minute of at. It returns the number of requests in the steps of all processes, or
	// false if there were already as many as the limit.
	CountStep(ctx context.Context, step Step, at time.Time) (used int, ok bool, err error)
}

// Block is how many requests count at once for an owner or a customer, and how many there may be in a minute.
type Block struct{ Requests, Limit int }

// The numbers of requests in a minute of a credential that may make no more. They exceed every limit.
const (
	OwnerExhausted    = 1_000_000_000
	CustomerExhausted = 1_000 * OwnerExhausted
)
