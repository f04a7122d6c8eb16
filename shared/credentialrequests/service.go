package credentialrequests

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/mail"
)

// Parts are the dependencies of a Service.
type Parts struct {
	Store       Store
	Credentials Credentials
	People      People
	Mailer      Mailer
	NewID       func() string // UUIDv7
	Now         func() time.Time
}

// Service manages credential requests.
type Service struct{ Parts }

// NewService returns a Service.
func NewService(parts Parts) *Service { return &Service{parts} }

// now returns the time with the precision with which it is stored.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Create adds a request of the caller and mails the approvers, or lets the request wait for the next mail about
// requests of the same customer; see DigestInterval. It returns once the request is stored; if a mail cannot be sent
// then, TakeDue sends it later. Errors: validation, ErrOpen, ErrCaller, mail.ErrQuota, idempotency.ErrReused.
func (s *Service) Create(ctx context.Context, caller principal.Principal, baseURL string, input New) (Created, error) {
	if failures := input.Check(); len(failures) > 0 {
		return Created{}, fault.Invalid(failures...)
	}
	now := s.now()
	request := Request{
		ID: s.NewID(), UserID: caller.UserID, CustomerID: caller.CustomerID, Level: input.Level,
		Justification: strings.TrimSpace(input.Justification), Status: Pending, CreatedAt: now, DueAt: DueAt(now), Version: 1,
		Events: []Event{{At: now, Actor: caller.UserID, Action: ActionRequested}},
		Next:   Next{BaseURL: baseURL}, Makers: caller.Hand(),
	}
	creation := Creation{
		Request: request, By: caller.Credential(),
		Once:  idempotency.NewKey(caller.UserID, input.IdempotencyKey, wanted(request)),
		Quota: mail.CredentialRequests(caller),
	}
	var created Created
	err := versions.Retry(ctx, func() error {
		last, err := s.Store.Announced(ctx, caller.CustomerID)
		if err != nil {
			return err
		}
		creation.schedule(now, last)
		created, err = s.Store.Create(ctx, creation)
		return err
	})
	if err == nil && !created.Replayed && creation.AtOnce {
		s.tryStep(ctx, created.Request)
	}
	return created, err
}

// schedule sets when the request is announced. last is when DigestInterval last began.
func (c *Creation) schedule(now, last time.Time) {
	end := last.Add(DigestInterval)
	c.AtOnce, c.Request.Next.Due = !now.Before(end), end
	if c.AtOnce {
		c.Request.Next.Due = now.Add(mail.SendAfter)
	}
}

// wanted returns the part of a request that the client's input determines.
func wanted(r Request) any {
	return struct {
		Level         Level
		Justification string
	}{r.Level, r.Justification}
}

// List returns one page of the requests of query.UserID. An empty UserID means everybody for a
// caller with credentials:approve, and otherwise the caller. Errors: ErrNotYours.
func (s *Service) List(ctx context.Context, caller principal.Principal, query Query) (Page, error) {
	if !caller.CanForAll(principal.CredentialsApprove) {
		query.UserID = cmp.Or(query.UserID, caller.UserID)
		if query.UserID != caller.UserID {
			return Page{}, ErrNotYours
		}
	}
	return s.Store.List(ctx, query)
}

// Involved returns the people who made and decided the requests, by id, for a caller with
// credentials:approve. Other callers learn nothing. Users who were deleted are missing.
func (s *Service) Involved(
	ctx context.Context, caller principal.Principal, requests ...Request,
) (map[string]principal.Person, error) {
	if !caller.CanForAll(principal.CredentialsApprove) {
		return map[string]principal.Person{}, nil
	}
	var ids []string
	for _, r := range requests {
		ids = append(ids, r.UserID)
		if r.DecidedBy != "" {
			ids = append(ids, r.DecidedBy)
		}
	}
	return s.people(ctx, ids)
}

// people returns the users with the ids, by id. Users who were deleted are missing.
func (s *Service) people(ctx context.Context, ids []string) (map[string]principal.Person, error) {
	slices.Sort(ids)
	found, err := s.People.Persons(ctx, slices.Compact(ids))
	byID := make(map[string]principal.Person, len(found))
	for _, p := range found {
		byID[p.ID] = p
	}
	return byID, err
}

// Get returns a request of the caller, or of anybody for a caller with credentials:approve. Other
// requests do not exist for the caller.
func (s *Service) Get(ctx context.Context, caller principal.Principal, id string) (Request, error) {
	request, err := s.Store.Get(ctx, id)
	if err == nil && request.UserID != caller.UserID && !caller.CanForAll(principal.CredentialsApprove) {
		return Request{}, ErrNotFound
	}
	return request, err
}

// Decision is an approver's decision on a request.
type Decision struct {
	ID      string
	Approve bool
	Reason  string // may be empty
	BaseURL string // of the portal, for the link in the mail
}

// Decide approves or denies a pending request and mails the requester. Of several decisions at
// once, one succeeds. Errors: validation, ErrForbidden, ErrNotFound, ErrOwn, ErrHand, ErrDecided,
// ErrTooOld, ErrRequester, ErrMaker, ErrCaller.
func (s *Service) Decide(ctx context.Context, caller principal.Principal, decision Decision) (Request, error) {
	if !caller.CanForAll(principal.CredentialsApprove) {
		return Request{}, ErrForbidden
	}
	if failures := CheckReason(decision.Reason); len(failures) > 0 {
		return Request{}, fault.Invalid(failures...)
	}
	var decided Request
	err := versions.Retry(ctx, func() (err error) {
		decided, err = s.decide(ctx, caller, decision)
		return err
	})
	if err != nil {
		return Request{}, err
	}
	s.tryStep(ctx, decided)
	return decided, nil
}

func (s *Service) decide(ctx context.Context, caller principal.Principal, decision Decision) (Request, error) {
	before, err := s.Store.Get(ctx, decision.ID)
	if err != nil {
		return Request{}, err
	}
	if err := mayDecide(caller, before); err != nil {
		return Request{}, err
	}
	if before.Status != Pending {
		return Request{}, ErrDecided
	}
	requester, err := s.requester(ctx, before)
	if err != nil {
		return Request{}, err
	}
	now := s.now()
	change := Change{
		Before: before, After: decided(before, caller, decision, now), By: caller.Credential(),
		CustomerID: requester.CustomerID,
	}
	if decision.Approve {
		if !now.Before(before.CreatedAt.AddDate(0, 0, MaxPendingDays)) {
			return Request{}, ErrTooOld
		}
		if !requester.MayAct() { // so that the approver learns it early; the link and its use decide
			return Request{}, ErrRequester
		}
		change.Makers = before.Makers
	}
	return s.change(ctx, change)
}

// mayDecide returns an error unless the request and the decision come from different people: no user may have a hand in
// both, by owning the credential or by having made it.
func mayDecide(caller principal.Principal, r Request) error {
	switch {
	case caller.UserID == r.UserID:
		return ErrOwn
	case principal.MadeBy(caller.Hand(), r.UserID), principal.Share(caller.Hand(), r.Makers):
		return ErrHand
	default:
		return nil
	}
}

func decided(r Request, caller principal.Principal, decision Decision, now time.Time) Request {
	action := ActionDenied
	r.Status, r.DecidedBy, r.DecidedAt, r.Reason = Denied, caller.UserID, now, strings.TrimSpace(decision.Reason)
	if decision.Approve {
		r.Status, action = Approved, ActionApproved
	}
	r.Next, r.Deciders = Next{Due: now.Add(mail.SendAfter), BaseURL: decision.BaseURL}, caller.Hand()
	return r.event(Event{At: now, Actor: caller.UserID, Action: action, Detail: r.Reason})
}

// requester returns the user of a request. For a deleted user, it returns a person of the same customer
// who may not act.
func (s *Service) requester(ctx context.Context, r Request) (principal.Person, error) {
	person, err := s.People.Person(ctx, r.UserID)
	if fault.KindOf(err) == fault.NotFound {
		return principal.Person{CustomerID: r.CustomerID}, nil
	}
	return person, err
}

// change makes a change, and returns the changed request.
func (s *Service) change(ctx context.Context, c Change) (Request, error) {
	if err := s.Store.Change(ctx, c); err != nil {
		return Request{}, err
	}
	c.After.Version = c.Before.Version + 1
	return c.After, nil
}

// tryStep takes the next step. If that fails, the step stays stored and TakeDue takes it later. The
// caller's change is stored already, so the caller gets no error.
func (s *Service) tryStep(ctx context.Context, r Request) {
	if !mail.HasTime(ctx) {
		return
	}
	if err := s.step(ctx, r); err != nil {
		slog.WarnContext(ctx, "step of a credential request failed; it is retried later", "request", r.ID, "error", err)
	}
}
