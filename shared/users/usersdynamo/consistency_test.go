package usersdynamo_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/search"
	"portside/shared/testkit/liststest"
)

// anyItem is any item of the users table, with the attributes that the checks need.
type anyItem struct {
	PK       string `dynamodbav:"pk"`
	SK       string `dynamodbav:"sk"`
	ID       string `dynamodbav:"id"`
	Email    string `dynamodbav:"email"`
	Name     string `dynamodbav:"name"`
	Customer string `dynamodbav:"customer"`
	Role     string `dynamodbav:"role"`
	Status   string `dynamodbav:"status"`
	Created  int64  `dynamodbav:"created"`
	Number   int64  `dynamodbav:"number"`
	User     string `dynamodbav:"user"`
	N        int64  `dynamodbav:"n"`
	Next     int64  `dynamodbav:"next"`
}

// checkConsistency compares everything that the table derives from its users with the users: email
// markers, lists, every counter, the terms of searches, the number of active admins and the sequence of numbers. It reads
// the raw items and shares no code with the store. It returns the number of users.
func checkConsistency(t *testing.T, client *dynamodb.Client, table string) int {
	t.Helper()
	wanted, found := map[string]string{}, map[string]string{}
	users, next, admins := 0, int64(0), int64(0)
	counters, counted := liststest.Counts{}, liststest.Counts{}
	for _, raw := range scanAll(t, client, table) {
		var item anyItem
		if err := attributevalue.UnmarshalMap(raw, &item); err != nil {
			t.Fatal(err)
		}
		kind, _, _ := strings.Cut(item.PK, "#")
		switch {
		case kind == "user":
			users++
			expect(wanted, item, counters)
			if item.Role == "admin" && item.Status == "active" && item.Customer == "" {
				admins++
			}
			next = max(next, item.Number+1)
		case kind == "email":
			found[item.PK] = item.User
		case kind == "list":
			found[item.PK+" "+item.SK] = listed(item)
		case kind == "search":
			liststest.AddTerm(found, raw)
		case kind == "admins":
			found["active admins"] = strconv.FormatInt(item.N, 10)
		case kind == "rank" && item.SK == "sequence":
			if item.Next < next {
				t.Errorf("the next number is %d, but a user has number %d", item.Next, next-1)
			}
		case kind == "rank":
			counted.Read(raw)
		}
	}
	counters.AddTo(wanted)
	counted.AddTo(found)
	if admins > 0 || found["active admins"] != "" {
		wanted["active admins"] = strconv.FormatInt(admins, 10)
	}
	liststest.Compare(t, wanted, found)
	return users
}

// expect adds the items that the table must have for a user.
func expect(wanted map[string]string, user anyItem, counters liststest.Counts) {
	number := fmt.Sprintf("%010d", user.Number)
	wanted["email#"+user.Email] = user.ID
	wanted["list#all "+number] = listed(user)
	wanted["list#"+user.Role+" "+number] = listed(user)
	wanted["list#all#"+user.Status+" "+number] = listed(user)
	wanted["list#"+user.Role+"#"+user.Status+" "+number] = listed(user)
	liststest.AddTerms(wanted, user.ID, user.Email, user.Name)
	label := slices.Index([]string{"admin", "manager", "user", "viewer"}, user.Role)
	state := slices.Index([]string{"active", "pending", "inactive", "suspended"}, user.Status)
	counters.CountState("users", user.Number, label, state)
	if of := user.Customer; of != "" {
		wanted["list#"+of+"#all "+number] = listed(user)
		wanted["list#"+of+"#"+user.Role+" "+number] = listed(user)
		wanted["list#"+of+"#all#"+user.Status+" "+number] = listed(user)
		wanted["list#"+of+"#"+user.Role+"#"+user.Status+" "+number] = listed(user)
		liststest.AddTermsIn(of, wanted, user.ID, search.Terms(user.Email, user.Name))
		counters.CountState("users#"+of, user.Number, label, state)
	}
}

func listed(i anyItem) string {
	return fmt.Sprintf("%s %s %q %s %s %s %d", i.ID, i.Email, i.Name, i.Customer, i.Role, i.Status, i.Created)
}

// scanAll returns all items, users first, because the sequence is compared with the users.
func scanAll(t *testing.T, client *dynamodb.Client, table string) []liststest.Item {
	t.Helper()
	all := liststest.Scan(t, client, table)
	slices.SortStableFunc(all, func(a, b liststest.Item) int { return sequenceLast(a) - sequenceLast(b) })
	return all
}

func sequenceLast(item liststest.Item) int {
	if liststest.Text(item, "sk") == "sequence" {
		return 1
	}
	return 0
}
