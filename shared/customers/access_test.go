package customers_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/paging"
	"portside/shared/core/principal"
	"portside/shared/core/search"
	"portside/shared/core/versions"
	"portside/shared/customers"
	"portside/shared/customers/customersdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/customerstates"
	"portside/shared/testkit/awstest"
)

var staff = principal.Principal{UserID: "root", Role: principal.Admin}

// newService returns a service with the customers acme and other.
func newService(t *testing.T) (service *customers.Service, acme, other customers.Customer) {
	t.Helper()
	client := awstest.DynamoDB(t)
	states := customerstates.New(client, awstest.Table(t, client, "CredentialsTable"))
	store := customersdynamo.New(client, awstest.Table(t, client, "CustomersTable"), states, auditlog.Log{})
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	now := func() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }
	service = customers.NewService(store, newID, now)
	created := map[string]customers.Customer{}
	for _, slug := range []string{"acme", "other"} {
		input := customers.NewCustomer{Name: "Company " + slug, Slug: slug}
		made, err := service.Create(t.Context(), customers.CreateOptions{Caller: staff}, input)
		if err != nil {
			t.Fatal(err)
		}
		created[slug] = made.Customer
	}
	return service, created["acme"], created["other"]
}

// personOf returns a caller who belongs to a customer, with the highest role.
func personOf(customerID string) principal.Principal {
	return principal.Principal{UserID: "ada", CustomerID: customerID, Role: principal.Admin}
}

func TestGetReturnsOnlyTheOwnCustomer(t *testing.T) {
	service, acme, other := newService(t)
	for name, c := range map[string]struct {
		caller principal.Principal
		id     string
		want   error
	}{
		"staff":                           {staff, acme.ID, nil},
		"person":                          {personOf(acme.ID), acme.ID, nil},
		"another customer":                {personOf(acme.ID), other.ID, customers.ErrNotFound},
		"person of a lost customer":       {personOf("gone"), acme.ID, customers.ErrNotFound},
		"lost customer of its own person": {personOf("gone"), "gone", customers.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := service.Get(t.Context(), c.caller, c.id)
			if !errors.Is(err, c.want) || err == nil && got.ID != c.id {
				t.Errorf("got %v, %v; want %v", got, err, c.want)
			}
		})
	}
}

// The external ID and the metadata are the vendor's.
func TestUsersOfCustomerDoNotSeeVendorsData(t *testing.T) {
	service, acme, _ := newService(t)
	change := customers.Change{ExternalID: new("C-1815"), Metadata: json.RawMessage(`{"discount":5}`)}
	if _, err := service.Update(t.Context(), versions.Target{ID: acme.ID}, change); err != nil {
		t.Fatal(err)
	}
	seen, err := service.Get(t.Context(), staff, acme.ID)
	if err != nil || seen.ExternalID != "C-1815" || string(seen.Metadata) != `{"discount":5}` {
		t.Errorf("the staff sees %+v, %v", seen, err)
	}
	hidden, err := service.Get(t.Context(), personOf(acme.ID), acme.ID)
	if err != nil || hidden.ExternalID != "" || string(hidden.Metadata) != "{}" || hidden.Slug != "acme" {
		t.Errorf("a person of the customer sees %+v, %v", hidden, err)
	}
	listed, err := service.List(t.Context(), personOf(acme.ID), customers.Query{Limit: 1})
	if err != nil || len(listed.Customers) != 1 || listed.Customers[0].ExternalID != "" {
		t.Errorf("a person of the customer lists %+v, %v", listed, err)
	}
	found, err := service.Search(t.Context(), personOf(acme.ID), search.Query{Text: "c-18", Limit: 1})
	if err != nil || len(found.Customers) != 0 {
		t.Errorf("a person of the customer finds %+v by the external ID, %v", found, err)
	}
}

func TestListHasOnlyTheOwnCustomer(t *testing.T) {
	service, acme, _ := newService(t)
	for name, c := range map[string]struct {
		caller      principal.Principal
		query       customers.Query
		here, total int64
	}{
		"staff":               {staff, customers.Query{}, 2, 2},
		"person":              {personOf(acme.ID), customers.Query{}, 1, 1},
		"status of the own":   {personOf(acme.ID), customers.Query{Status: customers.Active}, 1, 1},
		"another status":      {personOf(acme.ID), customers.Query{Status: customers.Suspended}, 0, 0},
		"offset":              {personOf(acme.ID), customers.Query{Offset: 1}, 0, 1},
		"greater offset":      {personOf(acme.ID), customers.Query{Offset: 1_000_000}, 0, 1},
		"of a lost customer":  {personOf("gone"), customers.Query{}, 0, 0},
		"lost, with a status": {personOf("gone"), customers.Query{Status: customers.Active}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c.query.Limit = 20
			page, err := service.List(t.Context(), c.caller, c.query)
			if err != nil || int64(len(page.Customers)) != c.here || page.Total != c.total {
				t.Errorf("%d of %d customers, want %d of %d; %v", len(page.Customers), page.Total, c.here, c.total, err)
			}
			if c.here == 1 && page.Customers[0].ID != acme.ID {
				t.Errorf("the list has %s", page.Customers[0].Slug)
			}
		})
	}
}

func TestSearchFindsOnlyTheOwnCustomer(t *testing.T) {
	service, acme, _ := newService(t)
	for name, c := range map[string]struct {
		caller principal.Principal
		query  search.Query
		here   int
		want   error
	}{
		"staff":            {staff, search.Query{Text: "company"}, 2, nil},
		"person":           {personOf(acme.ID), search.Query{Text: "company"}, 1, nil},
		"own slug":         {personOf(acme.ID), search.Query{Text: "ACME"}, 1, nil},
		"another customer": {personOf(acme.ID), search.Query{Text: "other"}, 0, nil},
		"lost customer":    {personOf("gone"), search.Query{Text: "company"}, 0, nil},
		"only a space":     {personOf(acme.ID), search.Query{Text: " "}, 0, search.ErrText},
		"invalid cursor":   {personOf(acme.ID), search.Query{Text: "company", After: "x"}, 0, paging.ErrCursor},
	} {
		t.Run(name, func(t *testing.T) {
			c.query.Limit = 20
			page, err := service.Search(t.Context(), c.caller, c.query)
			if !errors.Is(err, c.want) || len(page.Customers) != c.here || page.Next != "" {
				t.Errorf("%d customers, %v; want %d, %v", len(page.Customers), err, c.here, c.want)
			}
		})
	}
}

func TestUpdateWithoutEffectWritesNothing(t *testing.T) {
	service, acme, _ := newService(t)
	name, metadata := " Company acme ", json.RawMessage(`{}`)
	same := customers.Change{Name: &name, Slug: &acme.Slug, Contacts: []customers.Contact{}, Metadata: metadata}
	updated, err := service.Update(t.Context(), versions.Target{ID: acme.ID}, same)
	if err != nil || updated.Version != 1 {
		t.Errorf("version %d, want 1; %v", updated.Version, err)
	}
}
