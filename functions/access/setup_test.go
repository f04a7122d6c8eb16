package main

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/mail"
	"portside/shared/notices/credentialnotices"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/revocation"
	"portside/shared/revocation/revocationdynamo"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/trust/trustdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
	"portside/shared/web/resource"
)

// fixture is the function with a real engine and a clock that the test sets.
type fixture struct {
	tb      testing.TB
	now     time.Time
	client  *dynamodb.Client
	name    string // name of the credentials table
	table   *credentialsdynamo.Table
	store   *tokensdynamo.Store
	people  *usersdynamo.Store
	users   *users.Service
	keys    *users.Keys
	pulls   *pullsdynamo.Store
	mailbox *mailbox
	maxDays int // of a token
	log     auditlog.Log

	countsTable, usersTable string
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	d := &fixture{tb: tb, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), client: client, mailbox: &mailbox{},
		maxDays: tokens.MaxDays}
	d.name = awstest.Table(tb, client, "CredentialsTable")
	d.countsTable, d.usersTable = awstest.Table(tb, client, "RequestCountsTable"), awstest.Table(tb, client, "UsersTable")
	d.log = audittest.Log(tb, client)
	d.table = credentialsdynamo.New(client, d.name, d.countsTable).Audited(d.log)
	d.store = tokensdynamo.New(client, d.table)
	analyticsTable := awstest.Table(tb, client, "AnalyticsTable")
	d.people = usersdynamo.New(client, d.usersTable, d.table, daycounts.In(analyticsTable))
	d.people.SweepTime = time.Hour // the tests do not run the schedule
	d.pulls = pullsdynamo.New(client, awstest.Table(tb, client, "PullsTable"), analyticsTable)
	d.users = users.NewService(d.people, users.NewInviter(d.people.Invitations, d.mailbox, d.clock), resource.NewID, d.clock)
	d.keys = users.NewKeys(d.people, d.people.Keys, d.clock)
	d.user("root@example.com", principal.Admin)
	return d
}

// mailbox is a mailer that keeps all messages.
type mailbox struct {
	mu       sync.Mutex
	messages []mail.Message
}

func (b *mailbox) Send(_ context.Context, m mail.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages = append(b.messages, m)
	return nil
}

// to returns the messages to an address, oldest first.
func (b *mailbox) to(address string) []mail.Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []mail.Message
	for _, m := range b.messages {
		if m.To == address {
			found = append(found, m)
		}
	}
	return found
}

func (d *fixture) clock() time.Time { return d.now }

func (d *fixture) advance(t time.Duration) { d.now = d.now.Add(t) }

// requestsService returns the service for credential requests, wired as in main.
func (d *fixture) requestsService() *credentialrequests.Service {
	return credentialrequests.NewService(credentialrequests.Parts{
		Store: credentialrequestsdynamo.New(d.client, d.table, d.people.People), Credentials: d.table, People: d.people.People,
		Mailer: d.mailbox, NewID: resource.NewID, Now: d.clock,
	})
}

// leaks returns the service that ends leaked credentials, with the same parts as in functions/anonymous.
func (d *fixture) leaks() *revocation.Service { return d.leaksOn(d.client, 0) }

// leaksOn is leaks on another client and at a later time.
func (d *fixture) leaksOn(client *dynamodb.Client, later time.Duration) *revocation.Service {
	store := revocationdynamo.New(client, credentialsdynamo.New(client, d.name, d.countsTable).Audited(d.log))
	now := func() time.Time { return d.now.Add(later) }
	return revocation.NewService(revocation.Parts{
		Store: store, Jobs: store, Failures: d.table.Requests, Now: now,
	})
}

// notices returns the service that mails the owners of credentials.
func (d *fixture) notices() *credentialnotices.Service {
	return credentialnotices.NewService(credentialnotices.Parts{
		Outbox: d.table.Notices, People: d.people.People, Mailer: d.mailbox, Now: d.clock,
	})
}

func (d *fixture) policies() *trustdynamo.Store { return trustdynamo.New(d.client, d.table) }

func (d *fixture) handler() http.Handler {
	auth := credentials.NewAuthenticator(d.table.Requests, 100, d.clock)
	h := &handlers{
		tokens: tokens.NewService(d.store, d.people.People, d.maxDays, d.clock), requests: d.requestsService(),
		pulls: pulls.NewService(d.pulls), directory: directory{people: d.people.People, credentials: d.table, policies: d.policies()},
		baseURL: "https://portal.example.com", now: d.clock,
	}
	return routes(h, auth).Handler()
}

func (d *fixture) anonymous() webtest.Client { return webtest.New(d.tb, d.handler()) }

// withKey returns a client that sends an API key.
func (d *fixture) withKey(key string) webtest.Client { return d.anonymous().With("X-API-Key", key) }

// withToken returns a client that sends an access token.
func (d *fixture) withToken(token string) webtest.Client {
	return d.anonymous().With("Authorization", "Bearer "+token)
}

// user creates an active user with an API key.
func (d *fixture) user(email string, role principal.Role) (users.User, string) {
	d.tb.Helper()
	ctx := d.tb.Context()
	created, err := d.users.Create(ctx, users.CreateOptions{Caller: principal.Operator()},
		users.NewUser{Email: email, Name: email, Role: role})
	if err != nil {
		d.tb.Fatal(err)
	}
	issued, err := d.keys.Create(ctx, principal.Operator(), created.User.ID, users.NewKey{Name: "test"})
	if err != nil {
		d.tb.Fatal(err)
	}
	return created.User, issued.Secret.Reveal()
}

// change updates a user without permission checks.
func (d *fixture) change(id string, change users.Change) {
	d.tb.Helper()
	if _, err := d.users.Update(d.tb.Context(), principal.Operator(), versions.Target{ID: id}, change); err != nil {
		d.tb.Fatal(err)
	}
}
