package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/shared/audit"
	"portside/shared/audit/auditdynamo"
	coreaudit "portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

// now is a Saturday afternoon.
var now = time.Date(2026, 11, 21, 15, 30, 0, 0, time.UTC)

// A customer, its manager Ada, a member of the vendor's staff, and the user that they change.
const (
	acme = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e21"
	bolt = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e22" // another customer
	ada  = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"
	root = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"
	bob  = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e13"
)

// testService is the function on a real engine, with a clock that the test controls.
type testService struct {
	testing.TB
	client *dynamodb.Client
	table  string
	keys   *credentialsdynamo.Table
	clock  *webtest.Clock
	events int // written so far
}

func newTestService(tb testing.TB) *testService {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	s := &testService{
		TB: tb, client: client, table: awstest.Table(tb, client, "AuditTable"), clock: webtest.NewClock(now),
		keys: credentialsdynamo.New(
			client, awstest.Table(tb, client, "CredentialsTable"), awstest.Table(tb, client, "RequestCountsTable"),
		).Audited(audittest.Log(tb, client)),
	}
	for _, customer := range []string{acme, bolt} {
		writes := []types.TransactWriteItem{s.keys.Customers.Add(customer, customerstates.State{})}
		if err := transactions.Write(tb.Context(), client, writes); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

// handler returns the function's handler, made as in main.
func (s *testService) handler() http.Handler {
	auth := credentials.NewAuthenticator(s.keys.Requests, 0, s.clock.Now)
	return routes(&handlers{log: audit.NewService(auditdynamo.New(s.client, s.table)), now: s.clock.Now}, auth).Handler()
}

// key creates an API key of a new user of a customer, or of the staff.
func (s *testService) key(role principal.Role, customerID string) string {
	s.Helper()
	secret := credentials.Mint(credentials.APIKey)
	owner := credentials.Owner{ID: uuid.NewString(), Role: role, Active: true, CustomerID: customerID}
	issued := credentials.Credential{
		ID: secret.ID(), Kind: credentials.APIKey, Hash: secret.Hash(), Name: "test", CreatedAt: s.clock.Now(), Owner: owner,
	}
	writes := append(s.keys.Writes.Issue(issued), s.keys.Writes.Tally(owner.ID, credentialsdynamo.Change{Issued: 1}))
	if err := transactions.Write(s.Context(), s.client, writes); err != nil {
		s.Fatal(err)
	}
	return secret.Reveal()
}

// as returns a client with an API key of the vendor's staff.
func (s *testService) as(role principal.Role) webtest.Client { return s.of(role, "") }

// of returns a client with an API key of a customer's user.
func (s *testService) of(role principal.Role, customerID string) webtest.Client {
	s.Helper()
	return webtest.New(s, s.handler()).With("X-API-Key", s.key(role, customerID))
}

// add writes an event as auditlog does, but with an ID that is the same in each run.
func (s *testService) add(e coreaudit.Event) {
	s.Helper()
	s.events++
	e.ID = coreaudit.FirstID(e.Time) + "-" + fmt.Sprintf("%026d", s.events)
	e.ID = e.ID[:15] + replaceDigits(e.ID[15:])
	text, err := json.Marshal(e)
	if err != nil {
		s.Fatal(err)
	}
	input := &dynamodb.PutItemInput{
		TableName: &s.table, Item: items.Encode(auditlog.NewItem(e, string(text))),
		ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}
	if _, err := s.client.PutItem(s.Context(), input); err != nil {
		s.Fatal(err)
	}
}

// replaceDigits returns a letter of an ID for each digit.
func replaceDigits(digits string) string {
	letters := []byte(digits)
	for i := range letters {
		letters[i] += 'a' - '0'
	}
	return string(letters)
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

// story writes the events that the examples of docs/audit.md are about.
func (s *testService) story() {
	s.Helper()
	adas := coreaudit.Actor{Kind: coreaudit.Person, ID: ada, CustomerID: acme, CredentialID: "3vQB7B6MrGQZ",
		Address: "203.0.113.9"}
	roots := coreaudit.Actor{Kind: coreaudit.Person, ID: root, CredentialID: "8kTr2wq9XcPL", Address: "198.51.100.4"}
	bobs := coreaudit.Target{Kind: coreaudit.User, ID: bob, Name: "bob@acme.example"}
	at := now.Add(-3*time.Hour + 125431*time.Microsecond)
	s.add(coreaudit.Event{
		Time: at, Action: coreaudit.CustomerUpdated, Actor: roots, CustomerID: acme, RequestID: "Xb1yTh6xIAMEVqa=",
		Target: coreaudit.Target{Kind: coreaudit.Customer, ID: acme, Name: "acme-shipping"},
		Before: coreaudit.Fields{"externalId": raw(`"C-1815"`), "limits": raw(`{"users":50}`)},
		After:  coreaudit.Fields{"externalId": raw(`"C-1816"`), "limits": raw(`{"users":60}`)},
	})
	s.add(coreaudit.Event{
		Time: at.Add(time.Hour), Action: coreaudit.UserCreated, Actor: adas, Target: bobs, CustomerID: acme,
		RequestID: "Xb1yTh6xIAMEVqb=",
		After: coreaudit.Fields{"email": raw(`"bob@acme.example"`), "name": raw(`"Bob Byron"`), "role": raw(`"user"`),
			"status": raw(`"active"`)},
	})
	s.add(coreaudit.Event{
		Time: at.Add(2 * time.Hour), Action: coreaudit.UserUpdated, Actor: roots, Target: bobs, CustomerID: acme,
		RequestID: "Xb1yTh6xIAMEVqc=",
		Before:    coreaudit.Fields{"role": raw(`"user"`)}, After: coreaudit.Fields{"role": raw(`"manager"`)},
	})
	s.add(coreaudit.Event{
		Time: at.Add(150 * time.Minute), Action: coreaudit.TableRebuilt,
		Target: coreaudit.Target{Kind: coreaudit.Table, ID: "UsersTable"},
		Actor:  coreaudit.Actor{Kind: coreaudit.Operator, Name: "=ops"},
	})
}
