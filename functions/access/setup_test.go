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
	"portside/shared/dynamo/daycounts"
	"portside/shared/mail"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// depot is the tokens function on a real engine, with a clock that the test holds and people from the users domain.
type depot struct {
	tb     testing.TB
	now    time.Time
	client *dynamodb.Client
	name   string // of the credentials table
	table  *credentialsdynamo.Table
	store  *tokensdynamo.Store
	people *usersdynamo.Store
	users  *users.Service
	keys   *users.Keys
	pulls  *pullsdynamo.Store
	post   *postbox
}

func newDepot(tb testing.TB) *depot {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	d := &depot{tb: tb, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), client: client, post: &postbox{}}
	d.name = awstest.Table(tb, client, "CredentialsTable")
	d.table = credentialsdynamo.New(client, d.name)
	d.store = tokensdynamo.New(client, d.table)
	analyticsTable := awstest.Table(tb, client, "AnalyticsTable")
	d.people = usersdynamo.New(client, awstest.Table(tb, client, "UsersTable"), d.table, daycounts.In(analyticsTable))
	d.pulls = pullsdynamo.New(client, awstest.Table(tb, client, "PullsTable"), analyticsTable)
	d.users = users.NewService(d.people, users.NewInviter(d.people, d.post, d.clock), newID, d.clock)
	d.keys = users.NewKeys(d.people, d.people, d.clock)
	d.user("root@example.com", principal.Admin)
	return d
}

// postbox is a mailer that keeps what it is given.
type postbox struct {
	mu      sync.Mutex
	letters []mail.Message
}

func (b *postbox) Send(_ context.Context, m mail.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.letters = append(b.letters, m)
	return nil
}

// to returns the letters to an address, oldest first.
func (b *postbox) to(address string) []mail.Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []mail.Message
	for _, m := range b.letters {
		if m.To == address {
			found = append(found, m)
		}
	}
	return found
}

func (d *depot) clock() time.Time { return d.now }

func (d *depot) pass(t time.Duration) { d.now = d.now.Add(t) }

// requestsService is the domain of credential requests as main wires it.
func (d *depot) requestsService() *credentialrequests.Service {
	return credentialrequests.NewService(credentialrequests.Parts{
		Store: credentialrequestsdynamo.New(d.client, d.name, d.people), Credentials: d.table, People: d.people,
		Mailer: d.post, NewID: newID, Now: d.clock,
	})
}

func (d *depot) handler() http.Handler {
	auth := credentials.NewAuthenticator(d.table, 100, d.clock)
	h := &handlers{
		tokens: tokens.NewService(d.store, d.clock), requests: d.requestsService(),
		pulls: pulls.NewService(d.pulls), baseURL: "https://portal.example.com", now: d.clock,
	}
	return routes(h, auth).Handler()
}

func (d *depot) visitor() webtest.Client { return webtest.New(d.tb, d.handler()) }

// person talks to the function with an API key.
func (d *depot) person(key string) webtest.Client { return d.visitor().With("X-API-Key", key) }

// machine talks to the function with an access token.
func (d *depot) machine(token string) webtest.Client {
	return d.visitor().With("Authorization", "Bearer "+token)
}

// user adds an active user with a key.
func (d *depot) user(email string, role principal.Role) (users.User, string) {
	d.tb.Helper()
	ctx := d.tb.Context()
	created, err := d.users.Create(ctx, users.CreateOptions{Caller: principal.Operator()}, users.NewUser{Email: email, Name: email, Role: role})
	if err != nil {
		d.tb.Fatal(err)
	}
	issued, err := d.keys.Create(ctx, principal.Operator(), created.User.ID, users.NewKey{Name: "test"})
	if err != nil {
		d.tb.Fatal(err)
	}
	return created.User, issued.Secret.Reveal()
}

// change changes a user past all permissions.
func (d *depot) change(id string, change users.Change) {
	d.tb.Helper()
	if _, err := d.users.Update(d.tb.Context(), principal.Operator(), versions.Target{ID: id}, change); err != nil {
		d.tb.Fatal(err)
	}
}
