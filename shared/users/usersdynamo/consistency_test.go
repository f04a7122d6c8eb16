package usersdynamo_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// anyItem is any item of the users table, with what the checks need of it.
type anyItem struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	ID      string `dynamodbav:"id"`
	Email   string `dynamodbav:"email"`
	Name    string `dynamodbav:"name"`
	Role    string `dynamodbav:"role"`
	Status  string `dynamodbav:"status"`
	Created int64  `dynamodbav:"created"`
	Number  int64  `dynamodbav:"number"`
	User    string `dynamodbav:"user"`
	N       int64  `dynamodbav:"n"`
	Next    int64  `dynamodbav:"next"`
}

// checkConsistency compares everything that the table derives from its users with the users themselves: e-mail
// markers, lists, every single counter, the number of active admins and the sequence of numbers. It reads the raw items
// and shares no code with the store. It returns the number of users.
func checkConsistency(t *testing.T, client *dynamodb.Client, table string) int {
	t.Helper()
	wanted, found := map[string]string{}, map[string]string{}
	users, next, admins := 0, int64(0), int64(0)
	counters := map[string]int64{}
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
			if item.Role == "admin" && item.Status == "active" {
				admins++
			}
			next = max(next, item.Number+1)
		case kind == "email":
			found[item.PK] = item.User
		case kind == "list":
			found[item.PK+" "+item.SK] = listed(item)
		case kind == "admins":
			found["active admins"] = strconv.FormatInt(item.N, 10)
		case kind == "rank" && item.SK == "rank":
			for name, count := range cells(raw) {
				found[item.PK+" "+name] = strconv.FormatInt(count, 10)
			}
		case kind == "rank" && item.SK == "sequence":
			if item.Next < next {
				t.Errorf("the sequence gives out %d next; a user has %d", item.Next, next-1)
			}
		}
	}
	for name, count := range counters {
		wanted[name] = strconv.FormatInt(count, 10)
	}
	if admins > 0 || found["active admins"] != "" {
		wanted["active admins"] = strconv.FormatInt(admins, 10)
	}
	compare(t, wanted, found)
	return users
}

// expect notes what one user must have left in the table.
func expect(wanted map[string]string, user anyItem, counters map[string]int64) {
	number := fmt.Sprintf("%010d", user.Number)
	wanted["email#"+user.Email] = user.ID
	wanted["list#all "+number] = listed(user)
	wanted["list#"+user.Role+" "+number] = listed(user)
	label := slices.Index([]string{"admin", "manager", "user", "viewer"}, user.Role)
	span := int64(64 * 32 * 32 * 32) // numbers under one child of the root
	for level := range 4 {
		child := user.Number / span
		digits := ""
		for d := child / 32; len(digits) < level; d /= 32 {
			digits = strconv.FormatInt(d%32, 32) + digits
		}
		counters[fmt.Sprintf("rank#users#%d#%s %s%d", level, digits, strconv.FormatInt(child%32, 32), label)]++
		span /= 32
	}
}

func listed(i anyItem) string {
	return fmt.Sprintf("%s %s %q %s %s %d", i.ID, i.Email, i.Name, i.Role, i.Status, i.Created)
}

// cells returns a node's counts other than zero.
func cells(raw map[string]types.AttributeValue) map[string]int64 {
	counts := map[string]int64{}
	for name, value := range raw {
		number, isNumber := value.(*types.AttributeValueMemberN)
		if !isNumber || len(name) != 2 || name[1] > '9' {
			continue
		}
		if n, err := strconv.ParseInt(number.Value, 10, 64); err != nil || n != 0 {
			counts[name] = n
		}
	}
	return counts
}

func compare(t *testing.T, wanted, found map[string]string) {
	t.Helper()
	differences := 0
	all := maps.Clone(wanted)
	maps.Copy(all, found)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if wanted[name] == found[name] {
			continue
		}
		if differences++; differences <= 20 {
			t.Errorf("%s is %q, want %q", name, found[name], wanted[name])
		}
	}
	if differences > 20 {
		t.Errorf("… and %d more differences", differences-20)
	}
}

func scanAll(t *testing.T, client *dynamodb.Client, table string) []map[string]types.AttributeValue {
	t.Helper()
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &table, ConsistentRead: aws.Bool(true)})
	var all []map[string]types.AttributeValue
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Items...)
	}
	// The sequence is compared with users, who therefore come first.
	slices.SortStableFunc(all, func(a, b map[string]types.AttributeValue) int {
		return sequenceLast(a) - sequenceLast(b)
	})
	return all
}

func sequenceLast(item map[string]types.AttributeValue) int {
	if sk, isText := item["sk"].(*types.AttributeValueMemberS); isText && sk.Value == "sequence" {
		return 1
	}
	return 0
}
