package entitlements

import (
	"context"
	"reflect"
	"slices"
	"time"

	"portside/shared/core/checks"
	"portside/shared/core/entitlement"
	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
)

// Service administers entitlements.
type Service struct {
	store Store
	newID func() string
	now   func() time.Time
}

// NewService returns a Service on a store. newID creates IDs of entitlements (UUIDv7).
func NewService(store Store, newID func() string, now func() time.Time) *Service {
	return &Service{store: store, newID: newID, now: now}
}

// List returns all entitlements of a customer in the order of their creation. Errors: ErrNoCustomer, also if the
// customer does not exist for the caller.
func (s *Service) List(ctx context.Context, caller principal.Principal, customerID string) (entitlement.Set, error) {
	if !caller.Reaches(customerID) {
		return nil, ErrNoCustomer
	}
	held, err := s.store.Get(ctx, customerID)
	return held.All, err
}

// Get returns one entitlement. Errors: ErrNoCustomer, ErrNotFound.
func (s *Service) Get(ctx context.Context, caller principal.Principal,
	customerID, id string) (entitlement.Entitlement, error) {
	all, err := s.List(ctx, caller, customerID)
	if err != nil {
		return entitlement.Entitlement{}, err
	}
	i, err := Held{All: all}.find(id)
	if err != nil {
		return entitlement.Entitlement{}, err
	}
	return all[i], nil
}

// CreateOptions says who creates the entitlement, for which customer, and with which idempotency key.
type CreateOptions struct {
	Caller         principal.Principal
	CustomerID     string
	IdempotencyKey string // empty if the client sent none
}

// Create adds an entitlement. Errors: validation, ErrNoCustomer, ErrTooMany, idempotency.ErrReused.
func (s *Service) Create(ctx context.Context, options CreateOptions, input New) (Created, error) {
	if failures := input.Check(); len(failures) > 0 {
		return Created{}, fault.Invalid(failures...)
	}
	now := versions.StoredTime(s.now())
	added := input.Apply(entitlement.Entitlement{ID: s.newID(), CreatedAt: now, UpdatedAt: now, Version: 1})
	creation := Creation{
		Entitlement: added, Once: idempotency.NewKey(options.Caller.UserID, options.IdempotencyKey,
			wanted(options.CustomerID, input)),
	}
	var created Created
	err := versions.Retry(ctx, func() error {
		before, err := s.store.Get(ctx, options.CustomerID)
		if err != nil {
			return err
		}
		created, err = s.store.Add(ctx, options.CustomerID, before, creation)
		return err
	})
	return created, err
}

// wanted returns the part of a request that the client determines.
func wanted(customerID string, input New) any {
	return struct {
		Entitlement New
		CustomerID  string
	}{input, customerID}
}

// Target is the entitlement to change. Its versions.Target has the ID and the versions that the caller accepts.
type Target struct {
	versions.Target

	CustomerID string
}

// Update changes an entitlement. A change without effect writes nothing. Errors: validation, ErrNoCustomer,
// ErrNotFound, versions.ErrMismatch if the caller does not accept the stored version.
func (s *Service) Update(ctx context.Context, target Target, change Change) (entitlement.Entitlement, error) {
	if failures := change.Check(); len(failures) > 0 {
		return entitlement.Entitlement{}, fault.Invalid(failures...)
	}
	var updated entitlement.Entitlement
	err := s.change(ctx, target, func(before Held, i int) error {
		old := before.All[i]
		updated = change.Apply(old)
		var failures checks.Failures
		if checkPeriod(&failures, updated.From, updated.Until); len(failures.Fields()) > 0 {
			return fault.Invalid(failures.Fields()...)
		}
		if reflect.DeepEqual(old, updated) {
			return nil
		}
		updated.UpdatedAt, updated.Version = versions.StoredTime(s.now()), old.Version+1
		after := slices.Clone(before.All)
		after[i] = updated
		return s.store.Replace(ctx, target.CustomerID, before, after)
	})
	return updated, err
}

// Delete removes an entitlement. Errors: ErrNoCustomer, ErrNotFound, versions.ErrMismatch if the caller does not accept
// the stored version.
func (s *Service) Delete(ctx context.Context, target Target) error {
	return s.change(ctx, target, func(before Held, i int) error {
		return s.store.Replace(ctx, target.CustomerID, before, slices.Delete(slices.Clone(before.All), i, i+1))
	})
}

// change passes the customer's entitlements and the position of the target to write, as versions.Change does.
func (s *Service) change(ctx context.Context, target Target, write func(before Held, i int) error) error {
	at := 0
	read := func(ctx context.Context, id string) (Held, int64, error) {
		held, err := s.store.Get(ctx, target.CustomerID)
		if err != nil {
			return Held{}, 0, err
		}
		if at, err = held.find(id); err != nil {
			return Held{}, 0, err
		}
		return held, held.All[at].Version, nil
	}
	return versions.Change(ctx, target.Target, read, func(before Held) error { return write(before, at) })
}
