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

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/mail"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// portal is the users function on a real engine, with a clock and a postbox that the test holds.
type portal struct {
	tb     testing.TB
	client *dynamodb.Client
	store  *usersdynamo.Store
	keys   *credentialsdynamo.Table
	clock  *webtest.Clock
	post   *postbox
	limit  int
	admin  users.User
	key    string // of the admin
}

func newPortal(tb testing.TB) *portal {
	tb.Helper()
	return newLimitedPortal(tb, 0)
}

func newLimitedPortal(tb testing.TB, limit int) *portal {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	p := &portal{
		tb: tb, client: client, limit: limit, post: &postbox{},
		clock: webtest.NewClock(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)),
		keys:  credentialsdynamo.New(client, awstest.Table(tb, client, "CredentialsTable")),
	}
	p.store = usersdynamo.New(client, awstest.Table(tb, client, "UsersTable"), p.keys, daycounts.In(awstest.Table(tb, client, "AnalyticsTable")))
	p.admin, p.key = p.user("root@example.com", principal.Admin)
	return p
}

// service returns the function's service as main makes it.
func (p *portal) service() *service {
	return newService(p.store, p.post, "https://portal.example.com", p.clock.Now)
}

// visitor talks to the function without a credential.
func (p *portal) visitor() webtest.Client {
	auth := credentials.NewAuthenticator(p.keys, p.limit, p.clock.Now)
	return webtest.New(p.tb, routes(p.service(), auth).Handler())
}

// as talks to the function with an API key.
func (p *portal) as(key string) webtest.Client { return p.visitor().With("X-API-Key", key) }

// root talks to the function as the admin.
func (p *portal) root() webtest.Client { return p.as(p.key) }

// user adds an active user with a key, past all permissions.
func (p *portal) user(email string, role principal.Role) (users.User, string) {
	p.tb.Helper()
	ctx := p.tb.Context()
	created, err := p.service().users.Create(ctx, users.CreateOptions{Caller: principal.Operator()}, users.NewUser{
		Email: email, Name: email, Role: role,
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

// postbox is a mailer that keeps what it is given, and refuses while it is closed.
type postbox struct {
	mu      sync.Mutex
	letters []mail.Message
	closed  bool
}

func (b *postbox) Send(_ context.Context, m mail.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return errors.New("the post office is closed")
	}
	b.letters = append(b.letters, m)
	return nil
}

// lastToken is the token in the newest letter, as its reader would find it.
func (b *postbox) lastToken(tb testing.TB) string {
	tb.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.letters) == 0 {
		tb.Fatal("no letter came")
	}
	text := b.letters[len(b.letters)-1].Text
	_, rest, found := strings.Cut(text, "https://portal.example.com/portal/activate#")
	if !found {
		tb.Fatalf("no link in the letter:\n%s", text)
	}
	return strings.Fields(rest)[0]
}

// forge makes a well-formed key with another key's public id, as somebody could who saw it in a log.
func forge(tb testing.TB, id string) string {
	tb.Helper()
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	body := "psk_" + id + "_" + strings.Repeat("A", 30)
	sum, digits := crc32.ChecksumIEEE([]byte(body)), make([]byte, 6)
	for i := 5; i >= 0; i-- {
		digits[i], sum = alphabet[sum%62], sum/62
	}
	if _, err := credentials.Parse(body + string(digits)); err != nil {
		tb.Fatal("the forgery is not well-formed")
	}
	return body + string(digits)
}
