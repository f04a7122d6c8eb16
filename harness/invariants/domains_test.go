package invariants_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/harness/invariants"
	"portside/harness/office"
	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/customers"
	"portside/shared/passkeys"
	"portside/shared/passkeys/passkeysdynamo"
	"portside/shared/projects"
	"portside/shared/pulls"
)

// dueAt is the next step of a request.
func dueAt(millis string) types.AttributeValue {
	return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"due": number(millis)}}
}

// domainDamages are damages to the data of requests, passkeys, customers, projects and pulls.
var domainDamages = map[string]damage{
	"request not listed":       {table: "credentials", pk: "requests", want: "requests: requests"},
	"request listed elsewhere": {table: "credentials", pk: "request#", set: "status", to: text("denied"), want: "requests: requests"},
	"next step is missing":     {table: "credentials", pk: "request#", set: "next", to: dueAt("5"), want: "requests: requests-due 0000000000005#"},
	"open is miscounted":       {table: "credentials", pk: "requests#", sk: "open", set: "n", to: number("3"), want: `open is "3", want`},
	"collected of nothing":     {table: "credentials", pk: "request#", set: "status", to: text("collected"), want: "is collected, but has no credential"},
	"credential undecided":     {table: "credentials", pk: "request#", set: "credential", to: text("c"), want: "has a credential, but"},
	"passkey not marked":       {table: "credentials", pk: "passkey#", want: "is not marked as taken"},
	"passkey of two":           {table: "credentials", pk: "owner#", sk: "passkeys", set: "pk", to: text("owner#x"), want: "have the same credential"},
	"customer not listed":      {table: "customers", pk: "list#", want: "customers: list#"},
	"customer miscounted":      {table: "customers", pk: "rank#", sk: "root", set: "00", to: number("7"), want: "customers: rank#"},
	"customer number again":    {table: "customers", pk: "rank#", sk: "sequence", set: "next", to: number("0"), want: "customers: the next number is 0"},
	"one customer of two keys": {table: "customers", pk: "once#", set: "pk", to: text("once#x"), want: "customers: the idempotency keys"},
	"slug without marker":      {table: "customers", pk: "slug#", want: "customers: slug#acme"},
	"marker of another":        {table: "customers", pk: "external#", set: "customer", to: text("other"), want: `customers: external#C-1 is "other"`},
	"customer not found":       {table: "customers", pk: "search#", want: "customers: search#"},
	"customer without state":   {table: "credentials", pk: "customer#", want: "customers: the state of"},
	"customer is suspended":    {table: "customers", pk: "customer#", set: "status", to: text("suspended"), want: "customers: the state of"},
	"limit differs":            {table: "credentials", pk: "customer#", set: "maxUsers", to: number("9"), want: "customers: the state of"},
	"fewer than no users":      {table: "credentials", pk: "customer#", set: "users", to: number("-1"), want: `is "-1"`},
	"project not listed":       {table: "projects", pk: "list#", want: "projects: list#"},
	"project miscounted":       {table: "projects", pk: "rank#", sk: "root", set: "00", to: number("7"), want: "projects: rank#"},
	"project number again":     {table: "projects", pk: "rank#", sk: "sequence", set: "next", to: number("0"), want: "projects: the next number is 0"},
	"one project of two keys":  {table: "projects", pk: "once#", set: "pk", to: text("once#x"), want: "projects: the idempotency keys"},
	"history without end":      {table: "projects", pk: "project#", set: "life", to: text(""), want: "counts: the history of project#"},
	"day is miscounted":        {table: "analytics", pk: "counts", sk: "2028", set: "projects", to: number("9"), want: "counts: counts 2028-02-28 projects"},
	"total is missing":         {table: "analytics", pk: "counts", sk: "total", want: "counts: counts total"},
	"pull not counted":         {table: "analytics", pk: "pulls#chart#", want: "pulls: chart#buoy 2028-02-28"},
	"usage differs":            {table: "analytics", pk: "usage", set: "charts", to: number("5"), want: "pulls: charts 2028-02-28"},
	"pull is gone":             {table: "pulls", pk: "credential#", want: "pulls: chart#buoy 2028-02-28"},
	"batch is gone":            {table: "pulls", pk: "log#", want: "pulls: chart#buoy 2028-02-28"},
	"batch is pending again":   {table: "pulls", pk: "log#", set: "pk", to: text("pending#0"), want: "pulls: chart#buoy 2028-02-28"},
}

func TestEveryDamageOfADomainIsReported(t *testing.T) {
	o := seed(t)
	if err := addDomains(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	wantReports(t, o, domainDamages)
}

// While pulls are being counted, counts and log differ.
func TestAnOpenWindowIsNotChecked(t *testing.T) {
	o := seed(t)
	if err := addDomains(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	domainDamages["pull not counted"].damage(t, o.Direct, o.Tables.Analytics)
	open := damage{pk: "window", set: "batches", to: &types.AttributeValueMemberL{Value: []types.AttributeValue{text("b")}}}
	open.damage(t, o.Direct, o.Tables.Pulls)
	if broken, err := invariants.Check(t.Context(), o.Direct, o.Tables.Checked(), now); err != nil || len(broken) > 0 {
		t.Errorf("reported %v %q", err, broken)
	}
}

// addDomains adds a pending request for a password, a passkey, a customer, a project, and a pull that is counted.
func addDomains(ctx context.Context, o *office.Office) error {
	asker, err := addPerson(ctx, o, "b", principal.Viewer)
	if err != nil {
		return err
	}
	input := credentialrequests.New{Level: credentialrequests.Full, Justification: "staging", IdempotencyKey: "ask"}
	if _, err := o.Requests.Create(ctx, asker, "https://portal.example.com", input); err != nil {
		return err
	}
	keys := passkeysdynamo.New(o.Direct, credentialsdynamo.New(o.Direct, o.Tables.Credentials, o.Tables.RequestCounts))
	passkey := passkeys.Passkey{ID: "p", Name: "laptop", Key: passkeys.Key{CredentialID: []byte("c"), Public: []byte("k")}, CreatedAt: now}
	if err := keys.Add(ctx, passkeys.Set{UserID: asker.UserID}, passkey, asker.CredentialID); err != nil {
		return err
	}
	customer := customers.NewCustomer{Name: "Acme", Slug: "acme", ExternalID: "C-1", MaxUsers: 5}
	if _, err := o.Customers.Create(ctx, customers.CreateOptions{Caller: asker, IdempotencyKey: "customer"}, customer); err != nil {
		return err
	}
	request := projects.CreateOptions{Caller: asker, IdempotencyKey: "project"}
	if _, err := o.Projects.Create(ctx, request, projects.NewProject{Name: "quay", Status: projects.Active}); err != nil {
		return err
	}
	pull := pulls.Pull{
		At: now.Add(-time.Hour), Kind: pulls.Chart, Repository: "buoy", Reference: "1.0.0",
		CredentialID: asker.CredentialID, OwnerID: asker.UserID,
	}
	if _, err := o.Pulls.Record(ctx, []pulls.Pull{pull}); err != nil {
		return err
	}
	_, err = o.Pulls.CountPending(ctx)
	return err
}
