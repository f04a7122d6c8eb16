package main

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"portside/shared/awstest"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/mail"
	"portside/shared/principal"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
	"portside/shared/webtest"
)

// depot is the tokens function on a real engine, with a clock that the test holds and people from the users domain.
type depot struct {
	tb    testing.TB
	now   time.Time
	table *credentialsdynamo.Table
	store *tokensdynamo.Store
	users *users.Service
	keys  *users.Keys
}

func newDepot(tb testing.TB) *depot {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	d := &depot{tb: tb, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	d.table = credentialsdynamo.New(client, awstest.Table(tb, client, "CredentialsTable"))
	d.store = tokensdynamo.New(client, d.table)
	people := usersdynamo.New(client, awstest.Table(tb, client, "UsersTable"), d.table)
	d.users = users.NewService(people, users.NewInviter(people, noMail{}, d.clock), newID, d.clock)
	d.keys = users.NewKeys(people, people, d.clock)
	d.user("root@example.com", principal.Admin)
	return d
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

type noMail struct{}

func (noMail) Send(context.Context, mail.Message) error { return nil }

func (d *depot) clock() time.Time { return d.now }

func (d *depot) pass(t time.Duration) { d.now = d.now.Add(t) }

func (d *depot) visitor() webtest.Client {
	auth := credentials.NewAuthenticator(d.table, 100, d.clock)
	return webtest.New(d.tb, routes(tokens.NewService(d.store, d.clock), auth, d.clock).Handler())
}

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
	created, err := d.users.Create(ctx, users.Request{Caller: principal.Operator()}, users.NewUser{Email: email, Name: email, Role: role})
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
	if _, err := d.users.Update(d.tb.Context(), principal.Operator(), users.Target{ID: id}, change); err != nil {
		d.tb.Fatal(err)
	}
}
