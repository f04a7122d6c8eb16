package usersdynamo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/audit"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/search"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/testkit/fieldstest"
	"portside/shared/testkit/liststest"
	"portside/shared/testkit/resourcetest"
	"portside/shared/users"
)

// subject describes users for the tests of each stored resource.
var subject = resourcetest.Subject{
	Kind: "user", Lists: "users", Form: []string{"id", "email", "name", "customer", "role", "status", "created"},
	Owner:   "user",
	Uniques: []resourcetest.Unique{{Attribute: "email", Marker: "email", Taken: users.ErrEmailTaken, IsFixed: true}},
	Label:   "role", Labels: []string{"admin", "manager", "user", "viewer"},
	State: "status", States: []string{"active", "pending", "inactive", "suspended"}, NewState: "pending",
	Customers: customers,
	Created:   audit.UserCreated, Updated: audit.UserUpdated, Deleted: audit.UserDeleted, NotFound: users.ErrNotFound,
	Refusals:  []error{users.ErrLastAdmin, users.ErrTooManyUsers},
	Unaudited: []string{"ID", "CreatedAt", "UpdatedAt", "LastLoginAt", "Number", "LinkID", "History"},
	Filled:    func(tb testing.TB) any { return fieldstest.Filled[users.User](tb) },
	Emptied: func(value any) any {
		u := value.(users.User)
		u.Department, u.Metadata = "", json.RawMessage("{}")
		return u
	},
	Counted: func(r resourcetest.Resource) []string {
		return []string{"users", "users:" + r.State, "role:" + r.Label}
	},
	Open: func(t *testing.T) resourcetest.Tables { return newFixture(t).tables() },
}

func TestContract(t *testing.T) { resourcetest.Run(t, subject) }

//proves:docs/security.md
func TestConcurrentWrites(t *testing.T) { resourcetest.Concurrently(t, subject) }

func (d *fixture) tables() resourcetest.Tables {
	return resourcetest.Tables{
		Client: d.client, Table: d.users, Analytics: d.analytics, Log: d.log, Over: d.contract, Derive: d.addNumbers,
		Damage: damageAdmins,
	}
}

// check compares the tables with the users, and returns how many there are.
func (d *fixture) check(t *testing.T) int {
	t.Helper()
	return resourcetest.Check(t, subject, d.tables())
}

// addNumbers adds the number of active admins, which is missing until there is one, and of the users of each customer.
func (d *fixture) addNumbers(t *testing.T, all []liststest.Item, want, got map[string]string) {
	t.Helper()
	admins, stored, of := 0, int64(0), map[string]int{}
	for _, item := range all {
		text := func(name string) string { return liststest.Text(item, name) }
		switch {
		case text("pk") == "admins":
			stored = liststest.Number(item, "n")
		case text("sk") == "user":
			of[text("customer")]++
			if text("role") == "admin" && text("status") == "active" && text("customer") == "" {
				admins++
			}
		}
	}
	want["active admins"], got["active admins"] = fmt.Sprint(admins), fmt.Sprint(stored)
	for _, id := range customers[1:] {
		state, exists, err := d.table().Customers.Get(t.Context(), id)
		if err != nil || !exists {
			t.Fatalf("customer %s exists: %v, %v", id, exists, err)
		}
		want["users of "+id], got["users of "+id] = fmt.Sprint(of[id]), fmt.Sprint(state.Users)
	}
}

// damageAdmins stores a wrong number of active admins.
func damageAdmins(t *testing.T, tables resourcetest.Tables) {
	t.Helper()
	_, err := tables.Client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: &tables.Table, Key: adminsKey(), UpdateExpression: aws.String("SET n = :n"),
		ExpressionAttributeValues: items.Map{":n": items.Number(17)},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func adminsKey() items.Map { return items.Key("admins", "admins") }

// user returns the user that the contract describes.
func user(r resourcetest.Resource) users.User {
	u, isStored := r.Value.(users.User)
	if !isStored {
		u = newUser("", "")
	}
	u.ID, u.Name, u.Email, u.CustomerID = r.ID, r.Name, r.Unique[0], r.Customer
	u.Role, u.Status, u.CreatedAt, u.UpdatedAt = principal.Role(r.Label), users.Status(r.State), r.CreatedAt, r.UpdatedAt
	return u
}

func resource(u users.User) resourcetest.Resource {
	return resourcetest.Resource{
		ID: u.ID, Name: u.Name, Unique: []string{u.Email}, Label: string(u.Role), State: string(u.Status),
		Customer:  u.CustomerID,
		CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt, Number: u.Number, Version: u.Version, Value: u,
	}
}

func resources(all []users.User) (converted []resourcetest.Resource) {
	for _, u := range all {
		converted = append(converted, resource(u))
	}
	return converted
}

// invited returns the creation of a user who, if pending, gets an invitation.
func invited(u users.User, once *idempotency.Key) users.Creation {
	creation := users.Creation{User: u, Once: once}
	if u.Status == users.Pending {
		link := credentials.Mint(credentials.Link)
		creation.User.LinkID = link.ID()
		creation.Invitation = &users.Invitation{Link: credentials.Credential{
			ID: link.ID(), Kind: credentials.Link, Hash: link.Hash(), Owner: credentials.Owner{ID: u.ID},
		}}
	}
	return creation
}

// contract returns the store over a client as the contract sees it.
func (d *fixture) contract(client *dynamodb.Client) resourcetest.Store {
	store := d.over(client)
	return resourcetest.Store{
		Create: func(ctx context.Context, r resourcetest.Resource, once *idempotency.Key) (resourcetest.Resource, bool, error) {
			created, err := store.Create(ctx, invited(user(r), once))
			return resource(created.User), created.Replayed, err
		},
		Get: func(ctx context.Context, id string) (resourcetest.Resource, error) {
			u, err := store.Get(ctx, id)
			return resource(u), err
		},
		Update: func(ctx context.Context, before, after resourcetest.Resource) (resourcetest.Resource, error) {
			u, err := store.Update(ctx, user(before), user(after))
			return resource(u), err
		},
		Delete: func(ctx context.Context, r resourcetest.Resource, at time.Time) error {
			return store.Delete(ctx, user(r), at)
		},
		List: func(ctx context.Context, q resourcetest.Query) (resourcetest.Page, error) {
			page, err := store.List(ctx, users.Query{
				CustomerID: q.Customer, Role: principal.Role(q.Label), Status: users.Status(q.State), Limit: q.Limit,
				Offset: q.Offset, After: q.After,
			})
			return resourcetest.Page{Resources: resources(page.Users), Total: page.Total, Next: page.Next}, err
		},
		Search: func(ctx context.Context, customer string, q search.Query) (resourcetest.Page, error) {
			page, err := store.Search(ctx, customer, q)
			return resourcetest.Page{Resources: resources(page.Users), Next: page.Next}, err
		},
		Rebuild: func(ctx context.Context, report func(lists.Progress)) (lists.Repairs, error) {
			repairs, err := store.Rebuild(ctx, report)
			return repairs.Repairs, err
		},
		RebuildCustomer: store.RebuildCustomer, Histories: store.Histories,
	}
}
