package passkeys_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/transactions"
	"portside/shared/mail"
	"portside/shared/sessions/passkeys"
	"portside/shared/sessions/passkeys/passkeysdynamo"
	"portside/shared/sessions/passkeys/passkeyswebauthn"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/passkeytest"
	"portside/shared/testkit/webtest"
)

// site is where the tests' passkeys belong.
var site = passkeys.Site{ID: "portal.example.com", Origin: "https://portal.example.com"}

// fixture is a Service on a table in a real engine, with the library that verifies responses.
type fixture struct {
	tb      testing.TB
	client  *dynamodb.Client
	table   *credentialsdynamo.Table
	store   *passkeysdynamo.Store
	clock   *webtest.Clock
	service *passkeys.Service
	ada     principal.Principal
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	f := &fixture{tb: tb, client: awstest.DynamoDB(tb), clock: webtest.NewClock(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))}
	f.table = credentialsdynamo.New(
		f.client, awstest.Table(tb, f.client, "CredentialsTable"), awstest.Table(tb, f.client, "RequestCountsTable"))
	f.store = passkeysdynamo.New(f.client, f.table)
	f.service = f.on(f.store)
	f.ada = f.caller()
	return f
}

// on returns the service on a store.
func (f *fixture) on(store *passkeysdynamo.Store) *passkeys.Service {
	return passkeys.NewService(passkeys.Dependencies{
		Store: store, Challenges: store, People: everybody{}, Mailer: nowhere{}, Verifier: passkeyswebauthn.Verifier{},
		NewID: newID, Now: f.clock.Now,
	})
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// everybody is a directory in which every id belongs to a user.
type everybody struct{}

// Person implements passkeys.People.
func (everybody) Person(_ context.Context, id string) (principal.Person, error) {
	return principal.Person{ID: id, Email: "ada@example.com", Name: "Ada", Active: true}, nil
}

// nowhere is a mailer whose messages do not arrive.
type nowhere struct{}

// Send implements passkeys.Mailer.
func (nowhere) Send(context.Context, mail.Message) error { return nil }

// caller returns a new user with a session.
func (f *fixture) caller() principal.Principal {
	f.tb.Helper()
	owner := credentials.Owner{ID: newID(), Role: principal.User, Active: true}
	_, session := credentials.NewSession(owner, "test", f.clock.Now())
	writes := append(f.table.Writes.Issue(session), f.table.Writes.Tally(owner.ID, credentialsdynamo.Change{Sessions: 1}))
	if err := transactions.Write(f.tb.Context(), f.client, writes); err != nil {
		f.tb.Fatal(err)
	}
	return principal.Principal{UserID: owner.ID, Role: principal.User, CredentialID: session.ID, SessionID: session.ID}
}

// authenticator returns an authenticator on the site.
func (f *fixture) authenticator() *passkeytest.Authenticator {
	f.tb.Helper()
	return passkeytest.New(f.tb, site.Origin, site.ID)
}

// creationOptions begins a registration.
func (f *fixture) creationOptions(caller principal.Principal) json.RawMessage {
	f.tb.Helper()
	options, err := f.service.BeginRegistration(f.tb.Context(), caller, site)
	if err != nil {
		f.tb.Fatal(err)
	}
	user := base64.RawURLEncoding.EncodeToString(passkeyswebauthn.UserHandle(options.Person.ID))
	return json.RawMessage(fmt.Sprintf(`{"challenge":%q,"user":{"id":%q}}`,
		base64.RawURLEncoding.EncodeToString(options.Challenge), user))
}

// register registers the authenticator's passkey for a caller.
func (f *fixture) register(caller principal.Principal, a *passkeytest.Authenticator) (passkeys.Passkey, error) {
	f.tb.Helper()
	response := a.Create(f.tb, f.creationOptions(caller))
	return f.service.Register(f.tb.Context(), caller, site, passkeys.New{Name: "laptop", Response: response})
}

// registered registers a new passkey of ada.
func (f *fixture) registered() *passkeytest.Authenticator {
	f.tb.Helper()
	a := f.authenticator()
	if _, err := f.register(f.ada, a); err != nil {
		f.tb.Fatal(err)
	}
	return a
}

// requestOptions begins a sign-in.
func (f *fixture) requestOptions() json.RawMessage {
	f.tb.Helper()
	challenge, err := f.service.BeginSignIn(f.tb.Context())
	if err != nil {
		f.tb.Fatal(err)
	}
	return json.RawMessage(fmt.Sprintf(`{"challenge":%q}`, base64.RawURLEncoding.EncodeToString(challenge)))
}

// signIn signs in with an authenticator.
func (f *fixture) signIn(a *passkeytest.Authenticator) (string, error) {
	f.tb.Helper()
	proved, err := f.service.SignIn(f.tb.Context(), site, a.Get(f.tb, f.requestOptions()))
	return proved.UserID, err
}

// list returns ada's passkeys.
func (f *fixture) list() []passkeys.Passkey {
	f.tb.Helper()
	all, err := f.service.List(f.tb.Context(), f.ada)
	if err != nil {
		f.tb.Fatal(err)
	}
	return all
}
