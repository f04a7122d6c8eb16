package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/core/audit"
	"portside/shared/core/calendar"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/customers"
	"portside/shared/customers/customersdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/transactions"
	"portside/shared/projects"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/trust"
	"portside/shared/trust/trustdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

var update = flag.Bool("update", false, "write operations.json")

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// runs is how often an operation is measured, each time on other objects.
const runs = 3

// TestOperationsAreMeasured compares operations.json with the stores. A quarter more or less is still a good
// measurement.
func TestOperationsAreMeasured(t *testing.T) {
	s := newStores(t)
	measured := []profile{
		s.measure(recordBatch, s.recordBatch), s.measure(countWindow, s.countWindow), s.measure(authenticate, s.authenticate),
		s.measure(authorize, s.authorize),
		s.measure(getUser, s.getUser), s.measure(listUsers, s.listUsers), s.measure(createUser, s.createUser),
		s.measure(createToken, s.createToken), s.measure(newProject, s.createProject), s.measure(dashboard, s.dashboard),
		s.measure(exchange, s.exchange),
	}
	if *update {
		writeProfiles(t, measured)
		return
	}
	stored, err := os.ReadFile("operations.json")
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := parseProfiles(stored)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range measured {
		t.Run(p.Operation, func(t *testing.T) {
			gotRead, gotWrite := p.units()
			wantRead, wantWrite := profiles[p.Operation].units()
			for _, units := range [][2]float64{{gotRead, wantRead}, {gotWrite, wantWrite}} {
				if got, want := units[0], units[1]; got > 1.25*want+1 || got < 0.75*want-1 {
					t.Errorf("%s takes %.4g units, but operations.json has %.4g; run `make capacity`", p.Operation, got, want)
				}
			}
		})
	}
}

func writeProfiles(t *testing.T, all []profile) {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(all); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("operations.json", out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// stores are the real stores on the engine.
type stores struct {
	*testing.T
	client *dynamodb.Client
	tables map[string]string // the names in the engine
	people []users.User
	keys   []credentials.Secret
	trusts []trust.Policy
}

func newStores(t *testing.T) *stores {
	t.Helper()
	s := &stores{T: t, client: awstest.DynamoDB(t), tables: map[string]string{}}
	for _, table := range []string{
		"AnalyticsTable", "AuditTable", "CredentialsTable", "CustomersTable", "ProjectsTable", "PullsTable", "RequestCountsTable", "UsersTable",
	} {
		s.tables[table] = awstest.Table(t, s.client, table)
	}
	for i := range 50 {
		person := s.person(i)
		_, err := s.users(s.client).Create(t.Context(), users.Creation{User: person})
		s.must(err)
		s.people = append(s.people, person)
		s.keys = append(s.keys, s.apiKey(person))
	}
	for i := range runs + 1 {
		s.trusts = append(s.trusts, s.trust(fmt.Sprint("customer-", i)))
	}
	return s
}

// by returns the context of requests of one of the people.
func (s *stores) by(n int) context.Context {
	return audit.WithActor(s.Context(), audit.Actor{Kind: audit.Person, ID: s.people[n].ID})
}

// trust adds a customer with a trust policy.
func (s *stores) trust(customerID string) trust.Policy {
	customer := customers.Customer{ID: customerID, Name: customerID, Slug: customerID, Status: customers.Active, CreatedAt: noon}
	_, err := customersdynamo.New(s.client, s.tables["CustomersTable"], s.credentials(s.client).Customers, s.auditLog()).
		Create(s.Context(), customers.Creation{Customer: customer})
	s.must(err)
	made, err := trustdynamo.New(s.client, s.credentials(s.client)).Add(s.Context(), trust.Creation{Policy: trust.Policy{
		ID: uuid.NewString(), CustomerID: customerID, Name: "pipeline", CreatedAt: noon, UpdatedAt: noon,
	}})
	s.must(err)
	return made.Policy
}

func (s *stores) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// measure runs an operation on different objects. The first run is not measured, because it creates what others share.
func (s *stores) measure(operation string, run func(client *dynamodb.Client, n int)) profile {
	s.Helper()
	run(s.client, runs)
	measured := make([]*recorder, runs)
	for n := range measured {
		r := &recorder{names: map[string]string{}, found: map[[2]string]*access{}}
		for id, name := range s.tables {
			r.names[name] = id
		}
		run(r.recording(s.client), n)
		measured[n] = r
	}
	return profileOf(operation, measured)
}

func (s *stores) credentials(client *dynamodb.Client) *credentialsdynamo.Table {
	return credentialsdynamo.New(client, s.tables["CredentialsTable"], s.tables["RequestCountsTable"]).Audited(s.auditLog())
}

func (s *stores) auditLog() auditlog.Log {
	return auditlog.New(s.tables["AuditTable"], func() time.Time { return noon })
}

func (s *stores) users(client *dynamodb.Client) *usersdynamo.Store {
	return usersdynamo.New(client, s.tables["UsersTable"], s.credentials(client), daycounts.In(s.tables["AnalyticsTable"]))
}

func (s *stores) pulls(client *dynamodb.Client) *pullsdynamo.Store {
	return pullsdynamo.New(client, s.tables["PullsTable"], s.tables["AnalyticsTable"])
}

func (s *stores) person(n int) users.User {
	id := uuid.NewString()
	return users.User{
		ID: id, Email: fmt.Sprintf("%d-%s@example.com", n, id), Name: "Ada Lovelace", Role: principal.User,
		Status:   users.Active,
		Metadata: json.RawMessage("{}"), CreatedAt: noon,
	}
}

// apiKey gives a user an API key.
func (s *stores) apiKey(owner users.User) credentials.Secret {
	key, table := credentials.Mint(credentials.APIKey), s.credentials(s.client)
	issued := credentialOf(owner, key)
	writes := append(table.Writes.Issue(issued), table.Writes.Tally(owner.ID, credentialsdynamo.Change{Issued: 1}))
	s.must(transactions.Write(s.Context(), s.client, writes))
	return key
}

func credentialOf(owner users.User, secret credentials.Secret) credentials.Credential {
	return credentials.Credential{
		ID: secret.ID(), Kind: secret.Kind(), Hash: secret.Hash(), Name: "build pipeline", CreatedAt: noon,
		Owner: credentials.Owner{ID: owner.ID, Role: owner.Role, Active: true},
	}
}

// batch returns pulls of different users and repositories within five seconds.
func (s *stores) batch(n int) []pulls.Pull {
	all := make([]pulls.Pull, batchSize)
	for i := range all {
		id := n*batchSize + i
		all[i] = pulls.Pull{
			At: noon.Add(time.Duration(i*50) * time.Millisecond), Kind: pulls.Image, Repository: fmt.Sprint("acme/service-", id),
			Reference: "2.1.0", Digest: fmt.Sprintf("sha256:%x", sha256.Sum256([]byte{byte(id), byte(id >> 8)})),
			CredentialID: fmt.Sprintf("%012x", id), OwnerID: fmt.Sprintf("01939f6e-8a8e-7d5c-a3c1-%012x", id),
			Address: "203.0.113.9", Client: "containerd/2.1.0",
		}
	}
	return all
}

func (s *stores) recordBatch(client *dynamodb.Client, n int) {
	_, err := s.pulls(client).Record(s.Context(), s.batch(n))
	s.must(err)
}

func (s *stores) countWindow(client *dynamodb.Client, n int) {
	if n == runs { // counts what recordBatch has left, and fills the rankings
		s.recordBatch(s.client, 100)
		s.recordBatch(s.client, 101)
		s.recordBatch(s.client, 102)
		_, err := s.pulls(s.client).CountPending(s.Context())
		s.must(err)
		return
	}
	s.recordBatch(s.client, 10+n)
	_, err := s.pulls(client).CountPending(s.Context())
	s.must(err)
}

// authenticate measures the second request of a minute.
func (s *stores) authenticate(client *dynamodb.Client, n int) {
	for _, client := range []*dynamodb.Client{s.client, client} {
		auth := credentials.NewAuthenticator(s.credentials(client).Requests, 600, func() time.Time { return noon })
		_, _, err := auth.Authenticate(s.Context(), s.keys[n].Reveal(), credentials.APIKey)
		s.must(err)
	}
}

// authorize measures the requests of a pull that one process serves first in a minute, after the credential was used
// before.
func (s *stores) authorize(client *dynamodb.Client, n int) {
	s.authenticate(s.client, n)
	auth := credentials.NewAuthenticator(s.credentials(client).Requests, 300, func() time.Time { return noon })
	for i := range authenticatedPerPull {
		kind := credentials.BlobRequest
		if i < manifestsPerPull {
			kind = credentials.ArtifactRequest
		}
		_, _, err := auth.Authenticate(credentials.WithRequest(s.Context(), kind, false), s.keys[n].Reveal(), credentials.APIKey)
		s.must(err)
	}
}

func (s *stores) getUser(client *dynamodb.Client, n int) {
	_, err := s.users(client).Get(s.Context(), s.people[n].ID)
	s.must(err)
}

func (s *stores) listUsers(client *dynamodb.Client, n int) {
	_, err := s.users(client).List(s.Context(), users.Query{Limit: 20, Offset: int64(n)})
	s.must(err)
}

func (s *stores) createUser(client *dynamodb.Client, n int) {
	_, err := s.users(client).Create(s.by(n), users.Creation{User: s.person(100 + n)})
	s.must(err)
}

func (s *stores) createToken(client *dynamodb.Client, n int) {
	token := credentialOf(s.people[n], credentials.Mint(credentials.AccessToken))
	token.ExpiresAt, token.Scopes = noon.AddDate(0, 0, 90), []string{"read:images"}
	s.must(tokensdynamo.New(client, s.credentials(client)).Issue(s.by(n), token, principal.Credential{ID: s.keys[n].ID()}))
}

func (s *stores) exchange(client *dynamodb.Client, n int) {
	store := trustdynamo.New(client, s.credentials(client))
	policy, err := store.Get(s.Context(), s.trusts[n].ID)
	s.must(err)
	secret := credentials.Mint(credentials.AccessToken)
	token := credentials.Credential{
		ID: secret.ID(), Kind: secret.Kind(), Hash: secret.Hash(), Name: policy.Name, CreatedAt: noon,
		ExpiresAt: noon.Add(time.Hour),
		Scopes:    []string{"read:images"}, Exchanged: true,
		Owner: credentials.Owner{ID: policy.ID, CustomerID: policy.CustomerID, Role: principal.User, Active: true},
	}
	s.must(store.Issue(s.Context(), policy, token, trust.Exchanged{Hash: secret.ID(), ExpiresAt: noon.Add(time.Hour)}))
}

func (s *stores) createProject(client *dynamodb.Client, n int) {
	store := projectsdynamo.New(client, s.tables["ProjectsTable"], daycounts.In(s.tables["AnalyticsTable"])).
		Audited(s.auditLog())
	_, err := store.Create(s.by(n), projects.Creation{Project: projects.Project{
		Name: "Difference Engine", ID: uuid.NewString(), Status: projects.Statuses()[0], CreatedAt: noon,
	}})
	s.must(err)
}

func (s *stores) dashboard(client *dynamodb.Client, _ int) {
	store, today := analyticsdynamo.New(client, s.tables["AnalyticsTable"]), calendar.DayOf(noon)
	_, err := store.Counts(s.Context(), today-30, today)
	s.must(err)
	_, err = store.Requests(s.Context(), today-30, today)
	s.must(err)
	_, err = store.Usage(s.Context(), today-30, today)
	s.must(err)
}
