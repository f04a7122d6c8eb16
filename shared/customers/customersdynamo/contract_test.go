package customersdynamo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/idempotency"
	"portside/shared/core/search"
	"portside/shared/customers"
	"portside/shared/testkit/fieldstest"
	"portside/shared/testkit/liststest"
	"portside/shared/testkit/resourcetest"
)

// subject describes customers for the tests of each stored resource.
var subject = resourcetest.Subject{
	Kind: "customer", Lists: "customers", Form: []string{"id", "name", "slug", "status", "externalId", "created"},
	Owner: "customer",
	Uniques: []resourcetest.Unique{
		{Attribute: "slug", Marker: "slug", Taken: customers.ErrSlugTaken},
		{Attribute: "externalId", Marker: "external", Taken: customers.ErrExternalIDTaken, IsOptional: true},
	},
	Label: "status", Labels: []string{"active", "suspended"},
	Created: audit.CustomerCreated, Updated: audit.CustomerUpdated, Deleted: audit.CustomerDeleted,
	NotFound:  customers.ErrNotFound,
	Unaudited: []string{"ID", "CreatedAt", "UpdatedAt", "Number"},
	Filled: func(tb testing.TB) any {
		c := fieldstest.Filled[customers.Customer](tb)
		c.Users = 0 // counted in the state of the customer
		return c
	},
	Emptied: func(value any) any {
		c := value.(customers.Customer)
		c.Contacts, c.MaxUsers, c.MaxRequests, c.Metadata = []customers.Contact{}, 0, 0, json.RawMessage("{}")
		return c
	},
	Open: func(t *testing.T) resourcetest.Tables { return newFixture(t).tables() },
}

func TestContract(t *testing.T) { resourcetest.Run(t, subject) }

func TestConcurrentWrites(t *testing.T) { resourcetest.Concurrently(t, subject) }

func (d *fixture) tables() resourcetest.Tables {
	return resourcetest.Tables{Client: d.client, Table: d.table, Log: d.log, Over: d.contract, Derive: d.addStates}
}

// customer returns the customer that the contract describes.
func customer(r resourcetest.Resource) customers.Customer {
	c, isStored := r.Value.(customers.Customer)
	if !isStored {
		c = newCustomer("", "", time.Time{})
	}
	c.ID, c.Name, c.Slug, c.ExternalID, c.Status = r.ID, r.Name, r.Unique[0], r.Unique[1], customers.Status(r.Label)
	c.CreatedAt, c.UpdatedAt = r.CreatedAt, r.UpdatedAt
	return c
}

func resource(c customers.Customer) resourcetest.Resource {
	return resourcetest.Resource{
		ID: c.ID, Name: c.Name, Unique: []string{c.Slug, c.ExternalID}, Label: string(c.Status), CreatedAt: c.CreatedAt,
		UpdatedAt: c.UpdatedAt,
		Number:    c.Number, Version: c.Version, Value: c,
	}
}

func resources(all []customers.Customer) (converted []resourcetest.Resource) {
	for _, c := range all {
		converted = append(converted, resource(c))
	}
	return converted
}

// contract returns the store over a client as the contract sees it.
func (d *fixture) contract(client *dynamodb.Client) resourcetest.Store {
	store := d.over(client)
	return resourcetest.Store{
		Create: func(ctx context.Context, r resourcetest.Resource, once *idempotency.Key) (resourcetest.Resource, bool, error) {
			created, err := store.Create(ctx, customers.Creation{Customer: customer(r), Once: once})
			return resource(created.Customer), created.Replayed, err
		},
		Get: func(ctx context.Context, id string) (resourcetest.Resource, error) {
			c, err := store.Get(ctx, id)
			return resource(c), err
		},
		Update: func(ctx context.Context, before, after resourcetest.Resource) (resourcetest.Resource, error) {
			c, err := store.Update(ctx, customer(before), customer(after))
			return resource(c), err
		},
		Delete: func(ctx context.Context, r resourcetest.Resource, _ time.Time) error {
			return store.Delete(ctx, customer(r))
		},
		List: func(ctx context.Context, q resourcetest.Query) (resourcetest.Page, error) {
			page, err := store.List(ctx,
				customers.Query{Status: customers.Status(q.Label), Limit: q.Limit, Offset: q.Offset, After: q.After})
			return resourcetest.Page{Resources: resources(page.Customers), Total: page.Total, Next: page.Next}, err
		},
		Search: func(ctx context.Context, _ string, q search.Query) (resourcetest.Page, error) {
			page, err := store.Search(ctx, q)
			return resourcetest.Page{Resources: resources(page.Customers), Next: page.Next}, err
		},
		Rebuild: store.Rebuild,
	}
}

// addStates adds the states in the credentials table, which are copies of the status and the limits of customers.
// Entitlements must have a state with their version.
func (d *fixture) addStates(t *testing.T, items []liststest.Item, want, got map[string]string) {
	t.Helper()
	for _, item := range items {
		if liststest.Text(item, "sk") == "customer" {
			want["state of "+liststest.Text(item, "id")] = stateOf(item, liststest.Text(item, "status") == "suspended")
		}
	}
	for _, item := range liststest.Scan(t, d.client, d.credentials) {
		switch pk := liststest.Text(item, "pk"); liststest.Text(item, "sk") {
		case "entitlements":
			want["entitlements of "+pk] = fmt.Sprint(liststest.Number(item, "version"))
		case "customer":
			suspended, _ := item["suspended"].(*types.AttributeValueMemberBOOL)
			got["state of "+pk[len("customer#"):]] = stateOf(item, suspended != nil && suspended.Value)
			if version := liststest.Number(item, "entitlements"); version > 0 {
				got["entitlements of "+pk] = fmt.Sprint(version)
			}
		}
	}
}

func stateOf(item liststest.Item, suspended bool) string {
	return fmt.Sprint(suspended, " ", liststest.Number(item, "maxUsers"), " ", liststest.Number(item, "maxRequests"))
}
