package demo

import (
	"strings"
	"testing"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/shared/credentials"
	"portside/shared/customers"
	"portside/shared/entitlements/entitlementsdynamo"
	"portside/shared/projects"
	"portside/shared/pulls"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
	"portside/shared/trust/trustdynamo"
	"portside/shared/users"
)

// checkCustomers checks that the demo has customers in both statuses, with users, projects, entitlements and trust
// policies, and that the pulls of their users belong to them.
func (a *analyticsStack) checkCustomers() {
	a.T.Helper()
	page, err := a.Tables.Customers.List(a.T.Context(), customers.Query{Limit: 100})
	a.Must(err)
	suspended, policies, members, owned, periods := 0, 0, 0, 0, map[string]int{}
	for _, listed := range page.Customers {
		c, err := a.Tables.Customers.Get(a.T.Context(), listed.ID)
		a.Must(err)
		withUsers, withProjects := a.membersOf(c)
		members, owned = members+withUsers, owned+withProjects
		if c.Status == customers.Suspended {
			suspended++
		}
		held, err := entitlementsdynamo.New(a.Client, a.Tables.Credentials.Name(), a.Tables.Log).Get(a.T.Context(), c.ID)
		a.Must(err)
		if len(held.All.At(a.Now())) == 0 {
			a.T.Errorf("%s may fetch nothing", c.Name)
		}
		countPeriods(periods, held.All, a.Now())
		trusted, err := trustdynamo.New(a.Client, a.Tables.Credentials).List(a.T.Context(), c.ID)
		a.Must(err)
		policies += len(trusted)
	}
	if len(page.Customers) != 8 || suspended != 1 || policies != 2 || periods["ended"] != 1 || periods["scheduled"] != 1 {
		a.T.Errorf("%d customers, %d suspended, %d trust policies, entitlements by period: %v", len(page.Customers), suspended, policies, periods)
	}
	if members < 20 || owned < 4 {
		a.T.Errorf("%d users and %d projects belong to customers", members, owned)
	}
	a.checkCustomersOfPulls()
}

func countPeriods(periods map[string]int, all entitlement.Set, now time.Time) {
	for _, e := range all {
		switch {
		case now.Before(e.From):
			periods["scheduled"]++
		case !e.InEffect(now):
			periods["ended"]++
		}
	}
}

// membersOf returns the numbers of the users and the projects of a customer. It also checks the contacts.
func (a *analyticsStack) membersOf(c customers.Customer) (members, owned int) {
	a.T.Helper()
	people, err := a.Tables.Users.List(a.T.Context(), users.Query{CustomerID: c.ID, Limit: 100})
	a.Must(err)
	if len(c.Contacts) == 0 || people.Total != c.Users || c.Users == 0 {
		a.T.Errorf("%s has the contacts %v and %d users, but %d in the list", c.Name, c.Contacts, c.Users, people.Total)
	}
	work, err := a.Tables.Projects.List(a.T.Context(), projects.Query{CustomerID: c.ID, Limit: 100})
	a.Must(err)
	return int(people.Total), int(work.Total)
}

// checkCustomersOfPulls checks that most pulls belong to customers, who may fetch them.
func (a *analyticsStack) checkCustomersOfPulls() {
	a.T.Helper()
	all, ofCustomers := 0, 0
	for _, item := range liststest.Scan(a.T, a.Client, a.PullsTable) {
		id, isPull := strings.CutPrefix(liststest.Text(item, "pk"), "credential#")
		if !isPull {
			continue
		}
		all++
		used, err := a.Tables.Credentials.Get(a.T.Context(), id)
		a.Must(err)
		customer := ""
		if shard := liststest.Text(item, "customerShard"); shard != "" {
			customer, _, _ = strings.Cut(shard, "#")
			ofCustomers++
		}
		if used.Owner.CustomerID != customer {
			a.T.Fatalf("a pull belongs to the customer %q, and its credential to %q", customer, used.Owner.CustomerID)
		}
	}
	if ofCustomers*2 < all || ofCustomers == all {
		a.T.Errorf("%d of %d pulls belong to customers", ofCustomers, all)
	}
}

func TestCustomersFetchOnlyWhatTheyMay(t *testing.T) {
	now := time.Date(2028, 3, 1, 12, 0, 0, 0, time.UTC)
	versions, err := constraints.Parse("^1.1.0")
	if err != nil {
		t.Fatal(err)
	}
	s := &story{now: now, first: calendar.DayOf(now), knownCompanies: []company{
		{Customer: customers.Customer{ID: "alder", Status: customers.Active}, entitled: entitlement.Set{
			{Artifact: entitlement.Chart, Repository: chartName, Versions: versions},
			{Artifact: entitlement.Image, Repository: "acme/*", Versions: entitlement.AllVersions(), Until: now},
		}},
		{Customer: customers.Customer{ID: "dune", Status: customers.Suspended}},
	}}
	before := now.Add(-time.Second)
	for _, test := range []struct {
		customer string
		pull     pulls.Pull
		want     bool
	}{
		{"", pulls.Pull{At: now, Kind: pulls.Image, Repository: imageName, Reference: "1.0.0"}, true},
		{"alder", pulls.Pull{At: before, Kind: pulls.Image, Repository: imageName, Reference: "1.0.0"}, true},
		{"alder", pulls.Pull{At: now, Kind: pulls.Image, Repository: imageName, Reference: "1.0.0"}, false},
		{"alder", pulls.Pull{At: now, Kind: pulls.Chart, Repository: chartName, Reference: "1.0.0"}, false},
		{"alder", pulls.Pull{At: now, Kind: pulls.Chart, Repository: chartName, Reference: "1.1.0"}, true},
		{"alder", pulls.Pull{At: now, Kind: pulls.Chart, Repository: artifactName, Reference: "1.1.0"}, false},
		{"dune", pulls.Pull{At: now, Kind: pulls.Chart, Repository: chartName, Reference: "1.1.0"}, false},
	} {
		t.Run(test.customer+" "+test.pull.Repository+" "+test.pull.Reference+" "+test.pull.At.Format(time.TimeOnly), func(t *testing.T) {
			by := &credentials.Credential{Owner: credentials.Owner{CustomerID: test.customer}}
			if got := s.isEntitled(by, test.pull); got != test.want {
				t.Errorf("%+v: %t", test.pull, got)
			}
		})
	}
	for customer, want := range map[string]bool{"": true, "alder": true, "dune": false} {
		if got := s.mayAct(users.User{Status: users.Active, CustomerID: customer}); got != want {
			t.Errorf("an active user of %q may act: %t", customer, got)
		}
	}
}

// On each day, for any length of the demo data, the customers join in their order, and the suspended one before its
// suspension.
func TestCustomersJoinInOrder(t *testing.T) {
	t.Parallel()
	for midnight := range awstest.Days() {
		for _, days := range []calendar.Day{1, 2, 40, maxDays} {
			s := &story{now: midnight, first: calendar.DayOf(midnight) - days + 1}
			previous := s.first
			for i, c := range companyPlans() {
				joins := s.joinDay(i)
				if joins < previous || joins > calendar.DayOf(midnight) || c.isSuspended && s.suspensionDay(i) < joins {
					t.Fatalf("%s, %d days: customer %d joins on %s", midnight, days, i, joins)
				}
				previous = joins
			}
		}
	}
}
