package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// office is the projects function on a real engine, with a clock that the test holds and people from the users domain.
type office struct {
	tb        testing.TB
	client    *dynamodb.Client
	keys      *credentialsdynamo.Table
	people    *usersdynamo.Store
	store     *projectsdynamo.Store
	analytics string
	clock     *webtest.Clock
	admin     users.User
	key       string // of the admin
}

func newOffice(tb testing.TB) *office {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	o := &office{
		tb: tb, client: client, analytics: awstest.Table(tb, client, "AnalyticsTable"),
		keys:  credentialsdynamo.New(client, awstest.Table(tb, client, "CredentialsTable")),
		clock: webtest.NewClock(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)),
	}
	days := daycounts.In(o.analytics)
	o.people = usersdynamo.New(client, awstest.Table(tb, client, "UsersTable"), o.keys, days)
	o.store = projectsdynamo.New(client, awstest.Table(tb, client, "ProjectsTable"), days)
	o.admin, o.key = o.user("root@example.com", principal.Admin)
	return o
}

// handler returns the function's handler as main makes it.
func (o *office) handler() http.Handler {
	auth := credentials.NewAuthenticator(o.keys, 0, o.clock.Now)
	return routes(newService(o.store, o.people, o.clock.Now), auth).Handler()
}

// visitor talks to the function without a credential.
func (o *office) visitor() webtest.Client { return webtest.New(o.tb, o.handler()) }

// as talks to the function with an API key.
func (o *office) as(key string) webtest.Client { return o.visitor().With("X-API-Key", key) }

// root talks to the function as the admin.
func (o *office) root() webtest.Client { return o.as(o.key) }

func (o *office) service() *users.Service {
	return users.NewService(o.people, nil, newID, o.clock.Now)
}

// user adds an active user with a key.
func (o *office) user(email string, role principal.Role) (users.User, string) {
	o.tb.Helper()
	ctx, operator := o.tb.Context(), principal.Operator()
	created, err := o.service().Create(ctx, users.CreateOptions{Caller: operator}, users.NewUser{Email: email, Name: email, Role: role})
	if err != nil {
		o.tb.Fatal(err)
	}
	issued, err := users.NewKeys(o.people, o.people, o.clock.Now).Create(ctx, operator, created.User.ID, users.NewKey{Name: "test"})
	if err != nil {
		o.tb.Fatal(err)
	}
	return created.User, issued.Secret.Reveal()
}

// dismiss deletes a user.
func (o *office) dismiss(id string) {
	o.tb.Helper()
	if err := o.service().Delete(o.tb.Context(), principal.Operator(), versions.Target{ID: id}); err != nil {
		o.tb.Fatal(err)
	}
}
