// Package invariants checks the rules that the tables and buckets must satisfy after any requests, events, faults and
// crashes. It reads the raw items and objects, and shares no code with the stores that write them.
package invariants

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/testkit/liststest"
)

// Tables are the names of the tables to check.
//
// Without the name of Audit, the audit log is not checked.
type Tables struct{ Users, Credentials, Customers, Projects, Pulls, Analytics, Audit string }

// row is any item, with the attributes that the checks need.
type row struct {
	PK       string `dynamodbav:"pk"`
	SK       string `dynamodbav:"sk"`
	ID       string `dynamodbav:"id"`
	Name     string `dynamodbav:"name"`
	Role     string `dynamodbav:"role"`
	Status   string `dynamodbav:"status"`
	Created  int64  `dynamodbav:"created"`
	N        int64  `dynamodbav:"n"`
	User     string `dynamodbav:"user"`
	Kind     string `dynamodbav:"kind"`
	Owner    string `dynamodbav:"owner"`
	Active   bool   `dynamodbav:"active"`
	Expires  int64  `dynamodbav:"expires"`
	Revoked  int64  `dynamodbav:"revoked"`
	Line     string `dynamodbav:"line"`
	LineEnds int64  `dynamodbav:"lineEnds"`
	Issued   int64  `dynamodbav:"issued"`
	Live     int64  `dynamodbav:"live"`

	Generation int64 `dynamodbav:"generation"`

	raw liststest.Item
}

// kind is the part of the partition key that says what the item is.
func (r row) kind() string {
	kind, _, _ := strings.Cut(r.PK, "#")
	return kind
}

// after is the partition key without its kind.
func (r row) after() string {
	_, rest, _ := strings.Cut(r.PK, "#")
	return rest
}

// report collects the broken rules.
type report []string

func (r *report) add(format string, values ...any) { *r = append(*r, fmt.Sprintf(format, values...)) }

// Check reads the tables completely and returns a sentence for every broken rule, sorted. No other process may write
// meanwhile.
func Check(ctx context.Context, client *dynamodb.Client, tables Tables, now time.Time) ([]string, error) {
	stored := map[string][]row{}
	for _, table := range []string{
		tables.Users, tables.Credentials, tables.Customers, tables.Projects, tables.Pulls, tables.Analytics, tables.Audit,
	} {
		var err error
		if stored[table], err = scan(ctx, client, table); err != nil {
			return nil, err
		}
	}
	people, secrets, projects, analytics := stored[tables.Users], stored[tables.Credentials], stored[tables.Projects],
		stored[tables.Analytics]
	var broken report
	owners := checkUsers(&broken, people)
	checkCredentials(&broken, secrets, owners, now)
	checkPasskeys(&broken, secrets, owners)
	checkRequests(&broken, secrets)
	checkCustomers(&broken, stored[tables.Customers], secrets)
	checkMembers(&broken, secrets, owners)
	checkEntitlements(&broken, secrets)
	checkPolicies(&broken, secrets)
	broken.checkResources(projectShape, projects, map[string]string{}, map[string]string{})
	checkCounts(&broken, people, projects, analytics)
	if err := checkPulls(&broken, stored[tables.Pulls], analytics); err != nil {
		return nil, err
	}
	if tables.Audit != "" {
		checkAudit(&broken, stored[tables.Audit], secrets, people, projects, stored[tables.Customers])
	}
	slices.Sort(broken)
	return broken, nil
}

// compare reports each value of a domain that differs. "" stands for none.
func compare(broken *report, domain string, wanted, found map[string]string) {
	all := maps.Clone(wanted)
	maps.Copy(all, found)
	for name := range all {
		if wanted[name] != found[name] {
			broken.add("%s: %s is %q, want %q", domain, name, found[name], wanted[name])
		}
	}
}

// checkEffect checks that no two idempotency keys have created the same item. effects has the keys so far by the ID of
// the item.
func checkEffect(broken *report, domain string, effects map[string]string, once row) {
	id := liststest.Text(nested(once.raw, "made"), "id")
	if other := effects[id]; other != "" && id != "" {
		broken.add("%s: the idempotency keys %s and %s have both made %s", domain, other, once.PK, id)
	}
	effects[id] = once.PK
}

// nested returns an attribute that is a map, or nil.
func nested(item liststest.Item, name string) liststest.Item {
	if value, isMap := item[name].(*types.AttributeValueMemberM); isMap {
		return value.Value
	}
	return nil
}

// scan returns all items of a table; none if it has no name.
func scan(ctx context.Context, client *dynamodb.Client, table string) ([]row, error) {
	if table == "" {
		return nil, nil
	}
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &table, ConsistentRead: aws.Bool(true)})
	var all []row
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the table %s: %w", table, err)
		}
		for _, raw := range page.Items {
			item := row{raw: raw}
			if err := attributevalue.UnmarshalMap(raw, &item); err != nil {
				return nil, fmt.Errorf("decode an item of the table %s: %w", table, err)
			}
			all = append(all, item)
		}
	}
	return all, nil
}
