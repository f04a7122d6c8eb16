package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/calendar"
	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials"
)

const (
	collectLag  = 24 * time.Hour // from a decision to the collection of the password
	decisionLag = 3 * time.Hour  // from a request to its decision
)

// credentialRequestAges returns the ages of the demo's credential requests by their present status. On any day of the
// week, pending requests that are younger than one day are not overdue, and those that are older than four days are.
func credentialRequestAges() map[credentialrequests.Status][]time.Duration {
	days := func(all ...int) []time.Duration {
		ages := make([]time.Duration, len(all))
		for i, n := range all {
			ages[i] = time.Duration(n) * 24 * time.Hour
		}
		return ages
	}
	return map[credentialrequests.Status][]time.Duration{
		credentialrequests.Pending:   append(days(6), 20*time.Hour, 7*time.Hour, 3*time.Hour, 40*time.Minute),
		credentialrequests.Approved:  days(1, 3),
		credentialrequests.Denied:    days(10, 66, 129, 215, 310),
		credentialrequests.Expired:   days(16, 81, 170, 268),
		credentialrequests.Collected: days(4, 8, 13, 22, 30, 41, 55, 73, 98, 120, 151, 190, 236, 290),
	}
}

// justifications returns reasons why customers need a password.
func justifications() []string {
	return []string{
		"Our staging cluster pulls your images.", "The new data center needs its own credentials.",
		"We mirror your charts into our own registry.", "The pipeline of the Berlin team installs the release candidates.",
		"The password of the last year expires soon.", "We evaluate the upgrade in a separate account.",
	}
}

// addCredentialRequests adds the credential requests of a day with their present status.
func (s *story) addCredentialRequests(ctx context.Context, day calendar.Day) error {
	s.seedRandom(day, credentialRequestsTopic)
	for _, status := range []credentialrequests.Status{
		credentialrequests.Pending, credentialrequests.Approved, credentialrequests.Denied, credentialrequests.Expired,
		credentialrequests.Collected,
	} {
		for _, age := range credentialRequestAges()[status] {
			at := s.now.Add(-age)
			if calendar.DayOf(at) != day || at.Before(s.first.Begin()) {
				continue
			}
			if err := s.addCredentialRequest(ctx, status, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// addCredentialRequest adds a request and, unless the status is Pending, the change to the status. It adds nothing if
// the demo data has no user or no token for the request at that time.
func (s *story) addCredentialRequest(ctx context.Context, status credentialrequests.Status, at time.Time) error {
	requester, found := s.pickRequester(at)
	if !found || s.adminToken() == "" {
		return nil
	}
	store := credentialrequestsdynamo.New(s.Client, s.Credentials, s.Users.People)
	pending, err := s.newCredentialRequest(requester.ID, at)
	if err != nil {
		return err
	}
	if _, err := store.Create(ctx, credentialrequests.Creation{Request: pending, By: principal.Credential{ID: s.adminToken()}}); err != nil {
		return fmt.Errorf("%s: demo credential request: %w", at.Format(time.DateOnly), err)
	}
	if status == credentialrequests.Pending {
		return nil
	}
	change := credentialrequests.Change{Before: pending, After: s.decided(pending, status)}
	if status == credentialrequests.Collected {
		change.Issue = s.collectPassword(&change.After, requester)
	}
	if err := store.Change(ctx, change); err != nil {
		return fmt.Errorf("%s: demo decision: %w", at.Format(time.DateOnly), err)
	}
	if change.Issue != nil {
		s.issued = append(s.issued, change.Issue)
	}
	return nil
}

// newCredentialRequest returns a pending request of the user.
func (s *story) newCredentialRequest(userID string, at time.Time) (credentialrequests.Request, error) {
	id, err := idAt(at)
	return credentialrequests.Request{
		ID: id, UserID: userID, Justification: pick(s, justifications()), Status: credentialrequests.Pending, CreatedAt: at,
		Level: pick(s, []credentialrequests.Level{credentialrequests.Charts, credentialrequests.Images, credentialrequests.Full}),
		DueAt: credentialrequests.DueAt(at), Version: 1,
		Events: []credentialrequests.Event{{At: at, Actor: userID, Action: credentialrequests.ActionRequested}},
	}, err
}

// pickRequester picks an active user who cannot create tokens and existed at the time.
func (s *story) pickRequester(at time.Time) (person, bool) {
	var all []person
	for _, u := range s.knownUsers {
		if s.mayAct(u) && !u.Role.Permits(principal.TokensWrite) && u.CreatedAt.Before(at) {
			all = append(all, u)
		}
	}
	if len(all) == 0 {
		return person{}, false
	}
	return pick(s, all), true
}

// adminToken returns a token of the first admin, on whose behalf requests are stored, or "".
func (s *story) adminToken() string { return s.newestTokenOf(s.knownUsers[0].ID) }

// decided returns the request after the first admin decided it and the requester was notified. If the status is
// Expired, the link has also expired.
func (s *story) decided(r credentialrequests.Request, status credentialrequests.Status) credentialrequests.Request {
	action, reason, mailed := credentialrequests.ActionApproved, "Agreed with the account manager.", "the link to collect the password"
	if status == credentialrequests.Denied {
		action, reason, mailed = credentialrequests.ActionDenied, "Your contract does not cover this product.", "the denial"
	}
	admin, at := s.knownUsers[0].ID, r.CreatedAt.Add(decisionLag)
	r.Status, r.DecidedBy, r.DecidedAt, r.Reason = status, admin, at, reason
	r.Events = append(r.Events, credentialrequests.Event{At: at, Actor: admin, Action: action, Detail: reason},
		credentialrequests.Event{At: at, Actor: credentialrequests.System, Action: credentialrequests.ActionMailed, Detail: mailed})
	if status == credentialrequests.Denied {
		return r
	}
	r.CollectBy = at.Add(credentialrequests.LinkLifetime)
	switch status {
	case credentialrequests.Approved:
		r.Next.Due = r.CollectBy // when the link expires
	case credentialrequests.Expired:
		r.Events = append(r.Events, credentialrequests.Event{
			At: r.CollectBy, Actor: credentialrequests.System, Action: credentialrequests.ActionExpired, Detail: "not collected in time",
		})
	}
	return r
}

// collectPassword returns the password that the requester collected, and records it in the request. It discards the
// secret.
func (s *story) collectPassword(r *credentialrequests.Request, requester person) *credentials.Credential {
	secret, at := credentials.Mint(credentials.Password), r.DecidedAt.Add(collectLag)
	r.CredentialID = secret.ID()
	r.Events = append(r.Events, credentialrequests.Event{
		At: at, Actor: requester.ID, Action: credentialrequests.ActionCollected, Detail: "password " + secret.ID(),
	})
	return &credentials.Credential{
		ID: secret.ID(), Kind: credentials.Password, Hash: secret.Hash(), Name: string(r.Level) + " access",
		Username: fmt.Sprintf("example-%06x", s.random.IntN(1<<24)), Scopes: r.Level.Scopes(),
		Owner:     credentials.OwnerOf(requester.Person()),
		CreatedAt: at, ExpiresAt: at.AddDate(0, 0, credentialrequests.PasswordDays),
	}
}

// idAt returns a UUIDv7 of a time, because lists of requests are in the order of their IDs.
func idAt(at time.Time) (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("create the ID of a demo credential request: %w", err)
	}
	millis := at.UnixMilli()
	for i := range 6 {
		id[i] = byte(millis >> (8 * (5 - i))) //nolint:gosec // one byte at a time
	}
	return id.String(), nil
}
