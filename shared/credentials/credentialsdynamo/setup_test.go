package credentialsdynamo_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
)

// noon is not near a boundary: no step of LastUseResolution ends in the next 90
// seconds.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// fixture is a credentials table in a real engine, with a meter.
type fixture struct {
	tb     testing.TB
	client *dynamodb.Client
	meter  *awstest.Meter
	table  *credentialsdynamo.Table
	counts string // the name of the table of request counts
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	s := &fixture{tb: tb}
	s.client, s.meter = awstest.Metered(awstest.DynamoDB(tb))
	s.counts = awstest.Table(tb, s.client, "RequestCountsTable")
	s.table = credentialsdynamo.New(s.client, awstest.Table(tb, s.client, "CredentialsTable"), s.counts)
	return s
}

const (
	owner      = "0199aaaa-0000-7000-8000-000000000001"
	otherOwner = "0199aaaa-0000-7000-8000-000000000002"
)

// minted returns a token with all fields set, valid for 90 days.
func minted() (credentials.Credential, credentials.Secret) {
	secret := credentials.Mint(credentials.AccessToken)
	return credentials.Credential{
		ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Name: "build pipeline of the north",
		Owner:  credentials.Owner{ID: owner, Role: principal.Manager, Active: true},
		Scopes: []string{"read:docker-images:acme/*", "read:helm-charts"}, RotatedFrom: "3vQB7B6MrGQZ",
		Makers:    []principal.Maker{{UserID: owner, CredentialID: "3vQB7B6MrGQA"}, {UserID: otherOwner, CredentialID: "3vQB7B6MrGQB"}},
		CreatedAt: noon, ExpiresAt: noon.AddDate(0, 0, 90),
	}, secret
}

// write runs a transaction and returns the position of the write that failed, or -1.
func (s *fixture) write(writes ...types.TransactWriteItem) int {
	s.tb.Helper()
	err := transactions.Write(s.tb.Context(), s.client, writes)
	if at, failed := transactions.FailedAt(err); failed {
		return at
	}
	if err != nil {
		s.tb.Fatal(err)
	}
	return -1
}

// issue stores a credential with its tally.
func (s *fixture) issue(c credentials.Credential) int {
	s.tb.Helper()
	return s.write(append(s.table.Writes.Issue(c), s.table.Writes.Tally(c.Owner.ID, credentialsdynamo.Change{Issued: 1}))...)
}

// issued stores a new token.
func (s *fixture) issued() (credentials.Credential, credentials.Secret) {
	s.tb.Helper()
	c, secret := minted()
	if at := s.issue(c); at != -1 {
		s.tb.Fatalf("write %d failed", at)
	}
	return c, secret
}

func (s *fixture) get(id string) credentials.Credential {
	s.tb.Helper()
	found, err := s.table.Get(s.tb.Context(), id)
	if err != nil {
		s.tb.Fatal(err)
	}
	return found
}

// use counts a request and returns the number of requests in its minute.
func (s *fixture) use(secret credentials.Secret, at time.Time) int {
	s.tb.Helper()
	_, used, err := s.table.Requests.CountRequest(s.tb.Context(), secret, at)
	if err != nil {
		s.tb.Fatal(err)
	}
	return used
}

// countItems returns all items of the table of request counts.
func (s *fixture) countItems() []items.Map {
	s.tb.Helper()
	out, err := s.client.Scan(s.tb.Context(), &dynamodb.ScanInput{TableName: &s.counts})
	if err != nil {
		s.tb.Fatal(err)
	}
	return out.Items
}

// counters returns the number of minute counters of the only credential.
func (s *fixture) counters() (n int) {
	s.tb.Helper()
	for _, item := range s.countItems() {
		for name := range item {
			if name[0] == 'm' {
				n++
			}
		}
	}
	return n
}

// lastUse returns the last use of the owner's credential with this id, from the list.
func (s *fixture) lastUse(id string) time.Time {
	s.tb.Helper()
	all, err := s.table.ListWithUses(s.tb.Context(), owner, credentials.AccessToken, credentials.APIKey, credentials.Session)
	if err != nil {
		s.tb.Fatal(err)
	}
	at := slices.IndexFunc(all, func(c credentials.Credential) bool { return c.ID == id })
	if at < 0 {
		s.tb.Fatalf("%s is not in the list", id)
	}
	return all[at].LastUsedAt
}
