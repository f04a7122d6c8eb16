package main

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
	"portside/shared/users"
)

const (
	collectLag  = 24 * time.Hour // from a decision to the collection of the password
	decisionLag = 3 * time.Hour  // from a request to its decision
)

// requestAges are the ages of the demo's credential requests by status, as of now. The requests that are younger than a day are not
// overdue, on any day of the week. Those that are pending longer than four days are.
func requestAges() map[credentialrequests.Status][]time.Duration {
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

// addCredentialRequests adds the credential requests of a day, in the states that they have now.
func (y *demoStory) addCredentialRequests(ctx context.Context, day calendar.Day) error {
	y.draw(day, credentialRequestsTopic)
	for _, status := range []credentialrequests.Status{
		credentialrequests.Pending, credentialrequests.Approved, credentialrequests.Denied, credentialrequests.Expired,
		credentialrequests.Collected,
	} {
		for _, age := range requestAges()[status] {
			at := y.now.Add(-age)
			if calendar.DayOf(at) != day || at.Before(y.first.Begin()) {
				continue
			}
			if err := y.addCredentialRequest(ctx, status, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// addCredentialRequest adds a request of a user who was known at the time, and leads it to the status.
func (y *demoStory) addCredentialRequest(ctx context.Context, status credentialrequests.Status, at time.Time) error {
	requester, found := y.requester(at)
	if !found || y.adminToken() == "" {
		return nil
	}
	store := credentialrequestsdynamo.New(y.client, y.names.credentials, y.users)
	id, err := idAt(at)
	if err != nil {
		return err
	}
	pending := credentialrequests.Request{
		ID: id, UserID: requester.ID, Justification: pick(y, justifications()), Status: credentialrequests.Pending, CreatedAt: at,
		Level: pick(y, []credentialrequests.Level{credentialrequests.Charts, credentialrequests.Images, credentialrequests.Full}),
		DueAt: credentialrequests.DueAt(at), Version: 1,
		Events: []credentialrequests.Event{{At: at, Actor: requester.ID, Action: credentialrequests.ActionRequested}},
	}
	if _, err := store.Create(ctx, credentialrequests.Creation{Request: pending, By: y.adminToken()}); err != nil {
		return fmt.Errorf("%s: demo credential request: %w", at.Format(time.DateOnly), err)
	}
	if status == credentialrequests.Pending {
		return nil
	}
	change := credentialrequests.Change{Before: pending, After: y.decided(pending, status)}
	if status == credentialrequests.Collected {
		change.Issue = y.collect(&change.After, requester)
	}
	if err := store.Change(ctx, change); err != nil {
		return fmt.Errorf("%s: demo decision: %w", at.Format(time.DateOnly), err)
	}
	if change.Issue != nil {
		y.issued = append(y.issued, change.Issue)
	}
	return nil
}

// requester returns an active user who cannot create tokens and existed at the time.
func (y *demoStory) requester(at time.Time) (person, bool) {
	var all []person
	for _, u := range y.knownUsers {
		if u.Status == users.Active && !u.Role.Permits(principal.TokensWrite) && u.CreatedAt.Before(at) {
			all = append(all, u)
		}
	}
	if len(all) == 0 {
		return person{}, false
	}
	return pick(y, all), true
}

// adminToken returns a token of the first admin, on whose behalf requests are stored, or "".
func (y *demoStory) adminToken() string { return y.newestTokenOf(y.knownUsers[0].ID) }

// decided returns the request after the first admin's decision, and after its link was mailed or expired.
func (y *demoStory) decided(r credentialrequests.Request, status credentialrequests.Status) credentialrequests.Request {
	action, reason, mailed := credentialrequests.ActionApproved, "Agreed with the account manager.", "the link to collect the password"
	if status == credentialrequests.Denied {
		action, reason, mailed = credentialrequests.ActionDenied, "Your contract does not cover this product.", "the denial"
	}
	admin, at := y.knownUsers[0].ID, r.CreatedAt.Add(decisionLag)
	r.Status, r.DecidedBy, r.DecidedAt, r.Reason = status, admin, at, reason
	r.Events = append(r.Events, credentialrequests.Event{At: at, Actor: admin, Action: action, Detail: reason},
		credentialrequests.Event{At: at, Actor: credentialrequests.System, Action: credentialrequests.ActionMailed, Detail: mailed})
	if status == credentialrequests.Denied {
		return r
	}
	r.CollectBy = at.Add(credentialrequests.LinkLifetime)
	switch status {
	case credentialrequests.Approved:
		r.Next.Due = r.CollectBy
	case credentialrequests.Expired:
		r.Events = append(r.Events, credentialrequests.Event{
			At: r.CollectBy, Actor: credentialrequests.System, Action: credentialrequests.ActionExpired, Detail: "not collected in time",
		})
	}
	return r
}

// collect returns the password that the requester collected, and records it in the request. Its secret is discarded.
func (y *demoStory) collect(r *credentialrequests.Request, requester person) *credentials.Credential {
	secret, at := credentials.Mint(credentials.Password), r.DecidedAt.Add(collectLag)
	r.CredentialID = secret.ID()
	r.Events = append(r.Events, credentialrequests.Event{
		At: at, Actor: requester.ID, Action: credentialrequests.ActionCollected, Detail: "password " + secret.ID(),
	})
	return &credentials.Credential{
		ID: secret.ID(), Kind: credentials.Password, Hash: secret.Hash(), Name: string(r.Level) + " access",
		Username: fmt.Sprintf("example-%06x", y.random.IntN(1<<24)), Scopes: r.Level.Scopes(),
		Owner:     credentials.Owner{ID: requester.ID, Role: requester.Role, Active: true},
		CreatedAt: at, ExpiresAt: at.AddDate(0, 0, credentialrequests.PasswordDays),
	}
}

// idAt returns a UUIDv7 of a time, so that the list of requests is in the order of their creation.
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
