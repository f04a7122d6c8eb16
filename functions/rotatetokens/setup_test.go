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
	"portside/shared/expirynotices"
	"portside/shared/expirynotices/expirynoticesdynamo"
	"portside/shared/mail"
	"portside/shared/rotation"
	"portside/shared/rotation/rotationsecrets"
	"portside/shared/testkit/awstest"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

const overlap = 7 * 24 * time.Hour

// harbour is the function on real engines, with the clock, the mail and the moment of a crash in the test's hands.
type harbour struct {
	tb      testing.TB
	now     time.Time
	post    *post
	crash   *crash
	secrets *secretsmanager.Client // without crashes, as are the next four
	client  *dynamodb.Client
	table   *credentialsdynamo.Table
	users   *users.Service
	store   *usersdynamo.Store
	days    daycounts.Table
	handle  func(context.Context, json.RawMessage) (answer, error)
	owner   users.User
	secret  string // name
}

func newHarbour(tb testing.TB) *harbour {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	h := &harbour{
		tb: tb, now: time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC), post: &post{}, crash: &crash{}, secrets: awstest.SecretsManager(tb),
		secret: "portside/acme", client: client,
	}
	credentialsTable, usersTable := awstest.Table(tb, client, "CredentialsTable"), awstest.Table(tb, client, "UsersTable")
	h.table, h.days = credentialsdynamo.New(client, credentialsTable), daycounts.In(awstest.Table(tb, client, "AnalyticsTable"))
	h.store = usersdynamo.New(client, usersTable, h.table, h.days)
	h.users = users.NewService(h.store, users.NewInviter(h.store, h.post, h.clock), newID, h.clock)
	h.handle = h.assemble(client, credentialsTable, usersTable)
	h.user("root@example.com", principal.Admin)
	h.owner = h.user("ada@example.com", principal.User)
	return h
}

// assemble wires the function as main does, over clients that crash when they are told to.
func (h *harbour) assemble(
	client *dynamodb.Client, credentialsTable, usersTable string,
) func(context.Context, json.RawMessage) (answer, error) {
	mortal := dynamodb.New(client.Options(), func(o *dynamodb.Options) { o.APIOptions = append(o.APIOptions, h.crash.install) })
	secrets := secretsmanager.New(h.secrets.Options(), func(o *secretsmanager.Options) {
		o.APIOptions = append(o.APIOptions, h.crash.install)
	})
	table := credentialsdynamo.New(mortal, credentialsTable)
	store := usersdynamo.New(mortal, usersTable, table, h.days)
	owners, ledger := owners{store, store}, expirynoticesdynamo.New(mortal, credentialsTable)
	rotator := rotation.New(rotationsecrets.New(secrets), owners, table, rotation.Options{Overlap: overlap, Now: h.clock})
	return handler(rotator, expirynotices.New(expirynotices.Parts{
		Lock: ledger, Ledger: ledger, Credentials: table, People: owners, Mailer: h.post,
		BaseURL: "https://portal.example.com", Now: h.clock,
	}))
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (h *harbour) clock() time.Time { return h.now }

func (h *harbour) pass(t time.Duration) { h.now = h.now.Add(t) }

func (h *harbour) user(email string, role principal.Role) users.User {
	h.tb.Helper()
	created, err := h.users.Create(h.tb.Context(), users.CreateOptions{Caller: principal.Operator()},
		users.NewUser{Email: email, Name: "Ada <Lovelace>", Role: role})
	if err != nil {
		h.tb.Fatal(err)
	}
	return created.User
}

func (h *harbour) setStatus(status users.Status) {
	h.tb.Helper()
	_, err := h.users.Update(h.tb.Context(), principal.Operator(), versions.Target{ID: h.owner.ID}, users.Change{Status: &status})
	if err != nil {
		h.tb.Fatal(err)
	}
}

// terms are those of the secret that manage makes.
func (h *harbour) terms() rotation.Terms {
	return rotation.Terms{OwnerID: h.owner.ID, Name: "acme pull", Scopes: []string{"read:docker-images:acme/*"}, Days: 90}
}

// manage makes the secret with terms alone.
func (h *harbour) manage(terms rotation.Terms) {
	h.tb.Helper()
	_, err := h.secrets.CreateSecret(h.tb.Context(), &secretsmanager.CreateSecretInput{
		Name: &h.secret, SecretString: aws.String(rotation.Value{Terms: terms}.Text()),
	})
	if err != nil {
		h.tb.Fatal(err)
	}
}

// begin has Secrets Manager stage a version for a rotation, or return the one that is unfinished.
func (h *harbour) begin() string {
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
func (h *harbour) step(step, version string) error {
	h.tb.Helper()
	event, err := json.Marshal(rotation.Event{Step: step, SecretID: h.secret, Version: version})
	if err != nil {
		h.tb.Fatal(err)
	}
	_, err = h.handle(h.tb.Context(), event)
	return err
}

// rotate takes all steps until one fails.
func (h *harbour) rotate(version string) error {
	h.tb.Helper()
	for _, step := range steps() {
		if err := h.step(step, version); err != nil {
			return err
		}
	}
	return nil
}

func (h *harbour) mustRotate() {
	h.tb.Helper()
	if err := h.rotate(h.begin()); err != nil {
		h.tb.Fatal(err)
	}
}

// current returns what clients read.
func (h *harbour) current() rotation.Value {
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

func (h *harbour) works(text string) bool {
	h.tb.Helper()
	_, _, err := credentials.NewAuthenticator(h.table, 0, h.clock).Authenticate(h.tb.Context(), text, credentials.AccessToken)
	if err != nil && !errors.Is(err, credentials.ErrUnauthorized) {
		h.tb.Fatal(err)
	}
	return err == nil
}

// issued returns the owner's tokens that work.
func (h *harbour) issued() []credentials.Credential {
	h.tb.Helper()
	all, err := h.table.List(h.tb.Context(), h.owner.ID, credentials.AccessToken)
	if err != nil {
		h.tb.Fatal(err)
	}
	return slices.DeleteFunc(all, func(c credentials.Credential) bool { return !c.Works(h.now) })
}

// revokeAll makes room for other tokens of the owner.
func (h *harbour) revokeAll() {
	h.tb.Helper()
	store := tokensdynamo.New(h.client, h.table)
	for _, c := range h.issued() {
		c.RevokedAt, c.Reason = h.now, "test"
		if err := store.Revoke(h.tb.Context(), c); err != nil {
			h.tb.Fatal(err)
		}
	}
}

// known returns the ids of all tokens in the secret's versions.
func (h *harbour) known() []string {
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

// crash ends the function at one of its calls: that call and all later ones fail.
type crash struct {
	mu    sync.Mutex
	at    int  // number of the call; 0: never
	after bool // the call itself still takes place, but its answer is lost
	calls int
}

var errCrashed = errors.New("crashed")

func (c *crash) set(at int, after bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.after, c.calls = at, after, 0
}

func (c *crash) happened() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at > 0 && c.calls >= c.at
}

func (c *crash) next() (refuse, lose bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	crashed := c.at > 0 && c.calls >= c.at
	takesPlace := c.after && c.calls == c.at
	return crashed && !takesPlace, crashed
}

func (c *crash) install(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("crash", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (out middleware.InitializeOutput, metadata middleware.Metadata, err error) {
		refuse, lose := c.next()
		if refuse {
			return out, metadata, errCrashed
		}
		out, metadata, err = next.HandleInitialize(ctx, in)
		if err == nil && lose {
			return middleware.InitializeOutput{}, metadata, errCrashed
		}
		return out, metadata, err
	}), middleware.Before)
}

// post keeps mails, and refuses those to some addresses.
type post struct {
	mu      sync.Mutex
	sent    []mail.Message
	refused []string
	before  func() // runs before each mail is taken
}

func (p *post) Send(_ context.Context, m mail.Message) error {
	if p.before != nil {
		p.before()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.refused, m.To) {
		return errors.New("the address is not verified")
	}
	p.sent = append(p.sent, m)
	return nil
}

// take returns what was sent since the last call.
func (p *post) take() []mail.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	sent := p.sent
	p.sent = nil
	return sent
}
