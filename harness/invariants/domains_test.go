package invariants_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/harness/invariants"
	"portside/harness/office"
	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/customers"
	"portside/shared/dynamo/auditlog"
	"portside/shared/entitlements"
	"portside/shared/projects"
	"portside/shared/pulls"
	"portside/shared/sessions/passkeys"
	"portside/shared/sessions/passkeys/passkeysdynamo"
	"portside/shared/testkit/liststest"
	"portside/shared/trust"
	"portside/testclient/workloadtest"
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
	"marker of another":        {table: "customers", pk: "external#", set: "customer", to: text("other"), want: `customers: external#C-1 external is "other"`},
	"customer not found":       {table: "customers", pk: "search#", want: "customers: search#"},
	"customer without state":   {table: "credentials", pk: "customer#", sk: "customer", want: "customers: the state of"},
	"customer is suspended":    {table: "customers", pk: "customer#", set: "status", to: text("suspended"), want: "customers: the state of"},
	"limit differs":            {table: "credentials", pk: "customer#", sk: "customer", set: "maxUsers", to: number("9"), want: "customers: the state of"},
	"limit of requests":        {table: "credentials", pk: "customer#", sk: "customer", set: "maxRequests", to: number("9"), want: "customers: the state of"},
	"fewer than no users":      {table: "credentials", pk: "customer#", sk: "customer", set: "users", to: number("-1"), want: `is "-1"`},
	"entitled in no state":     {table: "credentials", pk: "customer#", sk: "customer", set: "entitlements", to: number("0"), want: `is "", want "1"`},
	"entitled in another":      {table: "credentials", pk: "customer#", sk: "entitlements", set: "version", to: number("2"), want: `is "1", want "2"`},
	"entitlements are gone":    {table: "credentials", pk: "customer#", sk: "entitlements", want: "entitlements: the version in the state of"},
	"entitled without state":   {table: "credentials", pk: "customer#", sk: "entitlements", set: "pk", to: text("customer#x"), want: "in the state of x"},
	"no list of entitlements":  {table: "credentials", pk: "customer#", sk: "entitlements", set: "entitlements", to: text(""), want: "are not a list"},
	"too many entitlements": entitled(slices.Repeat([]types.AttributeValue{element("id", text("e"))}, 201),
		"has 201, want at most 200"),
	"the same entitlement": entitled(slices.Repeat([]types.AttributeValue{element("id", text("e"))}, 2),
		`have the same ID "e"`),
	"strange entitlement": entitled([]types.AttributeValue{text("e")}, "one that is not a map"),
	"unknown artifact": entitled([]types.AttributeValue{element("artifact", text("disk"))},
		`is for the artifact "disk"`),
	"bad pattern": entitled([]types.AttributeValue{element("repository", text("*/api"))},
		`is for the repository "*/api"`),
	"bad constraint": entitled([]types.AttributeValue{element("versions", text("latest"))},
		`is for the versions "latest"`),
	"never in effect": entitled([]types.AttributeValue{element("until", number("1000"))}, "is never in effect"),
	"entitlement not created": entitled([]types.AttributeValue{element("version", number("0"))},
		"no time of creation or no version"),
	"updated too early": entitled([]types.AttributeValue{element("updated", number("1"))},
		"updated before its creation"),
	"strange item of customer": {table: "credentials", pk: "customer#", sk: "entitlements", set: "sk", to: text("x"), want: "is of an unknown kind"},
	"policy not listed":        {table: "credentials", pk: "customer#", sk: "trust", want: "trust policies: trust#"},
	"policy is gone":           {table: "credentials", pk: "trust#", want: "trust policies: trust#"},
	"policy of another":        {table: "credentials", pk: "trust#", set: "customer", to: text("x"), want: "customer x, who does not exist"},
	"policy trusts everybody":  {table: "credentials", pk: "trust#", set: "conditions", to: text(""), want: "has no condition"},
	"policy of long tokens":    {table: "credentials", pk: "trust#", set: "minutes", to: number("61"), want: "work for 61 minutes"},
	"policy without version":   {table: "credentials", pk: "trust#", set: "version", to: number("0"), want: "or no version"},
	"project not listed":       {table: "projects", pk: "list#", want: "projects: list#"},
	"project miscounted":       {table: "projects", pk: "rank#", sk: "root", set: "00", to: number("7"), want: "projects: rank#"},
	"project number again":     {table: "projects", pk: "rank#", sk: "sequence", set: "next", to: number("0"), want: "projects: the next number is 0"},
	"one project of two keys":  {table: "projects", pk: "once#", set: "pk", to: text("once#x"), want: "projects: the idempotency keys"},
	"history without end":      {table: "projects", pk: "project#", set: "life", to: text(""), want: "counts: the history of project#"},
	"day is miscounted":        {table: "analytics", pk: "counts", sk: "2028", set: "projects", to: number("9"), want: "counts: counts 2028-02-28 projects"},
	"total is missing":         {table: "analytics", pk: "counts", sk: "total", want: "counts: counts total"},
	"pull not counted":         {table: "analytics", pk: "pulls#chart#", want: "pulls: chart#buoy 2028-02-28"},
	"usage differs":            {table: "analytics", pk: "usage", set: "charts", to: number("5"), want: "pulls: charts 2028-02-28"},
	"checks differ":            {table: "analytics", pk: "usage", set: "checks", to: number("5"), want: "pulls: checks 2028-02-28"},
	"checks counted too often": {table: "pulls", pk: "check#", set: "counted", to: number("2"), want: "has fewer checks in 2028-02-28T"},
	"pull is gone":             {table: "pulls", pk: "credential#", want: "pulls: chart#buoy 2028-02-28"},
	"batch is gone":            {table: "pulls", pk: "log#", want: "pulls: chart#buoy 2028-02-28"},
	"event is no event":        {table: "audit", pk: "day#", set: "event", to: text("x"), want: "is not an event"},
	"event of another ID":      {table: "audit", pk: "day#", set: "event", to: text(`{"id": "x"}`), want: "differs from its event x"},
	"index of another target":  {table: "audit", pk: "day#", set: "target", to: text("user#x"), want: "differs from its event"},
	"change without an event":  {table: "projects", pk: "project#", set: "name", to: text("pier"), want: "audit: project#"},
	"batch is pending again":   {table: "pulls", pk: "log#", set: "pk", to: text("pending#0"), want: "pulls: chart#buoy 2028-02-28"},
}

// entitled is the damage that gives the customer these entitlements.
func entitled(all []types.AttributeValue, want string) damage {
	list := &types.AttributeValueMemberL{Value: all}
	return damage{table: "credentials", pk: "customer#", sk: "entitlements", set: "entitlements", to: list, want: want}
}

// element is an entitlement with another value of an attribute.
func element(name string, value types.AttributeValue) types.AttributeValue {
	one := map[string]types.AttributeValue{
		"id": text("e"), "artifact": text("chart"), "repository": text("*"), "versions": text("*"), "from": number("1000"),
		"created": number("1000"), "updated": number("1000"), "version": number("1"),
	}
	one[name] = value
	return &types.AttributeValueMemberM{Value: one}
}

//proves:docs/security.md
func TestEveryDamageOfADomainIsReported(t *testing.T) {
	o := seed(t)
	if err := addDomains(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	wantReports(t, o, domainDamages)
}

// The test removes one event at a time. The events of one millisecond have no certain order, but the loss of each must
// be found.
//
//proves:docs/security.md
func TestEachMissingEventIsReported(t *testing.T) {
	o := seed(t)
	if err := addDomains(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, item := range liststest.Scan(t, o.Direct, o.Tables.Audit) {
		if !strings.HasPrefix(liststest.Text(item, "pk"), "day#") {
			continue
		}
		remove(t, o.Direct, o.Tables.Audit, item)
		broken, err := invariants.Check(t.Context(), o.Direct, o.Tables.Checked(), now)
		if err != nil || !strings.Contains(strings.Join(broken, "\n"), "audit: ") {
			t.Errorf("reported %v %q without %s", err, broken, liststest.Text(item, "event"))
		}
		put(t, o.Direct, o.Tables.Audit, item)
	}
}

func TestAnEntitlementOfTwoKeysIsReported(t *testing.T) {
	o := seed(t)
	if err := addDomains(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, item := range liststest.Scan(t, o.Direct, o.Tables.Credentials) {
		made, isMap := item["made"].(*types.AttributeValueMemberM)
		if !isMap || liststest.Text(made.Value, "repository") == "" {
			continue
		}
		item["pk"] = text("once#x")
		put(t, o.Direct, o.Tables.Credentials, item)
	}
	broken, err := invariants.Check(t.Context(), o.Direct, o.Tables.Checked(), now)
	if err != nil || len(broken) != 1 || !strings.HasPrefix(broken[0], "entitlements: the idempotency keys") {
		t.Errorf("reported %v %q", err, broken)
	}
}

// While pulls are being counted, counts and log differ.
func TestAnOpenWindowIsNotChecked(t *testing.T) {
	o := seed(t)
	if err := addDomains(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	domainDamages["pull not counted"].damage(t, o.Direct, o.Tables.Analytics)
	open := damage{pk: "window", set: "batches",
		to: &types.AttributeValueMemberL{Value: []types.AttributeValue{text("b")}}}
	open.damage(t, o.Direct, o.Tables.Pulls)
	if broken, err := invariants.Check(t.Context(), o.Direct, o.Tables.Checked(), now); err != nil || len(broken) > 0 {
		t.Errorf("reported %v %q", err, broken)
	}
}

// addDomains adds a pending request for a password, a passkey, a customer with an entitlement, a project, and a pull
// that is counted.
func addDomains(ctx context.Context, o *office.Office) error {
	asker, err := addPerson(ctx, o, "b", principal.Viewer)
	if err != nil {
		return err
	}
	input := credentialrequests.New{Level: credentialrequests.Full, Justification: "staging", IdempotencyKey: "ask"}
	if _, err := o.Requests.Create(ctx, asker, "https://portal.example.com", input); err != nil {
		return err
	}
	table := credentialsdynamo.New(o.Direct, o.Tables.Credentials, o.Tables.RequestCounts).Audited(auditlog.New(o.Tables.Audit, o.Clock.Now))
	keys := passkeysdynamo.New(o.Direct, table)
	passkey := passkeys.Passkey{ID: "p", Name: "laptop", Key: passkeys.Key{CredentialID: []byte("c"), Public: []byte("k")},
		CreatedAt: now}
	if err := keys.Add(ctx, passkeys.Set{UserID: asker.UserID}, passkey, asker.Credential()); err != nil {
		return err
	}
	customer := customers.NewCustomer{Name: "Acme", Slug: "acme", ExternalID: "C-1", MaxUsers: 5, MaxRequests: 600}
	bought, err := o.Customers.Create(ctx, customers.CreateOptions{Caller: asker, IdempotencyKey: "customer"}, customer)
	if err != nil {
		return err
	}
	right := entitlements.New{Artifact: entitlement.Chart, Repository: "*"}
	options := entitlements.CreateOptions{Caller: asker, CustomerID: bought.Customer.ID, IdempotencyKey: "entitlement"}
	if _, err := o.Entitled.Create(ctx, options, right); err != nil {
		return err
	}
	if err := exchangeToken(ctx, o, bought.Customer.ID); err != nil {
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
	check := pull
	check.IsCheck = true
	if _, err := o.Pulls.Record(ctx, []pulls.Pull{pull, check}); err != nil {
		return err
	}
	_, err = o.Pulls.CountPending(ctx)
	return err
}

// exchangeToken adds a trust policy of a customer, and exchanges a token with it.
func exchangeToken(ctx context.Context, o *office.Office, customerID string) error {
	const issuer, audience = "https://gitlab.com", "portside"
	key := workloadtest.NewKey("1", "EdDSA")
	created, err := o.Policies.Create(ctx, trust.CreateOptions{Caller: principal.Operator(), CustomerID: customerID},
		trust.New{
			Name: "Builds", Issuer: issuer, Audience: audience, Keys: workloadtest.KeySet(key), MaxMinutes: 60,
			Conditions: []trust.Condition{{Claim: "project_path", Values: []string{"acme/*"}}},
			Scopes:     []principal.Scope{principal.ReadCharts},
		})
	if err != nil {
		return err
	}
	token := key.Sign(workloadtest.GitLab(issuer, audience, now))
	_, err = o.Exchanger.Exchange(ctx, trust.Request{PolicyID: created.Policy.ID, Token: token, Network: "n"})
	return err
}
