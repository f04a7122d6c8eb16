package credentialrequests

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// ErrUnconfirmed means that the password may have been created. TakeDue revokes it and mails a new link, unless its
// confirmation was stored and all answers about that were lost. Then the password works although its owner has not seen
// it, and the owner must revoke it.
var ErrUnconfirmed = fault.New(fault.Unavailable, "The password could not be delivered. Open the link again in a moment. If it still "+
	"does not work, wait some minutes for a new link by email. If none comes, revoke the password in your list and ask for another one.")

// Password is a new password. The secret is not stored anywhere else.
type Password struct {
	Username  string
	Secret    credentials.Secret
	Scopes    []string
	ExpiresAt time.Time
}

// Collect uses the link and creates the password. If a link is used several times at once, one use
// succeeds. Errors: ErrLink, ErrUnconfirmed.
func (s *Service) Collect(ctx context.Context, text string) (Password, error) {
	link, err := credentials.Parse(text)
	if err != nil || link.Kind() != credentials.Link {
		return Password{}, ErrLink
	}
	var made newCollection
	err = versions.Retry(ctx, func() (err error) {
		made, err = s.collect(ctx, link)
		return err
	})
	if err != nil {
		return Password{}, err
	}
	return made.Password, s.confirm(ctx, made.request)
}

// newCollection is a new password that the requester has not seen yet, and its request.
type newCollection struct {
	Password
	request Request
}

func (s *Service) collect(ctx context.Context, secret credentials.Secret) (newCollection, error) {
	link, request, err := s.findByLink(ctx, secret)
	if err != nil {
		return newCollection{}, err
	}
	person, err := s.People.Person(ctx, request.UserID)
	if fault.KindOf(err) == fault.NotFound || err == nil && !person.MayAct() {
		return newCollection{}, ErrLink
	}
	if err != nil {
		return newCollection{}, err
	}
	now := s.now()
	password, made := newPassword(request, person, now)
	made.Generation = link.Generation
	link.RevokedAt, link.Reason = now, "used"
	after := request.event(Event{At: now, Actor: person.ID, Action: ActionCollected, Detail: "password " + made.ID})
	after.Status, after.CredentialID = Collected, made.ID
	after.Next = Next{Due: now.Add(mail.SendAfter), BaseURL: request.Next.BaseURL}
	after, err = s.change(ctx, Change{
		Before: request, After: after, Person: &person, Issue: &made, End: &link,
		Makers: slices.Concat(request.Makers, request.Deciders),
	})
	if errors.Is(err, ErrMaker) {
		return newCollection{}, ErrLink
	}
	return newCollection{
		Password: Password{Username: made.Username, Secret: password, Scopes: made.Scopes, ExpiresAt: made.ExpiresAt},
		request:  after,
	}, err
}

// findByLink returns the record of a working link, and the approved request whose newest link it is.
// Otherwise it returns ErrLink.
func (s *Service) findByLink(ctx context.Context, secret credentials.Secret) (credentials.Credential, Request, error) {
	link, err := s.Credentials.Get(ctx, secret.ID())
	if errors.Is(err, credentials.ErrUnknown) || err == nil && !secret.Matches(link.Hash) {
		return credentials.Credential{}, Request{}, fmt.Errorf("%w (%w)", ErrLink, credentials.ErrUnknown)
	}
	if err != nil {
		return credentials.Credential{}, Request{}, err
	}
	if link.Kind != secret.Kind() || !link.Works(s.now()) {
		return credentials.Credential{}, Request{}, ErrLink
	}
	request, err := s.Store.Get(ctx, link.Name)
	if errors.Is(err, ErrNotFound) || err == nil && (request.Status != Approved || request.Next.LinkID != link.ID) {
		return credentials.Credential{}, Request{}, ErrLink // a link for another purpose, or not the newest
	}
	return link, request, err
}

func newPassword(r Request, person principal.Person, now time.Time) (credentials.Secret, credentials.Credential) {
	secret := credentials.Mint(credentials.Password)
	return secret, credentials.Credential{
		ID: secret.ID(), Kind: credentials.Password, Hash: secret.Hash(), Name: string(r.Level) + " access",
		Username: username(person.Email), Scopes: r.Level.Scopes(), Owner: credentials.OwnerOf(person),
		CreatedAt: now, ExpiresAt: now.AddDate(0, 0, PasswordDays), Makers: r.Makers,
	}
}

// username creates a user name such as acme-7f3k9q2m: the first label of the mail domain, which
// people recognize, and 40 random bits, so that two passwords hardly ever share one. It is not
// secret, and does not identify a credential.
func username(email string) string {
	_, domain, _ := strings.Cut(email, "@")
	label, _, _ := strings.Cut(domain, ".")
	const longest = 20
	return label[:min(longest, len(label))] + "-" + strings.ToLower(rand.Text()[:8])
}

// confirm records that the password is about to be shown, so that TakeDue does not withdraw
// it. If the response of the store is lost, confirm reads the stored request.
func (s *Service) confirm(ctx context.Context, r Request) error {
	err := s.clearNextStep(ctx, r)
	if err == nil {
		return nil
	}
	stored, readErr := s.Store.Get(ctx, r.ID)
	if readErr == nil && stored.CredentialID == r.CredentialID && stored.Next.Due.IsZero() {
		return nil
	}
	return errors.Join(ErrUnconfirmed, err, readErr)
}
