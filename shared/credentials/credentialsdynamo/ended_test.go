package credentialsdynamo_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/customerstates"
)

// issuedIn stores a credential of a user of a customer of the given generation. The clock of its issuer runs ahead in
// the generation 0, and behind in later ones, so that its time says the opposite of its generation.
func (s *fixture) issuedIn(generation int64, kind credentials.Kind, name string) (credentials.Credential, credentials.Secret) {
	s.tb.Helper()
	secret, at := credentials.Mint(kind), noon.Add(time.Minute)
	if generation > 0 {
		at = noon.Add(-time.Minute)
	}
	c := credentials.Credential{
		ID: secret.ID(), Kind: kind, Hash: secret.Hash(), Name: name, CreatedAt: at, LastUsedAt: at,
		ExpiresAt: noon.AddDate(0, 0, 90), Generation: generation,
		Owner: credentials.Owner{ID: owner, CustomerID: customer, Role: principal.Manager, Active: true},
	}
	if at := s.issue(c); at != -1 {
		s.tb.Fatalf("write %d failed", at)
	}
	return c, secret
}

func (s *fixture) end(at time.Time) {
	s.tb.Helper()
	if failed := s.write(s.table.Customers.EndCredentials(customer, at)); failed != -1 {
		s.tb.Fatalf("write %d failed", failed)
	}
}

// wantEnded fails the test unless every way to a credential says whether it has ended.
func (s *fixture) wantEnded(c credentials.Credential, secret credentials.Secret, want time.Time) {
	s.tb.Helper()
	ctx := s.tb.Context()
	var all []credentials.Credential
	for _, table := range []*credentialsdynamo.Table{s.table, credentialsdynamo.New(s.client, s.table.Name(), s.counts)} {
		presented, _, err := table.Requests.CountRequest(ctx, secret, noon.Add(time.Hour))
		one, getErr := table.Get(ctx, c.ID)
		withUse, useErr := table.GetWithUse(ctx, c.ID)
		byID, idErr := table.ByID(ctx, []string{c.ID})
		listed, listErr := table.List(ctx, owner, c.Kind)
		expiring, expiringErr := table.Expiring(ctx, calendar.DayOf(c.ExpiresAt), "", 100)
		if err := errors.Join(err, getErr, useErr, idErr, listErr, expiringErr); err != nil {
			s.tb.Fatal(err)
		}
		all = append(all, presented.Credential, one, withUse)
		for _, list := range [][]credentials.Credential{byID.Credentials, listed, expiring.Credentials} {
			all = append(all, slices.DeleteFunc(list, func(other credentials.Credential) bool { return other.ID != c.ID })...)
		}
	}
	for i, found := range all {
		if found.ID != c.ID || !found.RevokedAt.Equal(want) || (found.Reason == credentials.ReasonEnded) == want.IsZero() {
			s.tb.Errorf("way %d to %s: %+v, want the end %v", i, c.Kind, found, want)
		}
	}
	open, err := s.table.ListOpen(ctx, owner, noon.Add(time.Hour))
	isLive := slices.ContainsFunc(open.Live, func(other credentials.Credential) bool { return other.ID == c.ID })
	if err != nil || isLive != want.IsZero() {
		s.tb.Errorf("%s is live: %v, %v", c.Kind, isLive, err)
	}
}

// The credentials of an earlier generation end, and those of the present one work, whatever the clocks of their issuers
// said.
//
//proves:docs/security.md
func TestCredentialsOfCustomerEnd(t *testing.T) {
	s := newFixtureWithCustomers(t)
	for _, kind := range []credentials.Kind{credentials.AccessToken, credentials.Password, credentials.APIKey, credentials.Session} {
		old, oldSecret := s.issuedIn(0, kind, "old")
		if kind == credentials.AccessToken {
			s.wantEnded(old, oldSecret, time.Time{})
			s.end(noon)
		}
		fresh, freshSecret := s.issuedIn(1, kind, "fresh")
		s.wantEnded(old, oldSecret, noon)
		s.wantEnded(fresh, freshSecret, time.Time{})
	}
	invitation, secret := s.issuedIn(0, credentials.Link, credentials.ActivationLink)
	if found := s.get(invitation.ID); !found.Works(noon) || !secret.Matches(found.Hash) {
		t.Errorf("the invitation has ended: %+v", found)
	}
	if link, _ := s.issuedIn(0, credentials.Link, "a request"); s.get(link.ID).Works(noon) {
		t.Error("the link of a request still works")
	}
}

// Each end ends the credentials that were created since the last end, also at the same time and with a slow clock. It
// needs a customer.
func TestEachEndIsAnother(t *testing.T) {
	s := newFixtureWithCustomers(t)
	for generation, at := range []time.Time{noon, noon, noon.Add(-time.Minute)} {
		c, secret := s.issuedIn(int64(generation), credentials.APIKey, "key")
		s.end(at)
		if found, err := s.table.Requests.Find(t.Context(), secret); err != nil || found.Works(noon) || s.get(c.ID).RevokedAt != at {
			t.Errorf("after end %d: %+v, %v", generation, found, err)
		}
	}
	if now := s.generation(otherCustomer); now != 0 {
		t.Errorf("the other customer is in generation %d", now)
	}
	if failed := s.write(s.table.Customers.EndCredentials("0199cccc-0000-7000-8000-000000000009", noon)); failed != 0 {
		t.Errorf("an unknown customer: write %d failed", failed)
	}
}

// An end whose clock runs ahead also ends what had expired by this clock.
func TestEndAfterTheExpiryEnds(t *testing.T) {
	s := newFixtureWithCustomers(t)
	c, secret := s.issuedIn(0, credentials.APIKey, "key")
	s.end(c.ExpiresAt.Add(time.Second))
	if found, err := s.table.Requests.Find(t.Context(), secret); err != nil || found.Works(noon) {
		t.Errorf("%+v, %v", found, err)
	}
}

func (s *fixture) generation(customerID string) int64 {
	s.tb.Helper()
	now, err := s.table.Customers.Generation(s.tb.Context(), customerID)
	if err != nil {
		s.tb.Fatal(err)
	}
	return now
}

// A change of the customer and the count of its users leave the end.
func TestEndStays(t *testing.T) {
	s := newFixtureWithCustomers(t)
	s.end(noon)
	s.write(s.table.Customers.Set(customer, customerstates.State{MaxUsers: 3}))
	s.write(s.table.Customers.CountUsers(customer, 1))
	if now := s.generation(customer); now != 1 {
		t.Errorf("generation %d", now)
	}
}

// A request that authenticated before the end issues nothing after it.
//
//proves:docs/security.md
func TestEndedCredentialIssuesNothing(t *testing.T) {
	s := newFixtureWithCustomers(t)
	old, _ := s.issuedIn(0, credentials.APIKey, "old")
	fresh, _ := s.issuedIn(1, credentials.APIKey, "fresh")
	by := func(c credentials.Credential) principal.Credential {
		return principal.Credential{ID: c.ID, CustomerID: customer, Generation: c.Generation}
	}
	if at := s.write(s.table.Writes.StillWorks(by(old))...); at != -1 {
		t.Fatalf("check %d fails before the end", at)
	}
	s.end(noon)
	if at := s.write(s.table.Writes.StillWorks(by(old))...); at != 1 {
		t.Errorf("check %d fails after the end, want 1", at)
	}
	if at := s.write(s.table.Writes.StillWorks(by(fresh))...); at != -1 {
		t.Errorf("check %d fails for a newer key", at)
	}
}

// Credentials that have ended make room for others.
func TestEndMakesRoom(t *testing.T) {
	s := newFixtureWithCustomers(t)
	for range credentials.MaxLive {
		s.issuedIn(0, credentials.APIKey, "old")
	}
	c, _ := minted()
	tooMany := errors.New("too many")
	issue := func() error {
		if s.issue(c) != -1 {
			return tooMany
		}
		return nil
	}
	issuing := credentialsdynamo.Issuing{Credential: c, TooMany: tooMany}
	if err := s.table.WithRecount(t.Context(), issuing, issue); !errors.Is(err, tooMany) {
		t.Fatalf("%v before the end", err)
	}
	s.end(noon)
	if err := s.table.WithRecount(t.Context(), issuing, issue); err != nil {
		t.Errorf("%v after the end", err)
	}
}

// The makers of a request must not have ended, if they are API keys.
func TestMakersEndWithTheirCustomer(t *testing.T) {
	s := newFixtureWithCustomers(t)
	key, _ := s.issuedIn(0, credentials.APIKey, "key")
	session, _ := s.issuedIn(0, credentials.Session, "session")
	check := func(makers ...credentials.Credential) bool {
		all := []principal.Maker{{UserID: owner, CredentialID: "gone"}}
		for _, c := range makers {
			all = append(all, principal.Maker{UserID: owner, CredentialID: c.ID})
		}
		var since credentialsdynamo.Since
		checks, work, err := s.table.HaveNotEnded(t.Context(), all, &since)
		if err != nil {
			t.Fatal(err)
		}
		return work && s.write(append(checks, s.table.Writes.Checks(since)...)...) == -1
	}
	if !check(key, session) {
		t.Error("the makers have ended before the end")
	}
	var since credentialsdynamo.Since
	makers := []principal.Maker{{UserID: owner, CredentialID: key.ID}}
	if _, work, err := s.table.HaveNotEnded(t.Context(), makers, &since); err != nil || !work {
		t.Fatalf("work %v, %v", work, err)
	}
	s.end(noon)
	if s.write(s.table.Writes.Checks(since)...) != 0 {
		t.Error("an end between the read and the transaction is not found")
	}
	if check(key, session) {
		t.Error("the API key has not ended")
	}
	if !check(session) {
		t.Error("a session counts as ended, unlike one that an administrator has ended")
	}
}

// The secret of an ended token is not given out again.
func TestEndedTokenIsNotReplayed(t *testing.T) {
	s := newFixtureWithCustomers(t)
	c, secret := s.issuedToCustomer()
	key := idempotency.NewKey(owner, "8e03978e-40d5-43dd-bc93-6894a57f9324", "wanted")
	s.write(s.table.Writes.Remember(*key, secret, noon))
	if found, _, err := s.table.Replay(t.Context(), *key, noon); err != nil || found.ID != c.ID {
		t.Fatalf("%+v, %v", found, err)
	}
	s.end(noon)
	if _, _, err := s.table.Replay(t.Context(), *key, noon); !errors.Is(err, idempotency.ErrRevoked) {
		t.Errorf("%v, want ErrRevoked", err)
	}
}

// ListOpen, which revocations of all credentials of an owner use, finds those that have ended.
func TestListOpenFindsEnded(t *testing.T) {
	s := newFixtureWithCustomers(t)
	old, _ := s.issuedIn(0, credentials.APIKey, "old")
	fresh, _ := s.issuedIn(1, credentials.APIKey, "fresh")
	s.end(noon)
	open, err := s.table.ListOpen(t.Context(), owner, noon.Add(time.Hour))
	if err != nil || len(open.Live) != 1 || len(open.Ended) != 1 || open.Issued != 2 {
		t.Fatalf("%+v, %v", open, err)
	}
	if open.Live[0].ID != fresh.ID || open.Ended[0].ID != old.ID {
		t.Errorf("%+v", open)
	}
	s.write(s.table.Writes.Revoke(open.Ended[0])...)
	if open, err = s.table.ListOpen(t.Context(), owner, noon.Add(time.Hour)); err != nil || len(open.Ended) != 0 {
		t.Errorf("%+v, %v", open, err)
	}
	if found := s.get(old.ID); !found.RevokedAt.Equal(noon) || found.Reason != credentials.ReasonEnded {
		t.Errorf("%+v", found)
	}
}
