package trust_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/trust"
	"portside/shared/trust/trustdynamo"
	"portside/shared/trust/trustoidc"
	"portside/testclient/workloadtest"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

const (
	acme  = "0199cccc-0000-7000-8000-000000000001"
	other = "0199cccc-0000-7000-8000-000000000002"
	gone  = "0199cccc-0000-7000-8000-000000000003"

	issuer   = "https://token.actions.githubusercontent.com"
	audience = "https://portside.example.com"
)

var staff = principal.Principal{UserID: "root", Role: principal.Admin}

// fixture is the services on a table with the customers acme and other, a meter of their calls, and the key of an
// issuer.
type fixture struct {
	*trust.Service
	*trust.Exchanger

	t      *testing.T
	client *dynamodb.Client
	table  *credentialsdynamo.Table
	meter  *awstest.Meter
	key    workloadtest.Key
	now    time.Time
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	client, meter := awstest.Metered(awstest.DynamoDB(t))
	f := &fixture{t: t, client: client, meter: meter, now: noon, key: workloadtest.NewKey("1", "ES256")}
	f.table = credentialsdynamo.New(client, awstest.Table(t, client, "CredentialsTable"), awstest.Table(t, client, "RequestCountsTable"))
	f.table.Audited(audittest.Log(t, client))
	f.Service = trust.NewService(f.store(), func() string { return uuid.Must(uuid.NewV7()).String() }, func() time.Time { return f.now })
	f.Exchanger = f.exchangerOn(f.store())
	for _, id := range []string{acme, other} {
		f.write(f.table.Customers.Add(id, customerstates.State{}))
	}
	return f
}

func (f *fixture) store() *trustdynamo.Store { return trustdynamo.New(f.client, f.table) }

func (f *fixture) exchangerOn(store trust.ExchangeStore) *trust.Exchanger {
	now := func() time.Time { return f.now }
	return trust.NewExchanger(store, trustoidc.New(now), now)
}

func (f *fixture) write(writes ...types.TransactWriteItem) {
	f.t.Helper()
	if err := transactions.Write(f.t.Context(), f.client, writes); err != nil {
		f.t.Fatal(err)
	}
}

// github returns the input for a policy that trusts the branch main of acme/app.
func (f *fixture) github() trust.New {
	return trust.New{
		Name: "Builds", Issuer: issuer, Audience: audience, Keys: workloadtest.KeySet(f.key),
		Conditions: []trust.Condition{{Claim: "sub", Values: []string{"repo:acme/app:ref:refs/heads/*"}}},
		Scopes:     []principal.Scope{principal.ReadCharts, principal.ReadImages + ":acme/*"},
	}
}

func (f *fixture) tryCreate(customerID, key string, input trust.New) (trust.Created, error) {
	return f.Create(f.t.Context(), trust.CreateOptions{Caller: staff, CustomerID: customerID, IdempotencyKey: key}, input)
}

func (f *fixture) create(input trust.New) trust.Policy {
	f.t.Helper()
	created, err := f.tryCreate(acme, "", input)
	if err != nil {
		f.t.Fatal(err)
	}
	return created.Policy
}

func (f *fixture) list() []trust.Policy {
	f.t.Helper()
	all, err := f.List(f.t.Context(), staff, acme)
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}

// token returns a token of a job of GitHub, issued now.
func (f *fixture) token() string { return f.key.Sign(workloadtest.GitHub(issuer, audience, f.now)) }

// tokenOf returns the token of a job with a number.
func (f *fixture) tokenOf(job int) string {
	return f.key.Sign(workloadtest.With(workloadtest.GitHub(issuer, audience, f.now), "jti", strconv.Itoa(job)))
}

func (f *fixture) exchange(policyID, token string, scopes ...principal.Scope) (trust.Issued, error) {
	return f.Exchange(f.t.Context(),
		trust.Request{PolicyID: policyID, Token: token, Scopes: scopes, Network: "203.0.113.9"})
}

// authenticate sends a secret as a request does.
func (f *fixture) authenticate(secret credentials.Secret) (principal.Principal, error) {
	auth := credentials.NewAuthenticator(f.table.Requests, 0, func() time.Time { return f.now })
	who, _, err := auth.Authenticate(f.t.Context(), secret.Reveal(), credentials.AccessToken)
	return who, err
}

// target returns a policy of acme in any version.
func target(id string) trust.Target {
	return trust.Target{Target: versions.Target{ID: id}, CustomerID: acme}
}

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func wantInvalid(t *testing.T, err error, pointer string) {
	t.Helper()
	if refused := fault.As(err); refused == nil || len(refused.Fields) != 1 || refused.Fields[0].Pointer != pointer {
		t.Errorf("error %v, want one failure at %s", err, pointer)
	}
}
