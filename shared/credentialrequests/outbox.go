package credentialrequests

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// TakeDue takes the steps that are due, as long as the context's deadline leaves time. It returns
// how many it took. A failed step does not stop the rest; the errors are joined.
func (s *Service) TakeDue(ctx context.Context) (done int, err error) {
	const batch = 100
	due, err := s.Store.Due(ctx, s.now(), batch)
	if err != nil {
		return 0, err
	}
	var pending []Request
	var failures []error
	for _, r := range due {
		if r.Status == Pending {
			pending = append(pending, r)
			continue
		}
		if !mail.HasTime(ctx) {
			break
		}
		err := s.step(ctx, r)
		switch {
		case err == nil:
			done++
		case !versions.IsStale(err): // a stale request was decided or collected meanwhile; the next run reads it again
			failures = append(failures, fmt.Errorf("credential request %s: %w", r.ID, err))
		}
	}
	announced, err := s.announceDue(ctx, pending)
	return done + announced, errors.Join(append(failures, err)...)
}

// step takes the next step of a request. Before it begins anything that can fail, it stores the
// attempt, so that the step is due again after a pause even if the process dies.
func (s *Service) step(ctx context.Context, r Request) error {
	if r.Status == Pending {
		return s.announceNow(ctx, r)
	}
	if hasFailed(ctx, r) {
		return s.giveUp(ctx, r)
	}
	switch {
	case r.Status == Denied:
		return s.mailDenial(ctx, r)
	case r.Status == Collected:
		return s.withdraw(ctx, r)
	case r.CollectBy.IsZero():
		return s.mailLink(ctx, r)
	default:
		return s.expire(ctx, r, "not collected in time")
	}
}

// hasFailed reports whether the step is not attempted again.
func hasFailed(ctx context.Context, r Request) bool {
	if r.Next.Attempts < mail.MaxAttempts {
		return false
	}
	slog.ErrorContext(ctx, "step of a credential request failed at every attempt",
		"request", r.ID, "status", r.Status, "tries", r.Next.Attempts)
	return true
}

// withAttempt returns the request with one more attempt and the time of the next one.
func (s *Service) withAttempt(r Request) Request {
	r.Next.Attempts++
	r.Next.Due = s.now().Add(mail.RetryDelay(r.Next.Attempts))
	return r
}

// withoutStep returns the request without a next step for now.
func withoutStep(r Request) Request {
	r.Next = Next{BaseURL: r.Next.BaseURL, Notified: r.Next.Notified}
	return r
}

// clearNextStep stores that the request has no next step for now.
func (s *Service) clearNextStep(ctx context.Context, r Request) error {
	return s.Store.Change(ctx, Change{Before: r, After: withoutStep(r)})
}

func (s *Service) giveUp(ctx context.Context, r Request) error {
	if r.Status == Approved {
		return s.expire(ctx, r, "the link could not be mailed")
	}
	return s.clearNextStep(ctx, r)
}

// mailDenial notifies the requester of a denial, if the requester is still active.
func (s *Service) mailDenial(ctx context.Context, r Request) error {
	person, err := s.People.Person(ctx, r.UserID)
	if fault.KindOf(err) == fault.NotFound || err == nil && !person.MayAct() {
		return s.clearNextStep(ctx, r)
	}
	if err != nil {
		return err
	}
	if r, err = s.change(ctx, Change{Before: r, After: s.withAttempt(r)}); err != nil {
		return err
	}
	if err := s.Mailer.Send(ctx, refusal(r, person)); err != nil {
		return err
	}
	after := r.event(Event{At: s.now(), Actor: System, Action: ActionMailed, Detail: "the denial"})
	after.Next = Next{}
	return s.Store.Change(ctx, Change{Before: r, After: after})
}

// mailLink creates a link, revokes the previous one, and mails it. Each attempt creates a new link,
// because only the hash of a link is stored.
func (s *Service) mailLink(ctx context.Context, r Request) error {
	person, err := s.People.Person(ctx, r.UserID)
	if fault.KindOf(err) == fault.NotFound {
		return s.expire(ctx, r, "the requester was deleted")
	}
	if err != nil {
		return err
	}
	if !person.MayAct() { // the requester may become active again
		return s.Store.Change(ctx, Change{Before: r, After: s.withAttempt(r)})
	}
	old, err := s.liveCredential(ctx, r.Next.LinkID, "replaced")
	if err != nil {
		return err
	}
	secret, link := s.mintLink(r, person)
	after := s.withAttempt(r)
	after.Next.LinkID = link.ID
	before := r
	r, err = s.change(ctx, Change{Before: before, After: after, Person: &person, Issue: &link, End: old})
	if errors.Is(err, ErrTooMany) { // the pause keeps this request from blocking others
		return errors.Join(err, s.Store.Change(ctx, Change{Before: before, After: s.withAttempt(before)}))
	}
	if err != nil {
		return err
	}
	if err := s.Mailer.Send(ctx, approval(r, person, collection{secret, link.ExpiresAt})); err != nil {
		return err
	}
	after = r.event(Event{At: s.now(), Actor: System, Action: ActionMailed, Detail: "the link to collect the password"})
	after.CollectBy, after.Next.Due, after.Next.Attempts = link.ExpiresAt, link.ExpiresAt, 0
	return s.Store.Change(ctx, Change{Before: r, After: after})
}

// mintLink creates a link. Its name is the id of the request, so that the link leads to the
// request.
func (s *Service) mintLink(r Request, person principal.Person) (credentials.Secret, credentials.Credential) {
	secret, now := credentials.Mint(credentials.Link), s.now()
	return secret, credentials.Credential{
		ID: secret.ID(), Kind: credentials.Link, Hash: secret.Hash(), Name: r.ID, Owner: credentials.OwnerOf(person),
		CreatedAt: now, ExpiresAt: now.Add(LinkLifetime), Makers: r.Makers, Generation: person.Generation,
	}
}

// expire ends a request whose password was not collected, and revokes its link if that still works.
func (s *Service) expire(ctx context.Context, r Request, why string) error {
	link, err := s.liveCredential(ctx, r.Next.LinkID, "expired")
	if err != nil {
		return err
	}
	requester, err := s.requester(ctx, r)
	if err != nil {
		return err
	}
	after := r.event(Event{At: s.now(), Actor: System, Action: ActionExpired, Detail: why})
	after.Status, after.Next = Expired, Next{}
	return s.Store.Change(ctx, Change{Before: r, After: after, End: link, CustomerID: requester.CustomerID})
}

// withdraw revokes the password of a collection that was not confirmed, because it was never shown, and
// mails a new link.
func (s *Service) withdraw(ctx context.Context, r Request) error {
	password, err := s.liveCredential(ctx, r.CredentialID, "the response was lost")
	if err != nil {
		return err
	}
	requester, err := s.requester(ctx, r)
	if err != nil {
		return err
	}
	now := s.now()
	after := r.event(Event{At: now, Actor: System, Action: ActionWithdrawn,
		Detail: "the response was lost; a new link follows"})
	after.Status, after.CredentialID, after.CollectBy = Approved, "", time.Time{}
	after.Next = Next{Due: now, BaseURL: r.Next.BaseURL}
	withdrawn, err := s.change(ctx, Change{Before: r, After: after, End: password, CustomerID: requester.CustomerID})
	if err != nil {
		return err
	}
	return s.mailLink(ctx, withdrawn)
}

// liveCredential returns the live credential with this id, marked as revoked now, or nil if no live credential has the
// id.
func (s *Service) liveCredential(ctx context.Context, id, reason string) (*credentials.Credential, error) {
	if id == "" {
		return nil, nil //nolint:nilnil // nothing to revoke
	}
	found, err := s.Credentials.Get(ctx, id)
	if errors.Is(err, credentials.ErrUnknown) || err == nil && !found.Live(s.now()) {
		return nil, nil //nolint:nilnil // it has expired or is revoked
	}
	found.RevokedAt, found.Reason = s.now(), reason
	return &found, err
}
