package credentialsdynamo_test

import (
	"context"
	"errors"
	"testing"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/customerstates"
)

const (
	customer      = "0199cccc-0000-7000-8000-000000000001"
	otherCustomer = "0199cccc-0000-7000-8000-000000000002"
)

// issuedToCustomer stores a new token of a user of a customer.
func (s *fixture) issuedToCustomer() (credentials.Credential, credentials.Secret) {
	s.tb.Helper()
	c, secret := minted()
	c.Owner.CustomerID = customer
	if at := s.issue(c); at != -1 {
		s.tb.Fatalf("write %d failed", at)
	}
	return c, secret
}

// newFixtureWithCustomers returns a table with two customers.
func newFixtureWithCustomers(tb testing.TB) *fixture {
	tb.Helper()
	s := newFixture(tb)
	for _, id := range []string{customer, otherCustomer} {
		if at := s.write(s.table.Customers.Add(id, customerstates.State{})); at != -1 {
			tb.Fatal("the customer exists already")
		}
	}
	return s
}

// wantActive fails the test unless authentication finds the owner active or not, in a process that knows the credential
// and in one that does not.
func (s *fixture) wantActive(secret credentials.Secret, customerID string, want bool) {
	s.tb.Helper()
	fresh := credentialsdynamo.New(s.client, s.table.Name(), s.counts)
	for name, table := range map[string]*credentialsdynamo.Table{"known": s.table, "unknown": fresh} {
		found, _, err := table.Requests.CountRequest(s.tb.Context(), secret, noon)
		if err != nil || found.Owner.Active != want || found.Owner.CustomerID != customerID {
			s.tb.Errorf("%s: %v, owner %+v, want active %v in customer %s", name, err, found.Owner, want, customerID)
		}
	}
}

//proves:docs/security.md
func TestSuspendedCustomersCredentialsDoNotWork(t *testing.T) {
	s := newFixtureWithCustomers(t)
	c, secret := s.issuedToCustomer()
	s.wantActive(secret, customer, true)
	s.write(s.table.Customers.Set(customer, customerstates.State{Suspended: true}))
	s.wantActive(secret, customer, false)

	moved := c.Owner
	moved.CustomerID = otherCustomer
	s.write(s.table.Writes.SetOwner(c.ID, moved))
	s.wantActive(secret, otherCustomer, true)
	moved.CustomerID = ""
	s.write(s.table.Writes.SetOwner(c.ID, moved))
	s.wantActive(secret, "", true)
	moved.CustomerID = customer
	s.write(s.table.Writes.SetOwner(c.ID, moved))
	s.wantActive(secret, customer, false)
	s.write(s.table.Customers.Set(customer, customerstates.State{}))
	s.wantActive(secret, customer, true)

	s.write(s.table.Customers.Delete(customer)) // the store of customers does not let it happen
	s.wantActive(secret, customer, false)
}

// An inactive user stays inactive in an active customer.
func TestActiveCustomerDoesNotActivateUser(t *testing.T) {
	s := newFixtureWithCustomers(t)
	c, secret := s.issuedToCustomer()
	c.Owner.Active = false
	s.write(s.table.Writes.SetOwner(c.ID, c.Owner))
	s.wantActive(secret, customer, false)
}

// After the first request in a process, authentication reads a credential and its customer in one call, beside the one
// that counts.
func TestAuthenticationOfCustomersCostsOneRead(t *testing.T) {
	s := newFixtureWithCustomers(t)
	_, secret := s.issuedToCustomer()
	s.use(secret, noon)
	s.meter.Reset()
	s.use(secret, noon)
	s.costs("a request of a customer's user", 2, 2, 1)
	s.meter.Reset()
	if _, _, err := credentialsdynamo.New(s.client, s.table.Name(), s.counts).Requests.CountRequest(t.Context(), secret, noon); err != nil {
		t.Fatal(err)
	}
	s.costs("the first request in a process", 3, 2, 1)
}

// A wrong secret with the ID of a credential is unknown, whether the process knows the credential's customer or not.
func TestWrongSecretOfCustomersCredential(t *testing.T) {
	s := newFixtureWithCustomers(t)
	c, secret := s.issuedToCustomer()
	s.use(secret, noon)
	s.write(s.table.Writes.Revoke(revoked(c))...)
	if found, _, err := s.table.Requests.CountRequest(t.Context(), secret, noon); err != nil || found.RevokedAt.IsZero() {
		t.Errorf("the revoked credential is %+v, %v", found, err)
	}
	_, _, err := s.table.Requests.CountRequest(t.Context(), credentials.Mint(credentials.AccessToken), noon)
	if !errors.Is(err, credentials.ErrUnknown) {
		t.Errorf("an unknown credential: %v", err)
	}
}

func revoked(c credentials.Credential) credentials.Credential {
	c.RevokedAt, c.Reason = noon, "test"
	return c
}

func TestCountUsers(t *testing.T) {
	s := newFixture(t)
	s.write(s.table.Customers.Add(customer, customerstates.State{MaxUsers: 2}))
	for _, step := range []struct {
		name     string
		id       string
		change   int64
		succeeds bool
	}{
		{"the first", customer, 1, true}, {"the second", customer, 1, true}, {"one too many", customer, 1, false},
		{"one less", customer, -1, true}, {"another", customer, 1, true}, {"nobody's", otherCustomer, 1, false},
	} {
		if at := s.write(s.table.Customers.CountUsers(step.id, step.change)); at == -1 != step.succeeds {
			t.Errorf("%s: %v, want %v", step.name, at == -1, step.succeeds)
		}
	}
	if at := s.write(s.table.Customers.Delete(customer)); at == -1 {
		t.Error("a customer with users was deleted")
	}
	s.write(s.table.Customers.Set(customer, customerstates.State{MaxUsers: 1, Suspended: true}))
	state, _, err := s.table.Customers.Get(t.Context(), customer)
	if want := (customerstates.State{Users: 2, MaxUsers: 1, Suspended: true}); err != nil || state != want {
		t.Errorf("%+v, %v, want %+v", state, err, want)
	}
}

func TestRecountUsers(t *testing.T) {
	s := newFixtureWithCustomers(t)
	count := func(n int64) func(context.Context) (int64, error) {
		return func(context.Context) (int64, error) { return n, nil }
	}
	for _, step := range []struct {
		counted int64
		wrong   bool
	}{{3, true}, {3, false}, {0, true}} {
		if wrong, err := s.table.Customers.RecountUsers(t.Context(), customer, count(step.counted)); err != nil || wrong != step.wrong {
			t.Errorf("%d: wrong %v, %v", step.counted, wrong, err)
		}
		if state, _, _ := s.table.Customers.Get(t.Context(), customer); state.Users != step.counted {
			t.Errorf("the customer has %d users, want %d", state.Users, step.counted)
		}
	}
	// A user joins during the first count, which finds another number than the stored one or the same.
	for stored, first := range []int64{5, 1} {
		counts := 0
		wrong, err := s.table.Customers.RecountUsers(t.Context(), customer, func(context.Context) (int64, error) {
			if counts++; counts == 1 {
				s.write(s.table.Customers.CountUsers(customer, 1)) //nolint:contextcheck // the context of the test
				return first, nil
			}
			return int64(stored) + 1, nil
		})
		if wrong || err != nil || counts != 2 {
			t.Errorf("first count %d: wrong %v, %v, counted %d times", first, wrong, err, counts)
		}
	}
}
