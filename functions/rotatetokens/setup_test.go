package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/mail"
	"portside/shared/notices/expirynotices"
	"portside/shared/notices/expirynotices/expirynoticesdynamo"
	"portside/shared/rotation"
	"portside/shared/rotation/rotationsecrets"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

const overlap = 7 * 24 * time.Hour

// fixture is the function with real engines. The test controls the clock, the mailbox and crashes.
type fixture struct {
	tb      testing.TB
	now     time.Time
	mailbox *mailbox
	crash   *crash
	secrets *secretsmanager.Client // this client and the next four do not crash
	client  *dynamodb.Client
	table   *credentialsdynamo.Table
	counts  string // name of the table of request counts
	users   *users.Service
	store   *usersdynamo.Store
	days    daycounts.Table
	handle  func(context.Context, json.RawMessage) (outcome, error)
	owner   users.User
	secret  string // name of the secret
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	h := &fixture{
		tb: tb, now: time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC), mailbox: &mailbox{}, crash: &crash{},
		secrets: awstest.SecretsManager(tb),
		secret:  "portside/acme", client: client,
	}
	credentialsTable, usersTable := awstest.Table(tb, client, "CredentialsTable"), awstest.Table(tb, client, "UsersTable")
	h.counts = awstest.Table(tb, client, "RequestCountsTable")
	h.table = credentialsdynamo.New(client, credentialsTable, h.counts).Audited(audittest.Log(tb, client))
	h.days = daycounts.In(awstest.Table(tb, client, "AnalyticsTable"))
	h.store = usersdynamo.New(client, usersTable, h.table, h.days)
	h.users = users.NewService(h.store, users.NewInviter(h.store.Invitations, h.mailbox, h.clock), newID, h.clock)
	h.handle = h.build(client, credentialsTable, usersTable)
	h.user("root@example.com", principal.Admin)
	h.owner = h.user("ada@example.com", principal.User)
	return h
}

// build wires the function as main does, with clients that crash as the test determines.
func (h *fixture) build(
	client *dynamodb.Client, credentialsTable, usersTable string,
) func(context.Context, json.RawMessage) (outcome, error) {
	crashing := dynamodb.New(client.Options(), func(o *dynamodb.Options) { o.APIOptions = append(o.APIOptions, h.crash.install) })
	secrets := secretsmanager.New(h.secrets.Options(), func(o *secretsmanager.Options) {
		o.APIOptions = append(o.APIOptions, h.crash.install)
	})
	table := credentialsdynamo.New(crashing, credentialsTable, h.counts)
	store := usersdynamo.New(crashing, usersTable, table, h.days)
	owners, ledger := owners{users.NewIssuer(store, store.Keys)}, expirynoticesdynamo.New(crashing, credentialsTable)
	rotator := rotation.New(rotationsecrets.New(secrets), owners, table, rotation.Options{Overlap: overlap, Now: h.clock})
	return handler(rotator, expirynotices.New(expirynotices.Parts{
		Walk: ledger.Walk(), Ledger: ledger, Retries: ledger, Credentials: table, People: owners, Mailer: h.mailbox,
		BaseURL: "https://portal.example.com", Now: h.clock,
	}))
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (h *fixture) clock() time.Time { return h.now }

func (h *fixture) advance(t time.Duration) { h.now = h.now.Add(t) }

func (h *fixture) user(email string, role principal.Role) users.User {
	h.tb.Helper()
	created, err := h.users.Create(h.tb.Context(), users.CreateOptions{Caller: principal.Operator()},
		users.NewUser{Email: email, Name: "Ada <Lovelace>", Role: role})
	if err != nil {
		h.tb.Fatal(err)
	}
	return created.User
}

func (h *fixture) setStatus(status users.Status) {
	h.tb.Helper()
	_, err := h.users.Update(h.tb.Context(), principal.Operator(), versions.Target{ID: h.owner.ID},
		users.Change{Status: &status})
	if err != nil {
		h.tb.Fatal(err)
	}
}

// terms returns the terms of the secret.
func (h *fixture) terms() rotation.Terms {
	return rotation.Terms{OwnerID: h.owner.ID, Name: "acme pull", Scopes: []string{"read:docker-images:acme/*"}, Days: 90}
}

// createSecret creates the secret with the terms and without a token.
func (h *fixture) createSecret(terms rotation.Terms) {
	h.tb.Helper()
	_, err := h.secrets.CreateSecret(h.tb.Context(), &secretsmanager.CreateSecretInput{
		Name: &h.secret, SecretString: aws.String(rotation.Value{Terms: terms}.Text()),
	})
	if err != nil {
		h.tb.Fatal(err)
	}
}

// startRotation starts a rotation in Secrets Manager, or continues an unfinished one, and returns its version.
func (h *fixture) startRotation() string {
	h.tb.Helper()
	out, err := h.secrets.RotateSecret(h.tb.Context(), &secretsmanager.RotateSecretInput{
		SecretId: &h.secret, RotationLambdaARN: aws.String("arn:aws:lambda:us-east-1:000000000000:function:RotateTokensFunction"),
	})
	if err != nil {
		h.tb.Fatal(err)
	}
	return aws.ToString(out.VersionId)
}

func steps() []string { return []string{"createSecret", "setSecret", "testSecret", "finishSecret"} }

// step invokes the function as Secrets Manager does.
func (h *fixture) step(step, version string) error {
	h.tb.Helper()
	event, err := json.Marshal(rotation.Event{Step: step, SecretID: h.secret, Version: version})
	if err != nil {
		h.tb.Fatal(err)
	}
	_, err = h.handle(h.tb.Context(), event)
	return err
}

// rotate runs the steps until one fails.
func (h *fixture) rotate(version string) error {
	h.tb.Helper()
	for _, step := range steps() {
		if err := h.step(step, version); err != nil {
			return err
		}
	}
	return nil
}

func (h *fixture) mustRotate() {
	h.tb.Helper()
	if err := h.rotate(h.startRotation()); err != nil {
		h.tb.Fatal(err)
	}
}

// current returns the current value of the secret.
func (h *fixture) current() rotation.Value {
	h.tb.Helper()
	out, err := h.secrets.GetSecretValue(h.tb.Context(), &secretsmanager.GetSecretValueInput{SecretId: &h.secret})
	if err != nil {
		h.tb.Fatal(err)
	}
	value, err := rotation.ParseValue(aws.ToString(out.SecretString))
	if err != nil {
		h.tb.Fatal(err)
	}
	return value
}

func (h *fixture) isValid(text string) bool {
	h.tb.Helper()
	_, _, err := credentials.NewAuthenticator(h.table.Requests, 0, h.clock).Authenticate(h.tb.Context(), text, credentials.AccessToken)
	if err != nil && !errors.Is(err, credentials.ErrUnauthorized) {
		h.tb.Fatal(err)
	}
	return err == nil
}

// validTokens returns the owner's valid tokens.
func (h *fixture) validTokens() []credentials.Credential {
	h.tb.Helper()
	all, err := h.table.List(h.tb.Context(), h.owner.ID, credentials.AccessToken)
	if err != nil {
		h.tb.Fatal(err)
	}
	return slices.DeleteFunc(all, func(c credentials.Credential) bool { return !c.Works(h.now) })
}

// revokeAll revokes all valid tokens of the owner, so that the owner can have new ones.
func (h *fixture) revokeAll() {
	h.tb.Helper()
	store := tokensdynamo.New(h.client, h.table)
	for _, c := range h.validTokens() {
		c.RevokedAt, c.Reason = h.now, "test"
		if err := store.Revoke(h.tb.Context(), c); err != nil {
			h.tb.Fatal(err)
		}
	}
}

// tokenIDsInSecret returns the IDs of the tokens in all versions of the secret.
func (h *fixture) tokenIDsInSecret() []string {
	h.tb.Helper()
	vault := rotationsecrets.New(h.secrets)
	stages, err := vault.Versions(h.tb.Context(), h.secret)
	if err != nil {
		h.tb.Fatal(err)
	}
	var ids []string
	for _, version := range stages {
		text, err := vault.Value(h.tb.Context(), h.secret, version)
		if errors.Is(err, rotation.ErrNoValue) {
			continue
		}
		value, parseErr := rotation.ParseValue(text)
		if err := errors.Join(err, parseErr); err != nil {
			h.tb.Fatal(err)
		}
		ids = append(ids, value.TokenID)
	}
	return ids
}

// crash makes the function crash at one of its calls: this call and all later ones fail.
type crash struct {
	mu    sync.Mutex
	at    int  // number of the call; 0: no crash
	after bool // the call is still sent, but its response is lost
	calls int
	// during is what another process does before the next call, if that is the given one.
	during map[int]func()
}

var errCrashed = errors.New("crashed")

func (c *crash) set(at int, after bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.after, c.calls = at, after, 0
}

// overtake lets another process work before a call.
func (c *crash) overtake(at int, work func()) {
	c.set(0, false)
	c.during = map[int]func(){at: work}
}

func (c *crash) happened() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at > 0 && c.calls >= c.at
}

func (c *crash) next() (isRejected, isLost bool) {
	c.mu.Lock()
	c.calls++
	work := c.during[c.calls]
	delete(c.during, c.calls)
	c.mu.Unlock()
	if work != nil {
		work()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	crashed := c.at > 0 && c.calls >= c.at
	isSent := c.after && c.calls == c.at
	return crashed && !isSent, crashed
}

func (c *crash) install(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("crash", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (out middleware.InitializeOutput, metadata middleware.Metadata, err error) {
		isRejected, isLost := c.next()
		if isRejected {
			return out, metadata, errCrashed
		}
		out, metadata, err = next.HandleInitialize(ctx, in)
		if err == nil && isLost {
			return middleware.InitializeOutput{}, metadata, errCrashed
		}
		return out, metadata, err
	}), middleware.Before)
}

// mailbox is a mailer that keeps mails. It rejects mails to some addresses.
type mailbox struct {
	mu       sync.Mutex
	sent     []mail.Message
	rejected []string
	before   func() // runs before each mail is sent
}

func (p *mailbox) Send(_ context.Context, m mail.Message) error {
	if p.before != nil {
		p.before()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.rejected, m.To) {
		return errors.New("the address is not verified")
	}
	p.sent = append(p.sent, m)
	return nil
}

// take returns the mails since the last call.
func (p *mailbox) take() []mail.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	sent := p.sent
	p.sent = nil
	return sent
}
