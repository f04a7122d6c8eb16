package users

import (
	"bytes"
	"context"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
)

// Service is the rules of user administration.
type Service struct {
	store   Store
	inviter *Inviter
	newID   func() string
	now     func() time.Time
}

// NewService returns the rules over a store. newID makes user ids (UUIDv7); inviter mails those who are to activate
// their account themselves.
func NewService(store Store, inviter *Inviter, newID func() string, now func() time.Time) *Service {
	return &Service{store: store, inviter: inviter, newID: newID, now: now}
}

// Request is who asks for a creation, and how.
type Request struct {
	Caller         principal.Principal
	IdempotencyKey string // empty: none
	BaseURL        string // address of the portal for the mailed link, without a trailing slash
}

// Create adds a user. It returns once the user is stored; an activation mail that cannot be sent at that moment is sent
// later by Inviter.SendDue. Errors: validation, ErrAbove, ErrEmailTaken, once.ErrReused.
func (s *Service) Create(ctx context.Context, request Request, input NewUser) (Created, error) {
	if failures := input.Check(); len(failures) > 0 {
		return Created{}, fault.Invalid(failures...)
	}
	input = input.Normal()
	if !request.Caller.Role.Covers(input.Role) {
		return Created{}, ErrAbove
	}
	creation := Creation{User: s.fresh(input), Once: idempotency.For(request.Caller.UserID, request.IdempotencyKey, input)}
	if !input.ActivationEmail {
		return s.store.Create(ctx, creation)
	}
	link, invitation := s.inviter.invite(creation.User, request.BaseURL)
	creation.User.LinkID, creation.Invitation = link.ID(), &invitation
	created, err := s.store.Create(ctx, creation)
	if err == nil && !created.Replayed {
		s.inviter.mailOrLeave(ctx, created.User, link, invitation)
	}
	return created, err
}

func (s *Service) fresh(input NewUser) User {
	user := User{
		ID: s.newID(), Email: input.Email, Name: input.Name, Role: input.Role, Status: Active,
		Department: input.Department, Metadata: input.Metadata, CreatedAt: s.now().UTC(),
	}
	if input.ActivationEmail {
		user.Status = Pending
	}
	return user
}

// Get returns a user, or ErrNotFound.
func (s *Service) Get(ctx context.Context, id string) (User, error) {
	return s.store.Get(ctx, id)
}

// List returns one page of users in the order of creation.
func (s *Service) List(ctx context.Context, query Query) (Page, error) {
	return s.store.List(ctx, query)
}

// Update changes a user. A change that changes nothing writes nothing. Errors: validation, ErrNotFound, ErrAbove,
// versions.ErrStale where the target's version is not accepted, ErrLastAdmin.
func (s *Service) Update(ctx context.Context, caller principal.Principal, target versions.Target, change Change) (User, error) {
	if failures := change.Check(); len(failures) > 0 {
		return User{}, fault.Invalid(failures...)
	}
	var updated User
	err := versions.Change(ctx, target, s.read, func(before User) (err error) {
		after := change.Apply(before)
		if !caller.Role.Covers(before.Role) || !caller.Role.Covers(after.Role) {
			return ErrAbove
		}
		if same(before, after) {
			updated = before
			return nil
		}
		after.UpdatedAt = versions.Stamp(s.now())
		updated, err = s.store.Update(ctx, before, after)
		return err
	})
	return updated, err
}

// Delete removes a user and revokes its credentials. Errors as Update.
func (s *Service) Delete(ctx context.Context, caller principal.Principal, target versions.Target) error {
	return versions.Change(ctx, target, s.read, func(user User) error {
		if !caller.Role.Covers(user.Role) {
			return ErrAbove
		}
		return s.store.Delete(ctx, user, s.now().UTC())
	})
}

func (s *Service) read(ctx context.Context, id string) (User, int64, error) {
	user, err := s.store.Get(ctx, id)
	return user, user.Version, err
}

func same(a, b User) bool {
	return a.Name == b.Name && a.Role == b.Role && a.Status == b.Status && a.Department == b.Department &&
		bytes.Equal(a.Metadata, b.Metadata)
}
