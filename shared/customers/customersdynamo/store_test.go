package customersdynamo_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/shared/core/entitlement"
	"portside/shared/core/fault"
	"portside/shared/core/versions"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/customers"
	"portside/shared/customers/customersdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/entitlementlists"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
	"portside/shared/testkit/resourcetest"
	"portside/shared/trust"
	"portside/shared/trust/trustdynamo"
)

// fixture is a store on new tables, with access to the tables.
type fixture struct {
	client             *dynamodb.Client
	table, credentials string
	log                auditlog.Log
	store              *customersdynamo.Store
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	client := awstest.DynamoDB(t)
	d := &fixture{
		client: client, table: awstest.Table(t, client, "CustomersTable"),
		credentials: awstest.Table(t, client, "CredentialsTable"),
		log:         audittest.Log(t, client),
	}
	d.store = d.over(client)
	return d
}

// over returns a store on the same tables over another client, such as one that fails.
func (d *fixture) over(client *dynamodb.Client) *customersdynamo.Store {
	return customersdynamo.New(client, d.table, d.states(client), d.log)
}

func (d *fixture) states(client *dynamodb.Client) customerstates.Table {
	return customerstates.New(client, d.credentials)
}

func (d *fixture) policies() *trustdynamo.Store {
	return trustdynamo.New(d.client, credentialsdynamo.New(d.client, d.credentials, "").Audited(d.log))
}

// addUsers changes the number of users of a customer, as the store of users does.
func (d *fixture) addUsers(t *testing.T, id string, n int64) error {
	t.Helper()
	return transactions.Write(t.Context(), d.client, []types.TransactWriteItem{d.states(d.client).CountUsers(id, n)})
}

// entitle replaces the entitlements of a customer in this version, as the store of entitlements does.
func (d *fixture) entitle(t *testing.T, id string, version int64) error {
	t.Helper()
	all := entitlement.Set{{ID: "e", Artifact: entitlement.Chart, Repository: "*", Versions: entitlement.AllVersions(), Version: 1}}
	list := entitlementlists.List{All: all, Version: version + 1}
	return transactions.Write(t.Context(), d.client, entitlementlists.Set(d.credentials, id, list))
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// newCustomer returns a customer whose slug is the name and whose external ID is the name in brackets.
func newCustomer(name string, status customers.Status, at time.Time) customers.Customer {
	return customers.Customer{
		ID: uuid.Must(uuid.NewV7()).String(), Name: name, Slug: name, Status: status, ExternalID: "[" + name + "]",
		Contacts: []customers.Contact{}, Metadata: json.RawMessage("{}"), CreatedAt: at,
	}
}

func (d *fixture) create(t *testing.T, name string, status customers.Status) customers.Customer {
	t.Helper()
	created, err := d.store.Create(t.Context(), customers.Creation{Customer: newCustomer(name, status, noon)})
	if err != nil {
		t.Fatal(err)
	}
	return created.Customer
}

// TestLongExternalIDs stores external IDs with the most bytes and with the separators of keys.
func TestLongExternalIDs(t *testing.T) {
	d := newFixture(t)
	for i, external := range []string{strings.Repeat("𝄞", customers.MaxExternalID), "a#b\tc #", "a", "A"} {
		customer := newCustomer(fmt.Sprintf("c%d", i), customers.Active, noon)
		customer.ExternalID = external
		if _, err := d.store.Create(t.Context(), customers.Creation{Customer: customer}); err != nil {
			t.Errorf("%q: %v", external, err)
		}
	}
	resourcetest.Check(t, subject, d.tables())
}

func TestCustomerWithUsersIsNotDeleted(t *testing.T) {
	d := newFixture(t)
	acme := d.create(t, "acme", customers.Active)
	if err := d.addUsers(t, acme.ID, 1); err != nil {
		t.Fatal(err)
	}
	wantError(t, "deletion of a customer with a user", d.store.Delete(t.Context(), acme), customers.ErrHasUsers)
	if got, err := d.store.Get(t.Context(), acme.ID); err != nil || got.Users != 1 {
		t.Errorf("the customer has %d users, want 1; %v", got.Users, err)
	}
	after := acme
	after.Status, after.MaxUsers = customers.Suspended, 1
	changed, err := d.store.Update(t.Context(), acme, after) // keeps the number of users
	if err != nil {
		t.Fatal(err)
	}
	if err := d.addUsers(t, acme.ID, 1); err == nil {
		t.Error("the customer got more users than its limit")
	}
	if err := d.addUsers(t, acme.ID, -1); err != nil {
		t.Fatal(err)
	}
	if err := d.store.Delete(t.Context(), changed); err != nil {
		t.Error(err)
	}
	if err := d.addUsers(t, acme.ID, 1); err == nil {
		t.Error("a deleted customer got a user")
	}
	resourcetest.Check(t, subject, d.tables())
}

// TestDeletionOfCustomerDeletesTrustPolicies deletes a customer with as many of everything as possible.
func TestDeletionOfCustomerDeletesTrustPolicies(t *testing.T) {
	d := newFixture(t)
	long := newCustomer("acme", customers.Active, noon)
	long.Name = strings.TrimSpace(strings.Repeat("abcdefghij ", 9))
	created, err := d.store.Create(t.Context(), customers.Creation{Customer: long})
	if err != nil {
		t.Fatal(err)
	}
	acme := created.Customer
	policies := d.policies()
	for i := range trust.Max {
		policy := trust.Policy{ID: fmt.Sprintf("0199cccc-0000-7000-8000-%012d", i), CustomerID: acme.ID, Name: "p",
			Version: 1}
		if _, err := policies.Add(t.Context(), trust.Creation{Policy: policy}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.addUsers(t, acme.ID, 1); err != nil {
		t.Fatal(err)
	}
	wantError(t, "deletion of a customer with a user", d.store.Delete(t.Context(), acme), customers.ErrHasUsers)
	if kept, err := policies.List(t.Context(), acme.ID); err != nil || len(kept) != trust.Max {
		t.Errorf("a customer who is not deleted has %d policies, %v", len(kept), err)
	}
	if err := d.addUsers(t, acme.ID, -1); err != nil {
		t.Fatal(err)
	}
	wantError(t, "deletion", d.store.Delete(t.Context(), acme), nil)
	for _, item := range liststest.Scan(t, d.client, d.credentials) {
		t.Errorf("%s %s is left", liststest.Text(item, "pk"), liststest.Text(item, "sk"))
	}
	_, err = policies.Add(t.Context(), trust.Creation{Policy: trust.Policy{ID: "late", CustomerID: acme.ID}})
	wantError(t, "a policy of a deleted customer", err, trust.ErrNoCustomer)
}

// A policy that is added during the deletion is not left behind.
func TestDeletionSeesNewTrustPolicies(t *testing.T) {
	d := newFixture(t)
	acme, policies := d.create(t, "acme", customers.Active), d.policies()
	add := func(id string) {
		policy := trust.Policy{ID: id, CustomerID: acme.ID, Version: 1}
		if _, err := policies.Add(t.Context(), trust.Creation{Policy: policy}); err != nil {
			t.Error(err)
		}
	}
	for _, first := range []bool{true, false} {
		racing := awstest.Faulty(d.client, func(operation string, _ int) error {
			if operation == "TransactWriteItems" {
				add(fmt.Sprintf("p-%v", first))
			}
			return nil
		})
		wantError(t, "deletion", d.over(racing).Delete(t.Context(), acme), versions.ErrStale)
	}
	wantError(t, "deletion", d.store.Delete(t.Context(), acme), nil)
	if left := liststest.Scan(t, d.client, d.credentials); len(left) != 0 {
		t.Errorf("%d items are left", len(left))
	}
}

func TestDeletionOfCustomerDeletesEntitlements(t *testing.T) {
	d := newFixture(t)
	acme, other := d.create(t, "acme", customers.Active), d.create(t, "other", customers.Active)
	for _, id := range []string{acme.ID, other.ID} {
		if err := d.entitle(t, id, 0); err != nil {
			t.Fatal(err)
		}
	}
	after := acme
	after.Status, after.MaxUsers = customers.Suspended, 3
	acme, err := d.store.Update(t.Context(), acme, after)
	if err != nil {
		t.Fatal(err)
	}
	resourcetest.Check(t, subject, d.tables())
	if err := d.addUsers(t, acme.ID, 1); err != nil {
		t.Fatal(err)
	}
	wantError(t, "deletion of a customer with a user", d.store.Delete(t.Context(), acme), customers.ErrHasUsers)
	kept, err := entitlementlists.GetOrEmpty(t.Context(), items.In(d.client, d.credentials), acme.ID)
	if err != nil || len(kept.All) != 1 {
		t.Errorf("a customer who is not deleted has the entitlements %+v, %v", kept, err)
	}
	if err := d.addUsers(t, acme.ID, -1); err != nil {
		t.Fatal(err)
	}
	wantError(t, "deletion", d.store.Delete(t.Context(), acme), nil)
	resourcetest.Check(t, subject, d.tables())
	left, err := entitlementlists.GetOrEmpty(t.Context(), items.In(d.client, d.credentials), acme.ID)
	if err != nil || len(left.All) != 0 {
		t.Errorf("a deleted customer has the entitlements %+v, %v", left, err)
	}
	for _, version := range []int64{0, 1} {
		if d.entitle(t, acme.ID, version) == nil {
			t.Errorf("a deleted customer got entitlements in version %d", version+1)
		}
	}
	kept, err = entitlementlists.GetOrEmpty(t.Context(), items.In(d.client, d.credentials), other.ID)
	if err != nil || len(kept.All) != 1 {
		t.Errorf("another customer has the entitlements %+v, %v", kept, err)
	}
	resourcetest.Check(t, subject, d.tables())
}

// TestLostStateIsReported deletes the state of a customer from the credentials table.
func TestLostStateIsReported(t *testing.T) {
	d := newFixture(t)
	acme := d.create(t, "acme", customers.Active)
	key := items.Key("customer#"+acme.ID, "customer")
	if _, err := d.client.DeleteItem(t.Context(),
		&dynamodb.DeleteItemInput{TableName: &d.credentials, Key: key}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.store.Get(t.Context(), acme.ID); err == nil || fault.KindOf(err) != fault.Internal {
		t.Errorf("get: %v, want an internal error", err)
	}
	after := acme
	after.Status = customers.Suspended
	if _, err := d.store.Update(t.Context(), acme, after); err == nil || fault.KindOf(err) != fault.Internal {
		t.Errorf("update: %v, want an internal error", err)
	}
}

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestCostOfListPage checks that capacity and calls do not grow with the offset.
func TestCostOfListPage(t *testing.T) {
	d := newFixture(t)
	const size = 200
	for i := range size {
		d.create(t, fmt.Sprintf("customer-%d", i), customers.Statuses()[i%2])
	}
	client, meter := awstest.Metered(d.client)
	store := d.over(client)
	for _, status := range append(customers.Statuses(), "") {
		for _, offset := range []int64{0, 31, 32, 60, 79, size - 1} {
			meter.Reset()
			page, err := store.List(t.Context(), customers.Query{Status: status, Limit: 20, Offset: offset})
			if err != nil {
				t.Fatal(err)
			}
			if meter.ReadUnits() > 6 || meter.Calls() > 3 {
				t.Errorf("status %q, offset %d of %d: %v read units, %d calls", status, offset, page.Total, meter.ReadUnits(),
					meter.Calls())
			}
		}
	}
}

// TestCostOfChanges checks the costs in docs/customers.md. A transaction costs two units per kilobyte.
func TestCostOfChanges(t *testing.T) {
	d := newFixture(t)
	client, meter := awstest.Metered(d.client)
	store := d.over(client)
	cost := func(what string, most, reads float64, run func() error) {
		t.Helper()
		meter.Reset()
		if err := run(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v write units in %d calls", what, meter.WriteUnits(), meter.Calls())
		if meter.WriteUnits() > most || meter.ReadUnits() > reads || meter.Calls() > 2 {
			t.Errorf("%s: %v write units, %v read units, %d calls", what, meter.WriteUnits(), meter.ReadUnits(), meter.Calls())
		}
	}
	var customer customers.Customer
	cost("create", 27, 0, func() error {
		created, err := store.Create(t.Context(), customers.Creation{Customer: newCustomer("acme", customers.Active, noon)})
		customer = created.Customer
		return err
	})
	change := func(edit func(*customers.Customer)) func() error {
		return func() (err error) {
			after := customer
			edit(&after)
			customer, err = store.Update(t.Context(), customer, after)
			return err
		}
	}
	cost("contacts", 6, 0, change(func(c *customers.Customer) { c.Contacts = []customers.Contact{{Email: "ada@example.com"}} }))
	cost("limit", 8, 0, change(func(c *customers.Customer) { c.MaxUsers = 5 }))
	cost("slug", 16, 0, change(func(c *customers.Customer) { c.Slug = "acme-ltd" }))
	cost("status", 20, 0, change(func(c *customers.Customer) { c.Status = customers.Suspended }))
	meter.Reset()
	if _, err := store.Get(t.Context(), customer.ID); err != nil || meter.ReadUnits() > 2 || meter.Calls() > 2 {
		t.Errorf("get: %v read units, %d calls, %v", meter.ReadUnits(), meter.Calls(), err)
	}
	if err := d.entitle(t, customer.ID, 0); err != nil {
		t.Fatal(err)
	}
	cost("delete", 32, 2, func() error { return store.Delete(t.Context(), customer) })
}
