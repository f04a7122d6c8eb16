package customers

import (
	"context"
	"reflect"
	"time"

	"portside/shared/core/checks"
	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/paging"
	"portside/shared/core/principal"
	"portside/shared/core/search"
	"portside/shared/core/versions"
)

// Service administers customers.
type Service struct {
	store Store
	newID func() string
	now   func() time.Time
}

// NewService returns a Service on a store. newID creates customer IDs (UUIDv7).
func NewService(store Store, newID func() string, now func() time.Time) *Service {
	return &Service{store: store, newID: newID, now: now}
}

// CreateOptions says who creates the customer, and with which idempotency key.
type CreateOptions struct {
	Caller         principal.Principal
	IdempotencyKey string // empty if the client sent none
}

// Create adds a customer. Errors: validation, ErrSlugTaken, ErrExternalIDTaken, idempotency.ErrReused.
func (s *Service) Create(ctx context.Context, options CreateOptions, input NewCustomer) (Created, error) {
	if failures := input.Check(); len(failures) > 0 {
		return Created{}, fault.Invalid(failures...)
	}
	customer := input.Apply(Customer{
		ID: s.newID(), Status: Active, Contacts: []Contact{}, Metadata: checks.Compact(nil), CreatedAt: s.now().UTC(),
	})
	once := idempotency.NewKey(options.Caller.UserID, options.IdempotencyKey, wanted(customer))
	return s.store.Create(ctx, Creation{Customer: customer, Once: once})
}

// wanted returns the part of a customer that the client's input determines.
func wanted(c Customer) Customer {
	c.ID, c.CreatedAt = "", time.Time{}
	return c
}

// Get returns a customer that exists for the caller, or ErrNotFound. Users of the customer get it without the vendor's
// own data.
func (s *Service) Get(ctx context.Context, caller principal.Principal, id string) (Customer, error) {
	if !caller.Reaches(id) {
		return Customer{}, ErrNotFound
	}
	customer, err := s.store.Get(ctx, id)
	if err == nil && caller.CustomerID != "" {
		customer.ExternalID, customer.Metadata = "", checks.Compact(nil)
	}
	return customer, err
}

// List returns one page of the customers that exist for the caller, in the order of creation.
func (s *Service) List(ctx context.Context, caller principal.Principal, query Query) (Page, error) {
	if caller.CustomerID == "" {
		return s.store.List(ctx, query)
	}
	if query.After != "" { // the only customer is on the first page
		return Page{}, paging.ErrCursor
	}
	own, err := s.own(ctx, caller)
	if err != nil || len(own) == 0 || query.Status != "" && own[0].Status != query.Status {
		return Page{}, err
	}
	return Page{Customers: own[min(query.Offset, 1):], Total: 1}, nil
}

// Search returns one page of the customers that exist for the caller and of which a term matches. Errors: those of
// Reader.Search.
func (s *Service) Search(ctx context.Context, caller principal.Principal, query search.Query) (SearchPage, error) {
	if caller.CustomerID == "" {
		return s.store.Search(ctx, query)
	}
	if query.After != "" { // as in List
		return SearchPage{}, paging.ErrCursor
	}
	own, err := s.own(ctx, caller)
	if err != nil {
		return SearchPage{}, err
	}
	var terms []string
	for _, customer := range own {
		terms = customer.Terms()
	}
	isFound, err := search.Matches(terms, query.Text)
	if !isFound {
		own = nil
	}
	return SearchPage{Customers: own}, err
}

// own returns the caller's customer, or nothing if it does not exist.
func (s *Service) own(ctx context.Context, caller principal.Principal) ([]Customer, error) {
	customer, err := s.Get(ctx, caller, caller.CustomerID)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil
	}
	return []Customer{customer}, err
}

// Update changes a customer. A change without effect writes nothing. Errors: validation, ErrNotFound, ErrSlugTaken,
// ErrExternalIDTaken, versions.ErrMismatch if the caller does not accept the stored version.
func (s *Service) Update(ctx context.Context, target versions.Target, change Change) (Customer, error) {
	if failures := change.Check(); len(failures) > 0 {
		return Customer{}, fault.Invalid(failures...)
	}
	var updated Customer
	err := versions.Change(ctx, target, s.read, func(before Customer) (err error) {
		after := change.Apply(before)
		if failures := checkResult(after); len(failures) > 0 {
			return fault.Invalid(failures...)
		}
		updated, err = s.update(ctx, before, after)
		return err
	})
	return updated, err
}

func (s *Service) update(ctx context.Context, before, after Customer) (Customer, error) {
	if reflect.DeepEqual(before, after) {
		return before, nil
	}
	after.UpdatedAt = versions.StoredTime(s.now())
	return s.store.Update(ctx, before, after)
}

// EndCredentials ends all credentials of the customer's users and their passkeys, which stop working with the next
// request. The users stay active and can sign in again with a mailed link. Errors: ErrNotFound.
func (s *Service) EndCredentials(ctx context.Context, id string) error {
	return s.store.EndCredentials(ctx, id, versions.StoredTime(s.now()))
}

// Delete removes a customer without users. Errors: ErrNotFound, ErrHasUsers, versions.ErrMismatch if the caller does
// not accept the stored version.
func (s *Service) Delete(ctx context.Context, target versions.Target) error {
	return versions.Change(ctx, target, s.read, func(customer Customer) error { return s.store.Delete(ctx, customer) })
}

func (s *Service) read(ctx context.Context, id string) (Customer, int64, error) {
	customer, err := s.store.Get(ctx, id)
	return customer, customer.Version, err
}
