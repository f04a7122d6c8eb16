package trust

import (
	"context"
	"reflect"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
)

// Service administers policies.
type Service struct {
	store Store
	newID func() string
	now   func() time.Time
}

// NewService returns a Service on a store. newID creates IDs of policies (UUIDv7).
func NewService(store Store, newID func() string, now func() time.Time) *Service {
	return &Service{store: store, newID: newID, now: now}
}

// List returns all policies of a customer in the order of their creation. Errors: ErrNoCustomer, also if the customer
// does not exist for the caller.
func (s *Service) List(ctx context.Context, caller principal.Principal, customerID string) ([]Policy, error) {
	if !caller.Reaches(customerID) {
		return nil, ErrNoCustomer
	}
	return s.store.List(ctx, customerID)
}

// Get returns one policy. Errors: ErrNoCustomer if the customer does not exist for the caller, ErrNotFound.
func (s *Service) Get(ctx context.Context, caller principal.Principal, customerID, id string) (Policy, error) {
	if !caller.Reaches(customerID) {
		return Policy{}, ErrNoCustomer
	}
	return s.of(ctx, customerID, id)
}

// of returns a policy of a customer. Errors: ErrNotFound.
func (s *Service) of(ctx context.Context, customerID, id string) (Policy, error) {
	found, err := s.store.Get(ctx, id)
	if err == nil && found.CustomerID != customerID {
		return Policy{}, ErrNotFound
	}
	return found, err
}

// CreateOptions says who creates the policy, for which customer, and with which idempotency key.
type CreateOptions struct {
	Caller         principal.Principal
	CustomerID     string
	IdempotencyKey string // empty if the client sent none
}

// Create adds a policy. Errors: validation, ErrNoCustomer, ErrTooMany, idempotency.ErrReused.
func (s *Service) Create(ctx context.Context, options CreateOptions, input New) (Created, error) {
	if failures := input.Check(); len(failures) > 0 {
		return Created{}, fault.Invalid(failures...)
	}
	now := versions.StoredTime(s.now())
	added := input.Apply(Policy{ID: s.newID(), CustomerID: options.CustomerID, CreatedAt: now, UpdatedAt: now, Version: 1})
	return s.store.Add(ctx, Creation{
		Policy: added, Once: idempotency.NewKey(options.Caller.UserID, options.IdempotencyKey,
			wanted(options.CustomerID, input)),
	})
}

// wanted returns the part of a request that the client determines.
func wanted(customerID string, input New) any {
	return struct {
		TrustPolicy New
		CustomerID  string
	}{input, customerID}
}

// Target is the policy to change. Its versions.Target has the ID and the versions that the caller accepts.
type Target struct {
	versions.Target

	CustomerID string
}

// Update changes a policy. A change without effect writes nothing. Errors: validation, ErrNotFound,
// versions.ErrMismatch if the caller does not accept the stored version.
func (s *Service) Update(ctx context.Context, target Target, change Change) (Policy, error) {
	if failures := change.Check(); len(failures) > 0 {
		return Policy{}, fault.Invalid(failures...)
	}
	var updated Policy
	err := versions.Change(ctx, target.Target, s.read(target.CustomerID), func(before Policy) error {
		updated = change.Apply(before)
		if reflect.DeepEqual(before, updated) {
			return nil
		}
		if lack := missingAccount(updated.Issuer, updated.Conditions); lack != "" { // the check includes the stored issuer and conditions
			return fault.Invalid(fault.Field{Pointer: "/conditions", Detail: lack})
		}
		updated.UpdatedAt, updated.Version = versions.StoredTime(s.now()), before.Version+1
		return s.store.Replace(ctx, before, updated)
	})
	return updated, err
}

// Delete removes a policy. Errors: ErrNotFound, versions.ErrMismatch if the caller does not accept the stored version.
func (s *Service) Delete(ctx context.Context, target Target) error {
	return versions.Change(ctx, target.Target, s.read(target.CustomerID), func(policy Policy) error { return s.store.Delete(ctx, policy) })
}

func (s *Service) read(customerID string) func(context.Context, string) (Policy, int64, error) {
	return func(ctx context.Context, id string) (Policy, int64, error) {
		found, err := s.of(ctx, customerID, id)
		return found, found.Version, err
	}
}
