package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"portside/cmd/portside/installation"
	"portside/shared/core/calendar"
	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/customers"
	"portside/shared/entitlements"
	"portside/shared/entitlements/entitlementsdynamo"
	"portside/shared/pulls"
	"portside/shared/trust"
	"portside/shared/trust/trustdynamo"
	"portside/shared/users"
)

// company is a customer of the demo with its entitlements.
type company struct {
	customers.Customer

	entitled entitlement.Set
}

// companyPlan is a customer to add.
type companyPlan struct {
	name                  string
	contacts              []customers.Contact
	maxUsers, maxRequests int64
	rights                []rightPlan
	repository            string // of the pipelines on GitHub that fetch without a secret; empty without pipelines
	isSuspended           bool   // since a few days ago
}

// rightPlan is an entitlement to add. Its period is in days from today, where 0 means that the period has no such end.
type rightPlan struct {
	artifact             entitlement.Artifact
	repository, versions string
	from, until          int
}

const (
	firstCompanies = 3 // that join on the first day; other companies follow in the first half of the time
	suspendedDays  = 9 // for which a suspended customer has been suspended

	// The names of what `make demo` publishes.
	chartName, artifactName, imageName = "hello", "charts/hello", "acme/hello"
)

// companyPlans returns the customers in the order in which they join.
func companyPlans() []companyPlan {
	whole := []rightPlan{
		{artifact: entitlement.Chart, repository: chartName}, {artifact: entitlement.Image, repository: "acme/*"},
		{artifact: entitlement.Chart, repository: artifactName},
	}
	images := []rightPlan{{artifact: entitlement.Image, repository: imageName, versions: "^1.0.0", until: 200}}
	charts := []rightPlan{
		{artifact: entitlement.Chart, repository: chartName, versions: "^1.0.0"}, {artifact: entitlement.Chart, repository: "charts/*"},
	}
	evaluation := rightPlan{artifact: entitlement.Image, repository: imageName, until: -20}
	next := rightPlan{artifact: entitlement.Image, repository: imageName, versions: "^2.0.0", from: 30}
	return []companyPlan{
		{name: "Alder Logistics", contacts: contactsOf("alder", "Carla Demir"), maxUsers: 250, maxRequests: 6000, rights: whole,
			repository: "alder-logistics/deploy"},
		{name: "Birchwood Foods", contacts: contactsOf("birchwood", "Otto Haas", "Mara Ito"), maxUsers: 100, rights: images},
		{name: "Cobalt Energy", contacts: contactsOf("cobalt", "Femi Evans"), maxUsers: 100, rights: whole, isSuspended: true},
		{name: "Dune Airways", contacts: contactsOf("dune", "Noor Costa"), maxRequests: 3000, rights: append(charts, next)},
		{name: "Ember Robotics", contacts: contactsOf("ember", "Hana Jansen", "Jun Kaya"), rights: append(images, charts...),
			repository: "ember-robotics/platform"},
		{name: "Fjord Shipping", contacts: contactsOf("fjord", "Ivo Lopez"), maxUsers: 100, rights: append(charts, evaluation)},
		{name: "Granite Bank", contacts: contactsOf("granite", "Lena Moreau", "Pia Novak"), maxUsers: 500, maxRequests: 12_000, rights: whole},
		{name: "Heron Health", contacts: contactsOf("heron", "Bela Fuchs"), rights: charts},
	}
}

// contactsOf returns the contacts of a customer: the first one for bills, further ones for operations.
func contactsOf(domain string, names ...string) []customers.Contact {
	all := make([]customers.Contact, len(names))
	for i, name := range names {
		first, _, _ := strings.Cut(strings.ToLower(name), " ")
		all[i] = customers.Contact{Name: name, Email: first + "@" + domain + ".example", Role: "operations"}
	}
	all[0].Role = "billing"
	return all
}

// changeCustomers adds the customers that join on a day, and suspends one.
func (s *story) changeCustomers(ctx context.Context, day calendar.Day) error {
	for i, c := range companyPlans() {
		if at := day.Begin().Add(7*time.Hour + time.Duration(i)*time.Minute); day == s.joinDay(i) && at.Before(s.now) {
			if err := s.addCustomer(ctx, i, c, at); err != nil {
				return fmt.Errorf("%s: demo customer %s: %w", day, c.name, err)
			}
		}
		if at := day.Begin().Add(7*time.Hour + 30*time.Minute); c.isSuspended && day == s.suspensionDay(i) && at.Before(s.now) {
			if err := s.suspendCustomer(ctx, i, at); err != nil {
				return fmt.Errorf("%s: suspend the demo customer %s: %w", day, c.name, err)
			}
		}
	}
	return nil
}

// joinDay returns the day on which customer i joins.
func (s *story) joinDay(i int) calendar.Day {
	days := calendar.DayOf(s.now) - s.first + 1
	return s.first + days*calendar.Day(max(0, i-firstCompanies+1))/12
}

// suspensionDay returns the day on which customer i is suspended, if it is.
func (s *story) suspensionDay(i int) calendar.Day {
	return max(s.joinDay(i), calendar.DayOf(s.now)-suspendedDays)
}

// clockAt returns a clock that stands still.
func clockAt(at time.Time) func() time.Time { return func() time.Time { return at } }

// addCustomer adds customer i with its entitlements and its trust policy.
func (s *story) addCustomer(ctx context.Context, i int, c companyPlan, at time.Time) error {
	name := c.name
	if s.seed != 1 {
		name += fmt.Sprintf(" %d", s.seed)
	}
	service := customers.NewService(s.Customers, installation.NewID, clockAt(at))
	created, err := service.Create(ctx, customers.CreateOptions{}, customers.NewCustomer{
		Name: name, Slug: strings.ToLower(strings.ReplaceAll(name, " ", "-")), ExternalID: fmt.Sprintf("C-%d-%04d", s.seed, 1001+i),
		Contacts: c.contacts, MaxUsers: c.maxUsers, MaxRequests: c.maxRequests,
	})
	if errors.Is(err, customers.ErrSlugTaken) || errors.Is(err, customers.ErrExternalIDTaken) {
		return s.errExists("customers")
	}
	if err != nil {
		return err
	}
	added := company{Customer: created.Customer}
	for _, right := range c.rights {
		e, err := s.entitle(ctx, added.ID, right, at)
		if err != nil {
			return err
		}
		added.entitled = append(added.entitled, e)
	}
	s.knownCompanies = append(s.knownCompanies, added)
	if c.repository == "" {
		return nil
	}
	return s.trustPipelines(ctx, added.ID, c.repository, at)
}

// errExists says that an earlier run with the same seed has added the same data.
func (s *story) errExists(what string) error {
	return fmt.Errorf("the %s of seed %d already exist: pass another --seed, such as --add --seed %d", what, s.seed, s.seed+1)
}

func (s *story) entitle(ctx context.Context, customerID string, r rightPlan, at time.Time) (entitlement.Entitlement, error) {
	input := entitlements.New{Artifact: r.artifact, Repository: r.repository, Versions: r.versions}
	today := calendar.DayOf(s.now)
	if r.from != 0 {
		input.From = (today + calendar.Day(r.from)).Begin()
	}
	if r.until != 0 {
		input.Until = (today + calendar.Day(r.until)).Begin()
	}
	service := entitlements.NewService(entitlementsdynamo.New(s.Client, s.Credentials.Name(), s.Log), installation.NewID, clockAt(at))
	created, err := service.Create(ctx, entitlements.CreateOptions{CustomerID: customerID}, input)
	return created.Entitlement, err
}

// trustPipelines lets the main branch of a repository on GitHub fetch what the customer may fetch.
func (s *story) trustPipelines(ctx context.Context, customerID, repository string, at time.Time) error {
	service := trust.NewService(trustdynamo.New(s.Client, s.Credentials), installation.NewID, clockAt(at))
	_, err := service.Create(ctx, trust.CreateOptions{CustomerID: customerID}, trust.New{
		Name: "Pipelines of " + repository, Issuer: "https://token.actions.githubusercontent.com", Audience: "https://portside.example.com",
		Conditions: []trust.Condition{{Claim: "sub", Values: []string{"repo:" + repository + ":ref:refs/heads/main"}}},
		Scopes:     []principal.Scope{principal.ReadCharts, principal.ReadImages},
	})
	return err
}

func (s *story) suspendCustomer(ctx context.Context, i int, at time.Time) error {
	if i >= len(s.knownCompanies) {
		return nil
	}
	status, service := customers.Suspended, customers.NewService(s.Customers, installation.NewID, clockAt(at))
	changed, err := service.Update(ctx, versions.Target{ID: s.knownCompanies[i].ID}, customers.Change{Status: &status})
	s.knownCompanies[i].Customer = changed
	return err
}

// pickCompany picks the ID of an active customer, or "" if there is none yet.
func (s *story) pickCompany() string {
	var all []string
	for _, c := range s.knownCompanies {
		if c.Status == customers.Active {
			all = append(all, c.ID)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return pick(s, all)
}

// company returns a customer, or false for the vendor's staff.
func (s *story) company(id string) (company, bool) {
	i := slices.IndexFunc(s.knownCompanies, func(c company) bool { return c.ID == id })
	if i < 0 {
		return company{}, false
	}
	return s.knownCompanies[i], true
}

// mayAct reports whether the credentials of a user work.
func (s *story) mayAct(u person) bool {
	c, isCustomer := s.company(u.CustomerID)
	return u.Status == users.Active && (!isCustomer || c.Status == customers.Active)
}

// isEntitled reports whether the entitlements of the credential's customer allow a pull.
func (s *story) isEntitled(by *credentials.Credential, p pulls.Pull) bool {
	c, isCustomer := s.company(by.Owner.CustomerID)
	if !isCustomer {
		return true
	}
	held := c.entitled.At(p.At).In(p.Repository)
	isOfRegistry := p.Repository != chartName
	return p.Kind == pulls.Chart && constraints.Of(held.Of(entitlement.Chart)).Allow(p.Reference) ||
		isOfRegistry && constraints.Of(held.Of(entitlement.Image)).Allow(p.Reference)
}
