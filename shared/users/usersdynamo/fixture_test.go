package usersdynamo_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// fixture is a store on new tables, with access to the tables.
type fixture struct {
	client      *dynamodb.Client
	users, keys string
	counts      string
	analytics   string
	log         auditlog.Log
	store       *usersdynamo.Store
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	client := awstest.DynamoDB(t)
	d := &fixture{
		client: client, users: awstest.Table(t, client, "UsersTable"), keys: awstest.Table(t, client, "CredentialsTable"),
		counts: awstest.Table(t, client, "RequestCountsTable"), analytics: awstest.Table(t, client, "AnalyticsTable"),
		log: audittest.Log(t, client),
	}
	d.store = d.over(client)
	err := transactions.Write(t.Context(), client, []types.TransactWriteItem{
		d.table().Customers.Add(customers[1], customerstates.State{}),
		d.table().Customers.Add(customers[2], customerstates.State{MaxUsers: 3}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// customers are the owners of users in these tests: the vendor, a customer without a limit, and one with at most 3
// users.
var customers = []string{"", "0199cccc-0000-7000-8000-000000000001", "0199cccc-0000-7000-8000-000000000002"}

func (d *fixture) table() *credentialsdynamo.Table {
	return credentialsdynamo.New(d.client, d.keys, d.counts)
}

// over returns a store on the same tables over another client, such as one that fails.
func (d *fixture) over(client *dynamodb.Client) *usersdynamo.Store {
	keys := credentialsdynamo.New(client, d.keys, d.counts).Audited(d.log)
	store := usersdynamo.New(client, d.users, keys, daycounts.In(d.analytics))
	store.SweepTime = time.Hour
	return store
}

// leapDay is the default creation time of users in these tests.
func leapDay() time.Time { return time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC) }

func newUser(email string, role principal.Role) users.User {
	return users.User{
		ID: uuid.Must(uuid.NewV7()).String(), Email: email, Name: email, Role: role, Status: users.Active,
		Metadata: json.RawMessage("{}"), CreatedAt: leapDay(),
	}
}

func (d *fixture) create(t *testing.T, email string, role principal.Role) users.User {
	t.Helper()
	created, err := d.store.Create(t.Context(), users.Creation{User: newUser(email, role)})
	if err != nil {
		t.Fatal(err)
	}
	return created.User
}

// populatedStore is a fixture with users.
type populatedStore struct {
	*fixture
	*usersdynamo.Store

	people []users.User
}

// newPopulatedStore returns a store with nine users, whose roles alternate: users 0, 4 and 8 are admins.
func newPopulatedStore(t *testing.T) *populatedStore {
	t.Helper()
	d := newFixture(t)
	w := &populatedStore{fixture: d, Store: d.store}
	people := newcomers("person", 9)
	if _, err := d.store.Bulk.CreateAll(t.Context(), people); err != nil {
		t.Fatal(err)
	}
	for _, creation := range people {
		w.people = append(w.people, d.get(t, creation.User))
	}
	return w
}

func person(name string, role principal.Role) users.User { return newUser(name+"@example.com", role) }

// remove deletes an item.
func (d *fixture) remove(t *testing.T, key items.Map) {
	t.Helper()
	if _, err := d.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &d.users, Key: key}); err != nil {
		t.Fatal(err)
	}
}
