package credentialsdynamo_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/entitlementlists"
	"portside/shared/dynamo/items"
)

// entitle replaces the entitlements of a customer by some for all versions of these charts.
func (s *fixture) entitle(customerID string, charts ...string) {
	s.tb.Helper()
	before, _, err := entitlementlists.Get(s.tb.Context(), items.In(s.client, s.table.Name()), customerID)
	if err != nil {
		s.tb.Fatal(err)
	}
	list := entitlementlists.List{Version: before.Version + 1, All: entitledTo(charts...)}
	if at := s.write(entitlementlists.Set(s.table.Name(), customerID, list)...); at != -1 {
		s.tb.Fatalf("write %d failed", at)
	}
}

func entitledTo(charts ...string) entitlement.Set {
	all := make(entitlement.Set, len(charts))
	for i, name := range charts {
		all[i] = entitlement.Entitlement{
			ID: name, Artifact: entitlement.Chart, Repository: name, Versions: entitlement.AllVersions(),
			CreatedAt: noon, UpdatedAt: noon, Version: 1,
		}
	}
	return all
}

// repositories returns the repositories of a set in its order.
func repositories(all entitlement.Set) string {
	var names []string
	for _, e := range all {
		names = append(names, e.Repository)
	}
	return strings.Join(names, " ")
}

// authenticated returns the principal of a secret in a process.
func (s *fixture) authenticated(process *credentialsdynamo.Table, secret credentials.Secret, at time.Time) principal.Principal {
	s.tb.Helper()
	auth := credentials.NewAuthenticator(process.Requests, 0, func() time.Time { return at })
	who, _, err := auth.Authenticate(s.tb.Context(), secret.Reveal(),
		credentials.AccessToken, credentials.Password, credentials.APIKey, credentials.Session)
	if err != nil {
		s.tb.Fatal(err)
	}
	return who
}

// fresh returns the table as a new process has it.
func (s *fixture) fresh() *credentialsdynamo.Table {
	return credentialsdynamo.New(s.client, s.table.Name(), s.counts)
}

// wantEntitled fails the test unless authentication comes with these entitlements, in a process that knows the
// credential and in one that does not.
func (s *fixture) wantEntitled(secret credentials.Secret, want ...string) {
	s.tb.Helper()
	for name, process := range map[string]*credentialsdynamo.Table{"known": s.table, "unknown": s.fresh()} {
		if got := repositories(s.authenticated(process, secret, noon).Entitlements()); got != strings.Join(want, " ") {
			s.tb.Errorf("%s: entitled to %q, want %q", name, got, want)
		}
	}
}

// issuedOf stores a new credential of a kind, of a user of the customer.
func (s *fixture) issuedOf(kind credentials.Kind) (credentials.Credential, credentials.Secret) {
	s.tb.Helper()
	c, _ := minted()
	secret := credentials.Mint(kind)
	c.ID, c.Kind, c.Hash, c.Owner.CustomerID, c.LastUsedAt, c.AuthenticatedAt = secret.ID(), kind, secret.Hash(), customer, noon, noon
	if at := s.issue(c); at != -1 {
		s.tb.Fatalf("write %d failed", at)
	}
	return c, secret
}

func TestAuthenticationComesWithCurrentEntitlements(t *testing.T) {
	for _, kind := range []credentials.Kind{credentials.AccessToken, credentials.Password} {
		s := newFixtureWithCustomers(t)
		_, secret := s.issuedOf(kind)
		s.wantEntitled(secret)
		for _, charts := range [][]string{{"a"}, {"a", "b"}, {"b"}, {}, {"c", "a", "b"}} {
			s.entitle(otherCustomer, "other")
			s.entitle(customer, charts...)
			s.wantEntitled(secret, charts...)
			s.wantEntitled(secret, charts...)
		}
	}
}

// The periods decide at each request, without another read.
func TestOnlyEntitlementsInEffectCome(t *testing.T) {
	s := newFixtureWithCustomers(t)
	_, secret := s.issuedOf(credentials.AccessToken)
	all := entitledTo("ended", "ending", "beginning", "always")
	all[0].Until, all[1].Until = noon, noon.Add(time.Minute)
	all[2].From = noon.Add(time.Minute)
	s.write(entitlementlists.Set(s.table.Name(), customer, entitlementlists.List{Version: 1, All: all})...)
	for after, want := range map[time.Duration]string{
		-1: "ended ending always", 0: "ending always", time.Minute - 1: "ending always", time.Minute: "beginning always",
	} {
		if got := repositories(s.authenticated(s.table, secret, noon.Add(after)).Entitled); got != want {
			t.Errorf("after %v: entitled to %q, want %q", after, got, want)
		}
	}
}

// A moved user has the entitlements of the new customer, whatever the process knows of the old one; the staff has all.
func TestMovedUserHasEntitlementsOfNewCustomer(t *testing.T) {
	s := newFixtureWithCustomers(t)
	c, secret := s.issuedOf(credentials.AccessToken)
	s.entitle(customer, "a")
	s.entitle(otherCustomer, "b")
	s.wantEntitled(secret, "a")
	for _, to := range []struct{ customer, want string }{{otherCustomer, "b"}, {"", "* *"}, {customer, "a"}, {otherCustomer, "b"}} {
		moved := c.Owner
		moved.CustomerID = to.customer
		s.write(s.table.Writes.SetOwner(c.ID, moved))
		s.wantEntitled(secret, to.want)
		s.wantEntitled(secret, to.want)
	}
	s.write(s.table.Customers.Delete(otherCustomer)) // the store of customers does not let it happen
	if found, _, err := s.table.Requests.CountRequest(t.Context(), secret, noon); err != nil || found.Owner.Active || len(found.Entitled) > 0 {
		t.Errorf("of a lost customer: %+v, %v", found, err)
	}
}

// Authentication costs nothing more for a version that the process knows, and one GetItem after a change.
func TestCostOfEntitlements(t *testing.T) {
	s := newFixtureWithCustomers(t)
	_, secret := s.issuedOf(credentials.AccessToken)
	_, second := s.issuedOf(credentials.AccessToken)
	for _, each := range []credentials.Secret{secret, second} {
		s.authenticated(s.table, each, noon)
	}
	cost := func(what string, process *credentialsdynamo.Table, secret credentials.Secret, calls int, reads float64) {
		t.Helper()
		s.meter.Reset()
		s.authenticated(process, secret, noon)
		s.costs(what, calls, reads, 1)
	}
	cost("a customer who never had any", s.table, secret, 2, 2)
	s.entitle(customer, "a")
	cost("the first request after a change", s.table, secret, 3, 3)
	cost("the second request", s.table, secret, 2, 2)
	cost("a request of another credential", s.table, second, 2, 2)
	s.entitle(customer)
	cost("after the deletion of the last one", s.table, secret, 3, 3)
	cost("the second request without any", s.table, secret, 2, 2)
	s.entitle(customer, "a")
	cost("the first request in a process", s.fresh(), secret, 4, 3)
}

// API keys and sessions fetch no artifacts, and the credentials of a suspended customer do nothing.
func TestOnlyCredentialsThatFetchReadEntitlements(t *testing.T) {
	s := newFixtureWithCustomers(t)
	secrets := map[credentials.Kind]credentials.Secret{}
	for _, kind := range []credentials.Kind{credentials.APIKey, credentials.Session, credentials.AccessToken, credentials.Password} {
		_, secrets[kind] = s.issuedOf(kind)
		s.use(secrets[kind], noon)
	}
	unread := func(name string, kinds ...credentials.Kind) {
		t.Helper()
		for _, kind := range kinds {
			s.meter.Reset()
			found, _, err := s.table.Requests.CountRequest(t.Context(), secrets[kind], noon)
			if err != nil || len(found.Entitled) > 0 {
				t.Errorf("%s %s: entitled to %+v, %v", name, kind, found.Entitled, err)
			}
			s.costs(name+" "+string(kind), 2, 2, 1)
		}
	}
	s.entitle(customer, "a")
	unread("active", credentials.APIKey, credentials.Session)
	s.write(s.table.Customers.Set(customer, customerstates.State{Suspended: true}))
	unread("suspended", credentials.APIKey, credentials.Session, credentials.AccessToken, credentials.Password)
	s.write(s.table.Customers.Set(customer, customerstates.State{}))
	s.wantEntitled(secrets[credentials.Password], "a")
}

func TestStaffReadsNoEntitlements(t *testing.T) {
	s := newFixtureWithCustomers(t)
	s.entitle(customer, "a")
	_, secret := s.issued()
	for range 2 {
		s.meter.Reset()
		who := s.authenticated(s.table, secret, noon)
		if len(who.Entitled) > 0 || !who.Entitlements().AllowAllEverywhere() {
			t.Errorf("the staff is entitled to %+v", who.Entitled)
		}
		s.costs("a request of the staff", s.meter.Calls(), 1, 3)
	}
}

// TestCacheIsBounded keeps entitlements of more customers than there is room for, and of customers who have none.
func TestCacheIsBounded(t *testing.T) {
	s := newFixtureWithCustomers(t)
	const most = credentialsdynamo.MaxCachedEntitlements
	many := entitledTo(slices.Repeat([]string{"a"}, 200)...)
	s.table.Requests.KeepEntitlements("once", 1, many)
	for version := range int64(2 * most / len(many)) {
		s.table.Requests.KeepEntitlements("changing", version, many)
	}
	if all, customers := s.table.Requests.KeptEntitlements(); all != 2*len(many) || customers != 2 {
		t.Errorf("%d entitlements of %d customers are kept, though only the last version counts", all, customers)
	}
	for i := range 3 * most / len(many) {
		for version := range int64(3) { // only the last one is kept
			s.table.Requests.KeepEntitlements(fmt.Sprintf("many-%d", i), version, many)
		}
		if all, customers := s.table.Requests.KeptEntitlements(); all > most || customers > most {
			t.Fatalf("%d entitlements of %d customers are kept", all, customers)
		}
	}
	for i := range 3 * most {
		s.table.Requests.KeepEntitlements(fmt.Sprintf("none-%d", i), 1, nil)
	}
	if all, customers := s.table.Requests.KeptEntitlements(); all > most || customers > most {
		t.Errorf("%d entitlements of %d customers are kept", all, customers)
	}
	_, secret := s.issuedOf(credentials.AccessToken)
	s.entitle(customer, "a")
	s.wantEntitled(secret, "a")
}

// TestEntitlementsChangeUnderLoad authenticates in several goroutines during changes. Nobody gets entitlements that are
// older than those that were current when the request began.
func TestEntitlementsChangeUnderLoad(t *testing.T) {
	s := newFixtureWithCustomers(t)
	_, secret := s.issuedOf(credentials.AccessToken)
	var mu sync.Mutex
	current := 0
	now := func() int {
		mu.Lock()
		defer mu.Unlock()
		return current
	}
	var all sync.WaitGroup
	const changes = 20
	for range 3 {
		all.Go(func() {
			for least := 0; least < changes; least = now() {
				found, _, err := s.table.Requests.CountRequest(t.Context(), secret, noon)
				if err != nil || len(found.Entitled) < least {
					t.Errorf("%d entitlements, want at least %d; %v", len(found.Entitled), least, err)
					return
				}
			}
		})
	}
	for n := 1; n <= changes; n++ {
		s.entitle(customer, slices.Repeat([]string{"a"}, n)...)
		mu.Lock()
		current = n
		mu.Unlock()
	}
	all.Wait()
	s.wantEntitled(secret, slices.Repeat([]string{"a"}, changes)...)
}
