package credentialsdynamo_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/transactions"
	"portside/shared/mail"
	"portside/shared/sessions"
	"portside/shared/sessions/passkeys"
	"portside/shared/sessions/passkeys/passkeysdynamo"
	"portside/shared/sessions/sessionsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/trust"
	"portside/shared/trust/trustdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// company is a customer with an admin and a colleague, beside an admin of the vendor's staff. It is in a table that
// other companies share.
type company struct {
	*fixture

	usersTable    string
	days          daycounts.Table
	now           time.Time // of the functions that create credentials
	id            string
	ada, bob, eve principal.Principal // eve is of the staff
	session       principal.Principal // of ada
	token         principal.Principal // of ada
	policy        trust.Policy
}

// creation is a way to a new credential.
type creation struct {
	// onBehalf is true if a credential of the customer creates it, which has authenticated before the end.
	onBehalf bool
	// create uses the given client, and returns whether the new credential works.
	create func(c *company, client *dynamodb.Client) (works func() bool, err error)
}

func creations() map[string]creation {
	key := func(caller, owner func(*company) principal.Principal) func(*company, *dynamodb.Client) (func() bool, error) {
		return func(c *company, client *dynamodb.Client) (func() bool, error) {
			people := c.people(client)
			issued, err := users.NewKeys(people, people.Keys, c.clock).Create(c.tb.Context(), caller(c), owner(c).UserID, users.NewKey{Name: "new"})
			return c.worksWith(issued.Secret), err
		}
	}
	token := func(caller func(*company) principal.Principal) func(*company, *dynamodb.Client) (func() bool, error) {
		return func(c *company, client *dynamodb.Client) (func() bool, error) {
			issued, err := c.tokens(client).Create(c.tb.Context(), caller(c), newToken())
			return c.worksWith(issued.Secret), err
		}
	}
	signIn := func(generation *int64) func(*company, *dynamodb.Client) (func() bool, error) {
		return func(c *company, client *dynamodb.Client) (func() bool, error) {
			signedIn, err := c.sessions(client).SignIn(c.tb.Context(), sessions.SignIn{UserID: c.ada.UserID, Generation: generation})
			return c.worksWith(signedIn.Secret), err
		}
	}
	ada, bob := func(c *company) principal.Principal { return c.ada }, func(c *company) principal.Principal { return c.bob }
	return map[string]creation{
		"an own key":            {true, key(ada, ada)},
		"a colleague's key":     {true, key(ada, bob)},
		"the staff's key":       {false, key(func(c *company) principal.Principal { return c.eve }, ada)},
		"the operator's key":    {false, key(func(*company) principal.Principal { return principal.Operator() }, ada)},
		"a token":               {true, token(ada)},
		"a renewal":             {true, token(func(c *company) principal.Principal { return c.token })},
		"a mailed sign-in":      {false, signIn(nil)},
		"a passkey's sign-in":   {true, signIn(new(int64))},
		"a passkey":             {true, (*company).registerPasskey},
		"a password":            {true, (*company).collect},
		"a workload's token":    {false, (*company).exchange},
		"the key of a new user": {false, (*company).activate},
	}
}

// An end comes before each call of each way to a new credential, while the clock of the function that creates it runs
// ahead or behind. What was created on behalf of a credential that has ended does not work after the end, nor does
// anything whose transaction came after it.
//
//proves:docs/security.md
func TestEndAndCreationsHaveAnOrder(t *testing.T) {
	s := newFixture(t)
	usersTable, days := awstest.Table(t, s.client, "UsersTable"), daycounts.In(awstest.Table(t, s.client, "AnalyticsTable"))
	for name, way := range creations() {
		for _, ahead := range []time.Duration{-time.Hour, time.Hour} {
			c := newCompany(s, usersTable, days)
			c.now = noon.Add(ahead)
			works, ended := c.endBefore(way, func(operation string, _ int) bool { return operation == "TransactWriteItems" })
			if !ended || works {
				t.Errorf("%s: an end before the transaction: %v; it works: %v; the clock differs by %v", name, ended, works, ahead)
			}
			for at, ended := 1, true; ended; at++ {
				c := newCompany(s, usersTable, days)
				c.now = noon.Add(ahead)
				works, ended = c.endBefore(way, func(_ string, call int) bool { return call == at })
				if ended && works && way.onBehalf {
					t.Errorf("%s works, after an end before call %d, with a clock that differs by %v", name, at, ahead)
				}
			}
		}
	}
}

// endBefore creates a credential, and lets an end come before the first call that isNext selects by its operation and
// number. Some reads run beside each other, so they can be in another order than the transaction.
func (c *company) endBefore(way creation, isNext func(operation string, call int) bool) (works, ended bool) {
	calls := 0
	isWorking, err := way.create(c, awstest.Faulty(c.client, func(operation string, _ int) error {
		if calls++; !ended && isNext(operation, calls) {
			c.end()
			ended = true
		}
		return nil
	}))
	return err == nil && isWorking(), ended
}

// Many requests create tokens with one key while all credentials of the customer end. None of the tokens works
// afterwards.
//
//proves:docs/security.md
func TestNoTokenSurvivesTheEnd(t *testing.T) {
	s := newFixture(t)
	c := newCompany(s, awstest.Table(t, s.client, "UsersTable"), daycounts.In(awstest.Table(t, s.client, "AnalyticsTable")))
	c.now = noon.Add(time.Hour)
	service := c.tokens(s.client)
	var made []credentials.Secret
	var mu sync.Mutex
	var requests sync.WaitGroup
	for range 4 {
		requests.Go(func() {
			for range 6 {
				issued, err := service.Create(t.Context(), c.ada, newToken())
				mu.Lock()
				if err == nil {
					made = append(made, issued.Secret)
				}
				isEnough := len(made) == 2
				mu.Unlock()
				if !isEnough {
					continue
				}
				if err := c.writeEnd(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	requests.Wait()
	for _, secret := range made {
		if c.worksWith(secret)() {
			t.Errorf("a token of %d works after the end", len(made))
		}
	}
	if len(made) < 2 {
		t.Errorf("only %d tokens were created", len(made))
	}
}

func newCompany(s *fixture, usersTable string, days daycounts.Table) *company {
	s.tb.Helper()
	c := &company{fixture: s, usersTable: usersTable, days: days, now: noon, id: uuid.Must(uuid.NewV7()).String()}
	if at := s.write(s.table.Customers.Add(c.id, customerstates.State{})); at != -1 {
		s.tb.Fatal("the customer exists already")
	}
	c.ada, c.bob, c.eve = c.caller(c.id), c.caller(c.id), c.caller("")
	signedIn, err := c.sessions(s.client).SignIn(s.tb.Context(), sessions.SignIn{UserID: c.ada.UserID})
	c.must(err)
	c.session = c.authenticated(signedIn.Secret)
	issued, err := c.tokens(s.client).Create(s.tb.Context(), c.ada, newToken())
	c.must(err)
	c.token = c.authenticated(issued.Secret)
	policies := trust.NewService(trustdynamo.New(s.client, s.table), newID, c.clock)
	created, err := policies.Create(s.tb.Context(), trust.CreateOptions{CustomerID: c.id, Caller: principal.Operator()}, trust.New{
		Name: "Builds", Issuer: "https://gitlab.example.com", Audience: "https://portside.example.com", MaxMinutes: 10,
		Conditions: []trust.Condition{{Claim: "sub", Values: []string{"project_path:acme/app:ref_type:branch:ref:main"}}},
		Scopes:     []principal.Scope{principal.ReadCharts},
	})
	c.must(err)
	c.policy = created.Policy
	return c
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func newToken() tokens.NewToken {
	return tokens.NewToken{Name: "new", Scopes: []principal.Scope{principal.ReadCharts}, Days: 1}
}

func (c *company) clock() time.Time { return c.now }

func (c *company) must(err error) {
	c.tb.Helper()
	if err != nil {
		c.tb.Fatal(err)
	}
}

// end ends all credentials. Its clock says noon.
func (c *company) end() {
	c.tb.Helper()
	c.must(c.writeEnd())
}

func (c *company) writeEnd() error {
	return transactions.Write(c.tb.Context(), c.client, []types.TransactWriteItem{c.table.Customers.EndCredentials(c.id, noon)})
}

func (c *company) on(client *dynamodb.Client) *credentialsdynamo.Table {
	return credentialsdynamo.New(client, c.table.Name(), c.counts)
}

func (c *company) people(client *dynamodb.Client) *usersdynamo.Store {
	return usersdynamo.New(client, c.usersTable, c.on(client), c.days)
}

func (c *company) tokens(client *dynamodb.Client) *tokens.Service {
	return tokens.NewService(tokensdynamo.New(client, c.on(client)), c.people(client).People, tokens.MaxDays, c.clock)
}

func (c *company) sessions(client *dynamodb.Client) *sessions.Service {
	store := sessionsdynamo.New(client, c.on(client), c.people(client).People)
	return sessions.NewService(sessions.Dependencies{
		Requests: store, Sessions: store, Credentials: c.on(client), People: c.people(client).People, Now: c.clock,
	})
}

// caller returns a new user with an API key, after authentication.
func (c *company) caller(customerID string) principal.Principal {
	c.tb.Helper()
	id, people := newID(), c.people(c.client)
	created, err := people.Create(c.tb.Context(), users.Creation{User: users.User{
		ID: id, Email: id + "@example.com", Name: "Ada", CustomerID: customerID, Role: principal.Admin, Status: users.Active,
		Metadata: []byte("{}"), CreatedAt: noon,
	}})
	c.must(err)
	keys := users.NewKeys(people, people.Keys, c.clock)
	key, err := keys.Create(c.tb.Context(), principal.Operator(), created.User.ID, users.NewKey{Name: "test"})
	c.must(err)
	return c.authenticated(key.Secret)
}

func (c *company) authenticate(secret credentials.Secret) (principal.Principal, error) {
	auth := credentials.NewAuthenticator(c.on(c.client).Requests, 0, func() time.Time { return noon })
	who, _, err := auth.Authenticate(c.tb.Context(), secret.Reveal(), secret.Kind())
	return who, err
}

func (c *company) authenticated(secret credentials.Secret) principal.Principal {
	c.tb.Helper()
	who, err := c.authenticate(secret)
	c.must(err)
	return who
}

func (c *company) worksWith(secret credentials.Secret) func() bool {
	return func() bool {
		_, err := c.authenticate(secret)
		return err == nil
	}
}

func (c *company) registerPasskey(client *dynamodb.Client) (func() bool, error) {
	ctx, store := c.tb.Context(), passkeysdynamo.New(client, c.on(client))
	set, err := store.Set(ctx, c.ada.UserID)
	c.must(err)
	passkey := passkeys.Passkey{
		ID: newID(), Key: passkeys.Key{CredentialID: []byte(c.id)}, CustomerID: c.id, Generation: c.session.Generation, CreatedAt: c.now,
	}
	works := func() bool {
		set, err := passkeysdynamo.New(c.client, c.table).Set(context.WithoutCancel(ctx), c.ada.UserID)
		c.must(err)
		return slices.ContainsFunc(set.Passkeys, func(p passkeys.Passkey) bool { return p.ID == passkey.ID })
	}
	return works, store.Add(ctx, set, passkey, c.session.Credential())
}

func (c *company) exchange(client *dynamodb.Client) (func() bool, error) {
	secret := credentials.Mint(credentials.AccessToken)
	token := credentials.Credential{
		ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Name: "new", Exchanged: true,
		Owner:  credentials.Owner{ID: c.policy.ID, CustomerID: c.id, Active: true},
		Scopes: []string{string(principal.ReadCharts)}, CreatedAt: c.now, ExpiresAt: noon.Add(2 * time.Hour),
	}
	of := trust.Exchanged{Hash: c.id, ExpiresAt: noon.Add(2 * time.Hour)}
	return c.worksWith(secret), trustdynamo.New(client, c.on(client)).Issue(c.tb.Context(), c.policy, token, of)
}

// collect uses the mailed link of an approved request for a password.
func (c *company) collect(client *dynamodb.Client) (func() bool, error) {
	box := &inbox{}
	requests := func(client *dynamodb.Client) *credentialrequests.Service {
		people := c.people(client)
		return credentialrequests.NewService(credentialrequests.Parts{
			Store: credentialrequestsdynamo.New(client, c.on(client), people.People), Credentials: c.on(client), People: people.People,
			Mailer: box, NewID: newID, Now: func() time.Time { return noon },
		})
	}
	ctx, wanted := c.tb.Context(), credentialrequests.New{Level: credentialrequests.Charts, Justification: "new"}
	created, err := requests(c.client).Create(ctx, c.session, "https://portal.example.com", wanted)
	c.must(err)
	_, err = requests(c.client).Decide(ctx, c.eve, credentialrequests.Decision{ID: created.Request.ID, Approve: true})
	c.must(err)
	_, link, _ := strings.Cut(box.last.Text, "/portal/collect#")
	password, err := requests(client).Collect(ctx, strings.Fields(link)[0])
	return func() bool {
		auth := credentials.NewAuthenticator(c.on(c.client).Requests, 0, func() time.Time { return noon })
		_, _, err := auth.AuthenticateBasic(ctx, password.Username, password.Secret.Reveal())
		return err == nil
	}, err
}

// inbox keeps the last mail.
type inbox struct{ last mail.Message }

// Send implements credentialrequests.Mailer.
func (b *inbox) Send(_ context.Context, message mail.Message) error {
	b.last = message
	return nil
}

// activate uses an activation link, which never ends with the customer.
func (c *company) activate(client *dynamodb.Client) (func() bool, error) {
	id, link := newID(), credentials.Mint(credentials.Link)
	user := users.User{
		ID: id, Email: id + "@example.com", Name: "Bob", CustomerID: c.id, Role: principal.User, Status: users.Pending,
		Metadata: []byte("{}"), CreatedAt: noon, LinkID: link.ID(),
	}
	_, err := c.people(c.client).Create(c.tb.Context(), users.Creation{User: user, Invitation: &users.Invitation{Link: credentials.Credential{
		ID: link.ID(), Kind: credentials.Link, Hash: link.Hash(), Name: credentials.ActivationLink, Owner: credentials.OwnerOf(user.Person()),
		CreatedAt: noon, ExpiresAt: noon.Add(2 * time.Hour),
	}}})
	c.must(err)
	activated, err := users.NewInviter(c.people(client).Invitations, nil, c.clock).Activate(c.tb.Context(), link.Reveal())
	return c.worksWith(activated.Key), err
}
