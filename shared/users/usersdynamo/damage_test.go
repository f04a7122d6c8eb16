package usersdynamo_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/lists"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// populatedStore is a store with users, whose items a test damages.
type populatedStore struct {
	*usersdynamo.Store
	client    *dynamodb.Client
	table     string
	analytics string
	people    []users.User
}

// newPopulatedStore returns a store with nine users, whose roles alternate: users 0, 4 and 8 are admins.
func newPopulatedStore(t *testing.T) *populatedStore {
	t.Helper()
	client := awstest.DynamoDB(t)
	w := &populatedStore{client: client, table: awstest.Table(t, client, "UsersTable"), analytics: awstest.Table(t, client, "AnalyticsTable")}
	keys := credentialsdynamo.New(client, awstest.Table(t, client, "CredentialsTable"), awstest.Table(t, client, "RequestCountsTable"))
	w.Store = usersdynamo.New(client, w.table, keys, daycounts.In(w.analytics))
	for i := range 9 {
		created, err := w.Create(t.Context(), users.Creation{User: person(fmt.Sprintf("person%d", i), principal.Roles()[i%4])})
		if err != nil {
			t.Fatal(err)
		}
		w.people = append(w.people, created.User)
	}
	return w
}

func person(name string, role principal.Role) users.User { return newUser(name+"@example.com", role) }

type item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func num(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(n)}
}

func at(pk, sk string) item { return item{"pk": str(pk), "sk": str(sk)} }

func place(list string, n int64) item { return at("list#"+list, fmt.Sprintf("%010d", n)) }

func (w *populatedStore) drop(t *testing.T, key item) {
	t.Helper()
	if _, err := w.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &w.table, Key: key}); err != nil {
		t.Fatal(err)
	}
}

func (w *populatedStore) put(t *testing.T, key, more item) {
	t.Helper()
	whole := item{}
	maps.Copy(whole, key)
	maps.Copy(whole, more)
	if _, err := w.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &w.table, Item: whole}); err != nil {
		t.Fatal(err)
	}
}

func (w *populatedStore) set(t *testing.T, key item, attribute string, value types.AttributeValue) {
	t.Helper()
	_, err := w.client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: &w.table, Key: key, UpdateExpression: aws.String("SET #a = :v"),
		ExpressionAttributeNames:  map[string]string{"#a": attribute},
		ExpressionAttributeValues: item{":v": value},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func listForm(u users.User, role string) item {
	return item{
		"id": str(u.ID), "email": str(u.Email), "name": str(u.Name), "role": str(role), "status": str(string(u.Status)),
		"created": num(u.CreatedAt.UnixMilli()),
	}
}

// damage is one kind of inconsistency in the table, with the repairs that a rebuild should report.
type damage struct {
	name string
	do   func(*testing.T, *populatedStore)
	want usersdynamo.Repairs
}

func damages() []damage {
	return slices.Concat(wrongMarkers(), wrongLists(), wrongCounts())
}

func wrongMarkers() []damage {
	return []damage{
		{"none", func(*testing.T, *populatedStore) {}, usersdynamo.Repairs{}},
		{"marker gone", func(t *testing.T, w *populatedStore) {
			w.drop(t, at("email#person1@example.com", "email"))
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Resources: 1}}},
		{"marker of an unknown user", func(t *testing.T, w *populatedStore) {
			w.put(t, at("email#ghost@example.com", "email"), item{"user": str("ghost")})
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Strays: 1}}},
		{"marker without a user ID", func(t *testing.T, w *populatedStore) {
			w.put(t, at("email#ghost@example.com", "email"), nil)
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Strays: 1}}},
		{"marker of another user", func(t *testing.T, w *populatedStore) {
			w.set(t, at("email#person1@example.com", "email"), "user", str(w.people[2].ID))
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Strays: 1, Resources: 1}}},
	}
}

func wrongLists() []damage {
	return []damage{
		{"list items gone", func(t *testing.T, w *populatedStore) {
			w.drop(t, place("all", w.people[3].Number))
			w.drop(t, place("manager", w.people[5].Number))
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Resources: 2}}},
		{"list items outdated", func(t *testing.T, w *populatedStore) {
			w.set(t, place("all", w.people[3].Number), "name", str("Old Name"))
			w.set(t, place("viewer", w.people[3].Number), "status", str("pending"))
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Resources: 1}}},
		{"in the list of another role", func(t *testing.T, w *populatedStore) {
			w.put(t, place("viewer", w.people[1].Number), listForm(w.people[1], "viewer"))
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Strays: 1}}},
		{"another role in the list of all", func(t *testing.T, w *populatedStore) {
			w.set(t, place("all", w.people[1].Number), "role", str("nonsense"))
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Resources: 1}}},
		{"listed without a user", func(t *testing.T, w *populatedStore) {
			w.put(t, place("all", 7_000_000), listForm(person("ghost", "user"), "user"))
			w.put(t, place("user", 7_000_000), listForm(person("ghost", "user"), "user"))
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Strays: 2}}},
		{"listed at another number", func(t *testing.T, w *populatedStore) {
			w.drop(t, place("all", w.people[1].Number))
			w.put(t, place("all", 4_000), listForm(w.people[1], "manager"))
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Strays: 1, Resources: 1}}},
		{"a user at the number of another", func(t *testing.T, w *populatedStore) {
			w.put(t, place("all", w.people[1].Number), listForm(w.people[2], "user"))
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Strays: 1, Resources: 1}}},
	}
}

func wrongCounts() []damage {
	return []damage{
		{"counters gone", func(t *testing.T, w *populatedStore) {
			w.drop(t, at("rank#users#1#0", "root"))
			w.drop(t, at("rank#users#2#0", "0"))
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Counters: 2}}},
		{"sequence gone", func(t *testing.T, w *populatedStore) {
			w.drop(t, at("rank#users", "sequence"))
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Sequence: true}}},
		{"sequence behind", func(t *testing.T, w *populatedStore) {
			w.set(t, at("rank#users", "sequence"), "next", num(3))
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Sequence: true}}},
		{"number of admins gone", func(t *testing.T, w *populatedStore) {
			w.drop(t, at("admins", "admins"))
		}, usersdynamo.Repairs{Admins: true}},
		{"number of admins wrong", func(t *testing.T, w *populatedStore) {
			w.set(t, at("admins", "admins"), "n", num(17))
		}, usersdynamo.Repairs{Admins: true}},
		{"everything but the users gone", func(t *testing.T, w *populatedStore) {
			for _, raw := range scanAll(t, w.client, w.table) {
				if !strings.HasPrefix(raw["pk"].(*types.AttributeValueMemberS).Value, "user#") {
					w.drop(t, item{"pk": raw["pk"], "sk": raw["sk"]})
				}
			}
		}, usersdynamo.Repairs{Repairs: lists.Repairs{Resources: 9, Sequence: true, Counters: 3}, Admins: true}},
	}
}

// checkDays is that of a fixture with the same tables.
func (w *populatedStore) checkDays(t *testing.T) {
	t.Helper()
	(&fixture{client: w.client, users: w.table, analytics: w.analytics, store: w.Store}).checkDays(t)
}

// checkPages lists the users of each role. checkConsistency has compared what the pages are found by.
func (w *populatedStore) checkPages(t *testing.T) {
	t.Helper()
	for _, role := range append([]principal.Role{""}, principal.Roles()...) {
		var want, got []string
		for _, u := range w.people {
			if role == "" || u.Role == role {
				want = append(want, u.ID)
			}
		}
		page, err := w.List(t.Context(), users.Query{Role: role, Limit: len(w.people) + 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range page.Users {
			got = append(got, u.ID)
		}
		if page.Total != int64(len(want)) || !slices.Equal(got, want) {
			t.Errorf("users %v of %d in role %q, want %v", got, page.Total, role, want)
		}
	}
}

// checkLastAdmin deletes all admins and expects the store to reject only the last deletion.
func (w *populatedStore) checkLastAdmin(t *testing.T) {
	t.Helper()
	for i, want := range map[int]error{0: nil, 4: nil} {
		if err := w.Delete(t.Context(), w.people[i], leapDay()); !errors.Is(err, want) {
			t.Errorf("delete admin %d: %v", i, err)
		}
	}
	if err := w.Delete(t.Context(), w.people[8], leapDay()); !errors.Is(err, users.ErrLastAdmin) {
		t.Errorf("delete the last admin: %v, want %v", err, users.ErrLastAdmin)
	}
	if _, err := w.Create(t.Context(), users.Creation{User: person("person0", "viewer")}); err != nil {
		t.Errorf("create after the rebuild: %v", err)
	}
}
