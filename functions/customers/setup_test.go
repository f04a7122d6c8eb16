package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/customers/customersdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/transactions"
	"portside/shared/entitlements/entitlementsdynamo"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/trust/trustdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
	"portside/shared/web/resource"
)

// fixture is the function with a real engine and a clock that the test sets.
type fixture struct {
	tb     testing.TB
	client *dynamodb.Client
	keys   *credentialsdynamo.Table
	log    auditlog.Log
	people *usersdynamo.Store
	store  *customersdynamo.Store
	clock  *webtest.Clock
	key    string // API key of the admin
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	log := audittest.Log(tb, client)
	o := &fixture{
		tb: tb, client: client, log: log,
		keys: credentialsdynamo.New(
			client, awstest.Table(tb, client, "CredentialsTable"), awstest.Table(tb, client, "RequestCountsTable"),
		).Audited(log),
		clock: webtest.NewClock(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)),
	}
	days := daycounts.In(awstest.Table(tb, client, "AnalyticsTable"))
	o.people = usersdynamo.New(client, awstest.Table(tb, client, "UsersTable"), o.keys, days)
	o.store = customersdynamo.New(client, awstest.Table(tb, client, "CustomersTable"), o.keys.Customers, o.log)
	o.key = o.user("root@example.com", principal.Admin)
	return o
}

// handler returns the function's handler, wired as in main.
func (o *fixture) handler() http.Handler {
	auth := credentials.NewAuthenticator(o.keys.Requests, 0, o.clock.Now)
	kept := stores{o.store, entitlementsdynamo.New(o.client, o.keys.Name(), o.log), trustdynamo.New(o.client, o.keys)}
	return routes(newService(kept, o.clock.Now), auth).Handler()
}

// anonymous returns a client without a credential.
func (o *fixture) anonymous() webtest.Client { return webtest.New(o.tb, o.handler()) }

// withKey returns a client that sends an API key.
func (o *fixture) withKey(key string) webtest.Client { return o.anonymous().With("X-API-Key", key) }

// asAdmin returns a client that sends the admin's API key.
func (o *fixture) asAdmin() webtest.Client { return o.withKey(o.key) }

// user creates an active user of the staff and returns an API key of the user.
func (o *fixture) user(email string, role principal.Role) string {
	o.tb.Helper()
	return o.userOf("", email, role)
}

// userOf is user for a user of a customer.
func (o *fixture) userOf(customerID, email string, role principal.Role) string {
	o.tb.Helper()
	ctx, operator := o.tb.Context(), principal.Operator()
	service := users.NewService(o.people, nil, resource.NewID, o.clock.Now)
	person := users.NewUser{Email: email, Name: email, Role: role, CustomerID: customerID}
	created, err := service.Create(ctx, users.CreateOptions{Caller: operator}, person)
	if err != nil {
		o.tb.Fatal(err)
	}
	issued, err := users.NewKeys(o.people, o.people.Keys, o.clock.Now).Create(ctx, operator, created.User.ID, users.NewKey{Name: "test"})
	if err != nil {
		o.tb.Fatal(err)
	}
	return issued.Secret.Reveal()
}

// countUsers changes the number of users of a customer, as the store of users does.
func (o *fixture) countUsers(id string, n int64) {
	o.tb.Helper()
	if err := transactions.Write(o.tb.Context(), o.client, []types.TransactWriteItem{o.keys.Customers.CountUsers(id, n)}); err != nil {
		o.tb.Fatal(err)
	}
}

// create creates a customer and returns its path.
func (o *fixture) create(body string) string {
	o.tb.Helper()
	return path + "/" + o.asAdmin().Post(path, body).WantStatus(http.StatusCreated).Text("data.id")
}
