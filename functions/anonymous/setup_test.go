package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/revocation"
	"portside/shared/revocation/revocationdynamo"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/trust"
	"portside/shared/trust/trustdynamo"
	"portside/shared/trust/trustoidc"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
	"portside/shared/web/resource"
)

// fixture is the function with a real engine and a clock that the test sets.
type fixture struct {
	tb     testing.TB
	now    time.Time
	client *dynamodb.Client
	table  *credentialsdynamo.Table
	users  *users.Service
	keys   *users.Keys
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	f := &fixture{tb: tb, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), client: awstest.DynamoDB(tb)}
	f.table = credentialsdynamo.New(
		f.client, awstest.Table(tb, f.client, "CredentialsTable"), awstest.Table(tb, f.client, "RequestCountsTable"),
	).Audited(audittest.Log(tb, f.client))
	days := daycounts.In(awstest.Table(tb, f.client, "AnalyticsTable"))
	people := usersdynamo.New(f.client, awstest.Table(tb, f.client, "UsersTable"), f.table, days)
	f.users, f.keys = users.NewService(people, nil, resource.NewID, f.clock), users.NewKeys(people, people.Keys, f.clock)
	return f
}

func (f *fixture) clock() time.Time { return f.now }

func (f *fixture) advance(t time.Duration) { f.now = f.now.Add(t) }

func (f *fixture) policies() *trustdynamo.Store { return trustdynamo.New(f.client, f.table) }

func (f *fixture) handler() http.Handler {
	ending := revocationdynamo.New(f.client, f.table)
	return routes(&handlers{
		leaks:     revocation.NewService(revocation.Parts{Store: ending, Jobs: ending, Failures: f.table.Requests, Now: f.clock}),
		exchanger: trust.NewExchanger(f.policies(), trustoidc.New(f.clock), f.clock),
		baseURL:   "https://portal.example.com",
	}).Handler()
}

func (f *fixture) anonymous() webtest.Client { return webtest.New(f.tb, f.handler()) }

// key creates an API key of a new admin.
func (f *fixture) key(email string) string {
	f.tb.Helper()
	created, err := f.users.Create(f.tb.Context(), users.CreateOptions{Caller: principal.Operator()},
		users.NewUser{Email: email, Name: email, Role: principal.Admin})
	if err != nil {
		f.tb.Fatal(err)
	}
	issued, err := f.keys.Create(f.tb.Context(), principal.Operator(), created.User.ID, users.NewKey{Name: "test"})
	if err != nil {
		f.tb.Fatal(err)
	}
	return issued.Secret.Reveal()
}

// works reports whether a secret is accepted.
func (f *fixture) works(text string) bool {
	f.tb.Helper()
	secret, err := credentials.Parse(text)
	if err != nil {
		f.tb.Fatal(err)
	}
	_, _, err = credentials.NewAuthenticator(f.table.Requests, 0, f.clock).Authenticate(f.tb.Context(), text, secret.Kind())
	return err == nil
}
