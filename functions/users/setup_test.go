package main

import (
	"context"
	"errors"
	"hash/crc32"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/transactions"
	"portside/shared/mail"
	"portside/shared/revocation/revocationdynamo"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// fixture is the function with a real engine and a clock and mailbox that the test controls.
type fixture struct {
	tb     testing.TB
	client *dynamodb.Client
	store  *usersdynamo.Store
	keys   *credentialsdynamo.Table
	clock  *webtest.Clock
	post   *mailbox
	limit  int
	admin  users.User
	key    string // API key of the admin

	credentialsTable, countsTable, usersTable string

	days daycounts.Table
	log  auditlog.Log
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	return newFixtureWithLimit(tb, 0)
}

func newFixtureWithLimit(tb testing.TB, limit int) *fixture {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	p := &fixture{
		tb: tb, client: client, limit: limit, post: &mailbox{},
		clock:            webtest.NewClock(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)),
		credentialsTable: awstest.Table(tb, client, "CredentialsTable"),
		countsTable:      awstest.Table(tb, client, "RequestCountsTable"),
		usersTable:       awstest.Table(tb, client, "UsersTable"),
		days:             daycounts.In(awstest.Table(tb, client, "AnalyticsTable")),
		log:              audittest.Log(tb, client),
	}
	p.connect(client)
	p.admin, p.key = p.user("root@example.com", principal.Admin)
	p.customer(exampleCustomer, customerstates.State{})
	return p
}

// exampleCustomer is the customer in the examples of requests.
const exampleCustomer = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"

// customer adds a customer as far as users depend on one.
func (p *fixture) customer(id string, state customerstates.State) {
	p.tb.Helper()
	p.write(p.keys.Customers.Add(id, state))
}

func (p *fixture) write(writes ...types.TransactWriteItem) {
	p.tb.Helper()
	if err := transactions.Write(p.tb.Context(), p.client, writes); err != nil {
		p.tb.Fatal(err)
	}
}

// connect lets the function use another client of the same tables.
func (p *fixture) connect(client *dynamodb.Client) {
	p.keys = credentialsdynamo.New(client, p.credentialsTable, p.countsTable).Audited(p.log)
	p.store = usersdynamo.New(client, p.usersTable, p.keys, p.days)
	p.store.SweepTime = time.Hour // the tests do not run the schedule
}

// service returns the function's service, wired as in main.
func (p *fixture) service() *service {
	return newService(parts{
		store: p.store, keys: p.keys, ending: revocationdynamo.New(p.client, p.keys), mailer: p.post,
		baseURL: "https://portal.example.com", now: p.clock.Now,
	})
}

// anonymous returns a client without a credential.
func (p *fixture) anonymous() webtest.Client {
	auth := credentials.NewAuthenticator(p.keys.Requests, p.limit, p.clock.Now)
	return webtest.New(p.tb, routes(p.service(), auth).Handler())
}

// withKey returns a client that sends an API key.
func (p *fixture) withKey(key string) webtest.Client { return p.anonymous().With("X-API-Key", key) }

// asAdmin returns a client that sends the admin's API key.
func (p *fixture) asAdmin() webtest.Client { return p.withKey(p.key) }

// user creates an active user with an API key, without permission checks.
func (p *fixture) user(email string, role principal.Role) (users.User, string) {
	p.tb.Helper()
	return p.userOf("", email, role)
}

// userOf is user for a user of a customer.
func (p *fixture) userOf(customerID, email string, role principal.Role) (users.User, string) {
	p.tb.Helper()
	ctx := p.tb.Context()
	created, err := p.service().users.Create(ctx, users.CreateOptions{Caller: principal.Operator()}, users.NewUser{
		Email: email, Name: email, CustomerID: customerID, Role: role,
	})
	if err != nil {
		p.tb.Fatal(err)
	}
	issued, err := p.service().keys.Create(ctx, principal.Operator(), created.User.ID, users.NewKey{Name: "test"})
	if err != nil {
		p.tb.Fatal(err)
	}
	return created.User, issued.Secret.Reveal()
}

// mailbox is a mailer that keeps all messages. It returns an error while it is closed.
type mailbox struct {
	mu      sync.Mutex
	letters []mail.Message
	closed  bool
}

func (b *mailbox) Send(_ context.Context, m mail.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return errors.New("the post office is closed")
	}
	b.letters = append(b.letters, m)
	return nil
}

// lastToken returns the token from the link in the newest message.
func (b *mailbox) lastToken(tb testing.TB) string {
	tb.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.letters) == 0 {
		tb.Fatal("no message was sent")
	}
	text := b.letters[len(b.letters)-1].Text
	_, rest, found := strings.Cut(text, "https://portal.example.com/portal/activate#")
	if !found {
		tb.Fatalf("no link in the message:\n%s", text)
	}
	return strings.Fields(rest)[0]
}

// forge returns a well-formed key with the public ID of another key, which an attacker could know from a log.
func forge(tb testing.TB, id string) string {
	tb.Helper()
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	body := "psk_" + id + "_" + strings.Repeat("A", 30)
	sum, digits := crc32.ChecksumIEEE([]byte(body)), make([]byte, 6)
	for i := 5; i >= 0; i-- {
		digits[i], sum = alphabet[sum%62], sum/62
	}
	if _, err := credentials.Parse(body + string(digits)); err != nil {
		tb.Fatal("the forged key is not well-formed")
	}
	return body + string(digits)
}
