package credentialrequests_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/mail"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// fixture is the service on a real engine with real users. The test controls the clock and the mailer.
type fixture struct {
	tb               testing.TB
	client           *dynamodb.Client
	usersTable       string
	table, counts    string
	days             daycounts.Table
	now              time.Time
	mailer           *testMailer
	ada, grace, joan principal.Principal // a viewer and two admins
	users            *users.Service
	service          *credentialrequests.Service // on a client without faults
	credentials      *credentialsdynamo.Table
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	o := &fixture{
		tb: tb, client: client, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), mailer: &testMailer{},
		usersTable: awstest.Table(tb, client, "UsersTable"), table: awstest.Table(tb, client, "CredentialsTable"),
		counts: awstest.Table(tb, client, "RequestCountsTable"),
		days:   daycounts.In(awstest.Table(tb, client, "AnalyticsTable")),
	}
	o.credentials = credentialsdynamo.New(client, o.table, o.counts)
	o.service = o.on(client)
	people := usersdynamo.New(client, o.usersTable, o.credentials, o.days)
	o.users = users.NewService(people, nil, newID, o.clock)
	keys := users.NewKeys(people, people.Keys, o.clock)
	for _, p := range []struct {
		email string
		role  principal.Role
		who   *principal.Principal
	}{
		{"grace@example.com", principal.Admin, &o.grace},
		{"joan@example.com", principal.Admin, &o.joan},
		{"ada@example.com", principal.Viewer, &o.ada},
	} {
		created, err := o.users.Create(tb.Context(), users.CreateOptions{Caller: principal.Operator()},
			users.NewUser{Email: p.email, Name: p.email, Role: p.role})
		if err != nil {
			tb.Fatal(err)
		}
		key, err := keys.Create(tb.Context(), principal.Operator(), created.User.ID, users.NewKey{Name: "test"})
		if err != nil {
			tb.Fatal(err)
		}
		*p.who = principal.Principal{UserID: created.User.ID, Role: p.role, CredentialID: key.Key.ID}
	}
	return o
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (o *fixture) clock() time.Time { return o.now }

// on returns the service on another client, as in another process.
func (o *fixture) on(client *dynamodb.Client) *credentialrequests.Service {
	table := credentialsdynamo.New(client, o.table, o.counts)
	people := usersdynamo.New(client, o.usersTable, table, o.days)
	return credentialrequests.NewService(credentialrequests.Parts{
		Store: credentialrequestsdynamo.New(client, table, people.People), Credentials: table, People: people.People,
		Mailer: o.mailer, NewID: newID, Now: o.clock,
	})
}

const base = "https://portal.example.com"

// request creates a request of Ada.
func (o *fixture) request() credentialrequests.Request {
	o.tb.Helper()
	input := credentialrequests.New{Level: credentialrequests.Charts, Justification: "why not"}
	made, err := o.service.Create(o.tb.Context(), o.ada, base, input)
	if err != nil {
		o.tb.Fatal(err)
	}
	return made.Request
}

// decide decides as Grace.
func (o *fixture) decide(id string, approve bool) {
	o.tb.Helper()
	_, err := o.service.Decide(o.tb.Context(), o.grace,
		credentialrequests.Decision{ID: id, Approve: approve, BaseURL: base})
	if err != nil {
		o.tb.Fatal(err)
	}
}

func (o *fixture) get(id string) credentialrequests.Request {
	o.tb.Helper()
	found, err := o.service.Get(o.tb.Context(), o.grace, id)
	if err != nil {
		o.tb.Fatal(err)
	}
	return found
}

// wait advances the clock and runs the schedule, which must take the given number of steps without an error.
func (o *fixture) wait(d time.Duration, steps int) {
	o.tb.Helper()
	o.now = o.now.Add(d)
	if done, err := o.service.TakeDue(o.tb.Context()); done != steps || err != nil {
		o.tb.Fatalf("%d steps, %v; want %d", done, err, steps)
	}
}

// works reports whether a password is accepted.
func (o *fixture) works(p credentialrequests.Password) bool {
	auth := credentials.NewAuthenticator(o.credentials.Requests, 0, o.clock)
	_, _, err := auth.AuthenticateBasic(o.tb.Context(), p.Username, p.Secret.Reveal())
	return err == nil
}

// testMailer is a mailer that keeps all mails. It fails for the addresses in rejectedAddresses.
type testMailer struct {
	mu                sync.Mutex
	sent              []mail.Message
	rejected          []mail.Message
	rejectedAddresses []string
}

// Send implements credentialrequests.Mailer.
func (b *testMailer) Send(_ context.Context, m mail.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.Contains(b.rejectedAddresses, m.To) {
		b.rejected = append(b.rejected, m)
		return errors.New("the mail server rejects this address")
	}
	b.sent = append(b.sent, m)
	return nil
}

// recipients returns the recipients of all mails, in order.
func (b *testMailer) recipients() []string {
	var all []string
	for _, m := range b.sent {
		all = append(all, m.To)
	}
	return all
}

// newestLink returns the token in the last mail that has one, or an empty text.
func newestLink(sent []mail.Message) string {
	for _, m := range slices.Backward(sent) {
		if _, rest, found := strings.Cut(m.Text, base+"/portal/collect#"); found {
			return strings.Fields(rest)[0]
		}
	}
	return ""
}
