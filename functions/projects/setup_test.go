package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/transactions"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
	"portside/shared/web/resource"
)

// fixture is the function with a real engine and a clock that the test sets.
type fixture struct {
	tb        testing.TB
	client    *dynamodb.Client
	keys      *credentialsdynamo.Table
	people    *usersdynamo.Store
	store     *projectsdynamo.Store
	analytics string
	clock     *webtest.Clock
	admin     users.User
	key       string // API key of the admin
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	o := &fixture{
		tb: tb, client: client, analytics: awstest.Table(tb, client, "AnalyticsTable"),
		keys: credentialsdynamo.New(
			client, awstest.Table(tb, client, "CredentialsTable"), awstest.Table(tb, client, "RequestCountsTable"),
		).Audited(audittest.Log(tb, client)),
		clock: webtest.NewClock(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)),
	}
	days := daycounts.In(o.analytics)
	o.people = usersdynamo.New(client, awstest.Table(tb, client, "UsersTable"), o.keys, days)
	o.store = projectsdynamo.New(client, awstest.Table(tb, client, "ProjectsTable"), days)
	o.admin, o.key = o.user("root@example.com", principal.Admin)
	return o
}

// handler returns the function's handler, wired as in main.
func (o *fixture) handler() http.Handler {
	auth := credentials.NewAuthenticator(o.keys.Requests, 0, o.clock.Now)
	return routes(newService(o.store, o.people.People, o.clock.Now), auth).Handler()
}

// anonymous returns a client without a credential.
func (o *fixture) anonymous() webtest.Client { return webtest.New(o.tb, o.handler()) }

// withKey returns a client that sends an API key.
func (o *fixture) withKey(key string) webtest.Client { return o.anonymous().With("X-API-Key", key) }

// asAdmin returns a client that sends the admin's API key.
func (o *fixture) asAdmin() webtest.Client { return o.withKey(o.key) }

func (o *fixture) service() *users.Service {
	return users.NewService(o.people, nil, resource.NewID, o.clock.Now)
}

// customer adds the state of a customer, and returns the ID.
func (o *fixture) customer(id string) string {
	o.tb.Helper()
	writes := []types.TransactWriteItem{o.keys.Customers.Add(id, customerstates.State{})}
	if err := transactions.Write(o.tb.Context(), o.client, writes); err != nil {
		o.tb.Fatal(err)
	}
	return id
}

// user creates an active user of the staff with an API key.
func (o *fixture) user(email string, role principal.Role) (users.User, string) {
	o.tb.Helper()
	return o.userOf("", email, role)
}

// userOf creates an active user of a customer with an API key.
func (o *fixture) userOf(customerID, email string, role principal.Role) (users.User, string) {
	o.tb.Helper()
	ctx, operator := o.tb.Context(), principal.Operator()
	created, err := o.service().Create(ctx, users.CreateOptions{Caller: operator}, users.NewUser{
		Email: email, Name: email, Role: role, CustomerID: customerID,
	})
	if err != nil {
		o.tb.Fatal(err)
	}
	issued, err := users.NewKeys(o.people, o.people.Keys, o.clock.Now).Create(ctx, operator, created.User.ID, users.NewKey{Name: "test"})
	if err != nil {
		o.tb.Fatal(err)
	}
	return created.User, issued.Secret.Reveal()
}

// deleteUser deletes a user.
func (o *fixture) deleteUser(id string) {
	o.tb.Helper()
	if err := o.service().Delete(o.tb.Context(), principal.Operator(), versions.Target{ID: id}); err != nil {
		o.tb.Fatal(err)
	}
}
