package users

import (
	"context"
	"reflect"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/search"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// Service administers users.
type Service struct {
	store   Store
	inviter *Inviter
	newID   func() string
	now     func() time.Time
}

// NewService returns a Service on a store. newID creates user ids (UUIDv7). inviter sends mails to the users
// who will activate their accounts themselves.
func NewService(store Store, inviter *Inviter, newID func() string, now func() time.Time) *Service {
	return &Service{store: store, inviter: inviter, newID: newID, now: now}
}

// CreateOptions says who creates the user, with which idempotency key, and where the mailed link leads.
type CreateOptions struct {
	Caller         principal.Principal
	IdempotencyKey string // empty if the client sent none
	BaseURL        string // of the portal, for the mailed link; without a trailing slash
}

// Create adds a user. It returns once the user is stored; if the activation mail cannot be sent
// then, Inviter.SendDue sends it later. Errors: validation, ErrRoleTooHigh, ErrEmailTaken,
// ErrOtherCustomer, ErrNoCustomer, ErrTooManyUsers, mail.ErrQuota, idempotency.ErrReused.
func (s *Service) Create(ctx context.Context, options CreateOptions, input NewUser) (Created, error) {
	if failures := input.Check(); len(failures) > 0 {
		return Created{}, fault.Invalid(failures...)
	}
	input, err := input.Normal().inCustomerOf(options.Caller)
	if err != nil {
		return Created{}, err
	}
	if !options.Caller.Role.Covers(input.Role) {
		return Created{}, ErrRoleTooHigh
	}
	creation := Creation{User: input.user(s.newID(), s.now()),
		Once: idempotency.NewKey(options.Caller.UserID, options.IdempotencyKey, input)}
	if !input.ActivationEmail {
		return s.store.Create(ctx, creation)
	}
	makers, err := credentials.MadeBy(options.Caller)
	if err != nil {
		return Created{}, err
	}
	link, invitation := s.inviter.invite(creation.User, options.BaseURL, makers)
	invitation.Quotas = mail.InvitationsTo(options.Caller, creation.User.Email)
	creation.User.LinkID, creation.Invitation = link.ID(), &invitation
	created, err := s.store.Create(ctx, creation)
	if err == nil && !created.Replayed {
		s.inviter.trySend(ctx, created.User, link, invitation)
	}
	return created, err
}

// Get returns a user, or ErrNotFound if the caller sees none with the ID.
func (s *Service) Get(ctx context.Context, caller principal.Principal, id string) (User, error) {
	user, err := s.store.Get(ctx, id)
	return visibleTo(caller, user, err)
}

// ReadUnchecked returns a user, or ErrNotFound, before the caller is known. Pass the user to VisibleTo before you show
// it.
func (s *Service) ReadUnchecked(ctx context.Context, id string) (User, error) {
	return s.store.Get(ctx, id)
}

// VisibleTo returns the user if it exists for the caller, or ErrNotFound.
func (s *Service) VisibleTo(caller principal.Principal, user User) (User, error) {
	return visibleTo(caller, user, nil)
}

// List returns one page of the users who exist for the caller, in the order of creation. The address of the query may
// have any case.
func (s *Service) List(ctx context.Context, caller principal.Principal, query Query) (Page, error) {
	query.Email = NewUser{Email: query.Email}.Normal().Email
	query.CustomerID = canonical(query.CustomerID)
	if !query.within(caller) {
		return Page{}, nil
	}
	return s.store.List(ctx, query)
}

// Search returns one page of the users who exist for the caller and whose address or name matches. An empty customerID
// means all of them. Errors: those of Reader.Search.
func (s *Service) Search(ctx context.Context, caller principal.Principal, customerID string,
	query search.Query) (SearchPage, error) {
	of := Query{CustomerID: canonical(customerID)}
	if !of.within(caller) {
		return SearchPage{}, nil
	}
	return s.store.Search(ctx, of.CustomerID, query)
}

// Update changes a user. A change without effect writes nothing, but finishes the change of the credentials that an
// earlier request was interrupted in. Errors: validation, ErrNotFound,
// ErrRoleTooHigh, ErrOtherCustomer, ErrNoCustomer, ErrTooManyUsers, versions.ErrMismatch if the caller does not accept
// the stored version, ErrLastAdmin.
func (s *Service) Update(ctx context.Context, caller principal.Principal, target versions.Target,
	change Change) (User, error) {
	if failures := change.Check(); len(failures) > 0 {
		return User{}, fault.Invalid(failures...)
	}
	var updated User
	err := versions.Change(ctx, target, s.readFor(caller), func(before User) (err error) {
		after := change.Apply(before)
		if failures := checkResult(before, after); len(failures) > 0 {
			return fault.Invalid(failures...)
		}
		if !caller.Role.Covers(before.Role) || !caller.Role.Covers(after.Role) {
			return ErrRoleTooHigh
		}
		if err := checkMove(caller, after); err != nil {
			return err
		}
		if reflect.DeepEqual(before, after) {
			updated = before
			return s.store.FinishClosing(ctx, before.ID)
		}
		after.UpdatedAt = versions.StoredTime(s.now())
		updated, err = s.store.Update(ctx, before, after)
		return err
	})
	return updated, err
}

// End ends the sessions or all credentials of a user and removes the passkeys, so that only a new mail lets the user
// in. Errors: ErrNotFound, ErrRoleTooHigh.
func (s *Service) End(ctx context.Context, caller principal.Principal, id string, ending Ending) error {
	return versions.Change(ctx, versions.Target{ID: id}, s.readFor(caller), func(user User) error {
		if !caller.Role.Covers(user.Role) {
			return ErrRoleTooHigh
		}
		return s.store.End(ctx, user, ending, s.now().UTC())
	})
}

// Delete removes a user and revokes its credentials. Its errors are those of Update, without
// validation.
func (s *Service) Delete(ctx context.Context, caller principal.Principal, target versions.Target) error {
	at := s.now().UTC()
	read := func(ctx context.Context, id string) (Deletion, int64, error) {
		deletion, err := s.store.Deletion(ctx, id, at)
		if err == nil {
			err = checkReach(caller, deletion.User)
		}
		return deletion, deletion.User.Version, err
	}
	return versions.Change(ctx, target, read, func(deletion Deletion) error {
		if !caller.Role.Covers(deletion.User.Role) {
			return ErrRoleTooHigh
		}
		return deletion.Commit(ctx)
	})
}

// readFor returns a function that reads the users who exist for the caller.
func (s *Service) readFor(caller principal.Principal) func(context.Context, string) (User, int64, error) {
	return func(ctx context.Context, id string) (User, int64, error) {
		user, err := s.Get(ctx, caller, id)
		return user, user.Version, err
	}
}
