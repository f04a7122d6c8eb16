package projects

import (
	"context"
	"reflect"
	"strconv"
	"time"

	"portside/shared/core/checks"
	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
)

// Service administers projects.
type Service struct {
	store Store
	users Directory
	newID func() string
	now   func() time.Time
}

// NewService returns a Service on a store. newID creates project ids (UUIDv7).
func NewService(store Store, users Directory, newID func() string, now func() time.Time) *Service {
	return &Service{store: store, users: users, newID: newID, now: now}
}

// CreateOptions says who creates the project, and with which idempotency key.
type CreateOptions struct {
	Caller         principal.Principal
	IdempotencyKey string // empty if the client sent none
}

// Create adds a project. It belongs to the caller unless the input names another owner. Errors:
// validation, idempotency.ErrReused.
func (s *Service) Create(ctx context.Context, options CreateOptions, input NewProject) (Created, error) {
	if failures := input.Check(); len(failures) > 0 {
		return Created{}, fault.Invalid(failures...)
	}
	project := input.Apply(Project{
		ID: s.newID(), Status: Draft, OwnerID: options.Caller.UserID, Members: []Member{},
		Settings: checks.Compact(nil), Metadata: checks.Compact(nil), CreatedAt: s.now().UTC(),
	})
	creation := Creation{Project: project,
		Once: idempotency.NewKey(options.Caller.UserID, options.IdempotencyKey, wanted(project))}
	failures, err := s.unknownNames(ctx, Project{}, project)
	if err != nil {
		return Created{}, err
	}
	if len(failures) > 0 {
		creation.Refusal = fault.Invalid(failures...)
	}
	return s.store.Create(ctx, creation)
}

// wanted returns the part of a project that the client's input determines.
func wanted(p Project) Project {
	p.ID, p.CreatedAt = "", time.Time{}
	return p
}

// unknownNames returns a failure for each field that names a user or a customer who does not exist, except those that
// the project named before.
func (s *Service) unknownNames(ctx context.Context, before, after Project) ([]fault.Field, error) {
	failures, err := s.unknownUsers(ctx, before, after)
	if err != nil || after.CustomerID == "" || after.CustomerID == before.CustomerID {
		return failures, err
	}
	exists, err := s.users.CustomerExists(ctx, after.CustomerID)
	if err == nil && !exists {
		failures = append(failures, fault.Field{Pointer: "/customerId", Detail: notCustomer})
	}
	return failures, err
}

// unknownUsers returns a failure for each field that names a user who does not exist, except users that the project
// named before: a client that changes another field need not know that a user was deleted. A user may
// also be deleted between this check and the write, which does no more harm than a deletion just
// after it.
func (s *Service) unknownUsers(ctx context.Context, before, after Project) ([]fault.Field, error) {
	known := people(before)
	var asked []string
	for id := range people(after) {
		if !known[id] {
			asked = append(asked, id)
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	existing, err := s.users.Existing(ctx, asked)
	for _, id := range existing {
		known[id] = true
	}
	return unknown(after, known), err
}

// people returns the ids of the owner and the members of a project.
func people(p Project) map[string]bool {
	all := map[string]bool{}
	if p.OwnerID != "" {
		all[p.OwnerID] = true
	}
	for _, m := range p.Members {
		all[m.UserID] = true
	}
	return all
}

func unknown(p Project, known map[string]bool) []fault.Field {
	var failures checks.Failures
	if !known[p.OwnerID] {
		failures.Add("/ownerId", notUser)
	}
	for i, m := range p.Members {
		if !known[m.UserID] {
			failures.Add(memberPointer(i), notUser)
		}
	}
	return failures.Fields()
}

func memberPointer(i int) string { return "/members/" + strconv.Itoa(i) + "/userId" }
func rolePointer(i int) string   { return "/members/" + strconv.Itoa(i) + "/role" }

// Update changes a project. A change without effect writes nothing. Errors: validation,
// ErrNotFound, versions.ErrMismatch if the caller does not accept the stored version.
func (s *Service) Update(ctx context.Context, target versions.Target, change Change) (Project, error) {
	if failures := change.Check(); len(failures) > 0 {
		return Project{}, fault.Invalid(failures...)
	}
	var updated Project
	err := versions.Change(ctx, target, s.read, func(before Project) (err error) {
		after := change.Apply(before)
		if failures := checkResult(after); len(failures) > 0 {
			return fault.Invalid(failures...)
		}
		updated, err = s.update(ctx, before, after)
		return err
	})
	return updated, err
}

func (s *Service) update(ctx context.Context, before, after Project) (Project, error) {
	if reflect.DeepEqual(before, after) {
		return before, nil
	}
	failures, err := s.unknownNames(ctx, before, after)
	if err != nil {
		return Project{}, err
	}
	if len(failures) > 0 {
		return Project{}, fault.Invalid(failures...)
	}
	after.UpdatedAt = versions.StoredTime(s.now())
	return s.store.Update(ctx, before, after)
}

// Delete removes a project. It returns the errors of Update, except for validation.
func (s *Service) Delete(ctx context.Context, target versions.Target) error {
	return versions.Change(ctx, target, s.read, func(project Project) error {
		return s.store.Delete(ctx, project, versions.StoredTime(s.now()))
	})
}

func (s *Service) read(ctx context.Context, id string) (Project, int64, error) {
	project, err := s.store.Get(ctx, id)
	return project, project.Version, err
}
