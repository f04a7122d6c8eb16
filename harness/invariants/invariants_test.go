package invariants_test

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/harness/invariants"
	"portside/harness/office"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/liststest"
	"portside/shared/tokens"
	"portside/shared/users"
)

var now = time.Date(2028, 2, 28, 12, 0, 0, 0, time.UTC)

// damage is a change of one item, and a part of the sentence that must report it.
type damage struct {
	table  string // key of tablesOf; empty for the users
	pk, sk string // prefixes of the key of the item
	kind   string // of the item; empty for any
	set    string // attribute to change; empty deletes the item; a changed key adds a copy
	to     types.AttributeValue
	want   string
}

func text(s string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: s} }
func number(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }

var damages = map[string]damage{
	"email without marker":   {pk: "email#", want: `users: email#a@example.com email is ""`},
	"marker of another user": {pk: "email#", set: "user", to: text("other"), want: `users: email#a@example.com email is "other"`},
	"user not listed":        {pk: "list#all", want: "users: list#all"},
	"user listed wrongly":    {pk: "list#admin", set: "status", to: text("pending"), want: "users: list#admin"},
	"status not listed":      {pk: "list#all#active", want: "users: list#all#active"},
	"status counted wrongly": {pk: "rank#users#1#0", sk: "root", set: "0J", to: number("7"), want: "users: rank#users#1#0/root"},
	"count is wrong":         {pk: "rank#users#1#0", sk: "root", set: "00", to: number("7"), want: "users: rank#users#1#0/root"},
	"number is used again":   {pk: "rank#users", sk: "sequence", set: "next", to: number("0"), want: "users: the next number is 0"},
	"admins are miscounted":  {pk: "admins", set: "n", to: number("2"), want: "users: the number of active admins is 2"},
	"the last admin is gone": {pk: "user#", set: "status", to: text("suspended"), want: "users: there is no active admin"},
	"unknown kind":           {pk: "email#", set: "pk", to: text("strange#1"), want: "users: strange#1 has an unknown kind"},
	"mail of an active user": {pk: "email#", set: "pk", to: text("unsent"), want: "users: an invitation is unsent"},
	"one user of two keys":   {pk: "once#", set: "pk", to: text("once#x"), want: "users: the idempotency keys"},
	"owner is missing":       {pk: "user#", want: "does not exist"},
	"owner is suspended":     {pk: "user#", set: "status", to: text("suspended"), want: "but its owner is suspended"},
	"owner has another role": {pk: "user#", set: "role", to: text("viewer"), want: "but its owner is viewer"},
	"credential not listed":  {table: "credentials", pk: "owner#", sk: "credentials#pst", want: "is not in the list of its owner"},
	"listing differs":        {table: "credentials", pk: "owner#", sk: "credentials#pst", set: "expires", to: number("1"), want: "differs from its listing"},
	"listing without record": {table: "credentials", pk: "credential#", want: "is listed, but does not exist"},
	"no day of expiry":       {table: "credentials", pk: "expires#", want: "but is listed under"},
	"day of no credential":   {table: "credentials", pk: "expires#", set: "sk", to: text("x"), want: "x has a day of expiry"},
	"works longer than line": {table: "credentials", pk: "credential#", kind: "pst", set: "lineEnds", to: number("1"), want: "works longer than its line"},
	"tally counts too few":   {table: "credentials", pk: "owner#", sk: "credentials", set: "live", to: number("1"), want: "has 1 live, want at least 2"},
	"tally forgets issues":   {table: "credentials", pk: "owner#", sk: "credentials", set: "issued", to: number("1"), want: "has 1 issued, want at least 2"},
	"made without record":    {table: "credentials", pk: "owner#", sk: "credentials#pst", set: "pk", to: text("made#y"), want: "made#y says that it made"},
	"unknown kind of secret": {table: "credentials", pk: "expires#", set: "pk", to: text("strange#2"), want: "strange#2 has an unknown kind"},
}

//proves:docs/security.md
func TestEveryDamageIsReported(t *testing.T) {
	wantReports(t, seed(t), damages)
}

// tablesOf returns the names of the tables that a damage can name.
func tablesOf(o *office.Office) map[string]string {
	return map[string]string{
		"": o.Tables.Users, "credentials": o.Tables.Credentials, "customers": o.Tables.Customers,
		"projects": o.Tables.Projects,
		"pulls":    o.Tables.Pulls, "analytics": o.Tables.Analytics, "audit": o.Tables.Audit,
	}
}

// wantReports does one damage at a time and checks that it is reported.
func wantReports(t *testing.T, o *office.Office, damages map[string]damage) {
	t.Helper()
	tables := o.Tables.Checked()
	if broken, err := invariants.Check(t.Context(), o.Direct, tables, now); err != nil || len(broken) > 0 {
		t.Fatalf("before the damage: %v %q", err, broken)
	}
	for name, d := range damages {
		t.Run(name, func(t *testing.T) {
			repair := d.damage(t, o.Direct, tablesOf(o)[d.table])
			broken, err := invariants.Check(t.Context(), o.Direct, tables, now)
			if err != nil || !strings.Contains(strings.Join(broken, "\n"), d.want) {
				t.Errorf("reported %v %q, want %q", err, broken, d.want)
			}
			repair()
		})
	}
	if broken, err := invariants.Check(t.Context(), o.Direct, tables, now); err != nil || len(broken) > 0 {
		t.Fatalf("after the repairs: %v %q", err, broken)
	}
}

func TestALineWithTooManyTokensIsReported(t *testing.T) {
	o := seed(t)
	for _, item := range liststest.Scan(t, o.Direct, o.Tables.Credentials) {
		if liststest.Text(item, "kind") != "pst" || !strings.HasPrefix(liststest.Text(item, "pk"), "credential#") {
			continue
		}
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			item["id"], item["pk"] = text(id), text("credential#"+id)
			put(t, o.Direct, o.Tables.Credentials, item)
		}
	}
	tables := o.Tables.Checked()
	broken, err := invariants.Check(t.Context(), o.Direct, tables, now)
	if err != nil || !strings.Contains(strings.Join(broken, "\n"), "has 6 working tokens, want at most 5") {
		t.Errorf("reported %v %q", err, broken)
	}
}

// damage changes one item of the table, and returns a function that undoes it.
func (d damage) damage(t *testing.T, client *dynamodb.Client, name string) func() {
	t.Helper()
	for _, item := range liststest.Scan(t, client, name) {
		isMeant := strings.HasPrefix(liststest.Text(item, "pk"), d.pk) && strings.HasPrefix(liststest.Text(item, "sk"), d.sk)
		if !isMeant || d.kind != "" && liststest.Text(item, "kind") != d.kind {
			continue
		}
		if d.set == "" {
			remove(t, client, name, item)
			return func() { put(t, client, name, item) }
		}
		changed := maps.Clone(item)
		changed[d.set] = d.to
		put(t, client, name, changed)
		return func() {
			remove(t, client, name, changed)
			put(t, client, name, item)
		}
	}
	t.Fatalf("the table has no item %s %s", d.pk, d.sk)
	return nil
}

func put(t *testing.T, client *dynamodb.Client, name string, item liststest.Item) {
	t.Helper()
	if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item}); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, client *dynamodb.Client, name string, item liststest.Item) {
	t.Helper()
	key := liststest.Item{"pk": item["pk"], "sk": item["sk"]}
	if _, err := client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &name, Key: key}); err != nil {
		t.Fatal(err)
	}
}

// seed opens an office with one admin, who has an API key and a token.
func seed(t *testing.T) *office.Office {
	t.Helper()
	o, err := office.Open(t.Context(), office.Options{Root: filepath.Join("..", ".."), Mails: t.TempDir(), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	if _, err := addPerson(t.Context(), o, "a", principal.Admin); err != nil {
		t.Fatal(err)
	}
	return o
}

// addPerson adds an active user with an API key and a token, and returns the user with the key.
func addPerson(ctx context.Context, o *office.Office, name string, role principal.Role) (principal.Principal, error) {
	operator := principal.Operator()
	created, err := o.Users.Create(ctx, users.CreateOptions{Caller: operator, IdempotencyKey: "create " + name},
		users.NewUser{Email: name + "@example.com", Name: strings.ToUpper(name), Role: role})
	if err != nil {
		return principal.Principal{}, err
	}
	key, err := o.Keys.Create(ctx, operator, created.User.ID, users.NewKey{Name: "k"})
	if err != nil {
		return principal.Principal{}, err
	}
	caller, _, err := o.Authenticator.Authenticate(ctx, key.Secret.Reveal(), credentials.APIKey)
	if err != nil {
		return principal.Principal{}, err
	}
	if role == principal.Admin {
		_, err = o.Tokens.Create(ctx, caller, tokens.NewToken{Name: "t", Scopes: tokens.AllScopes(), Days: 30})
	}
	return caller, err
}
