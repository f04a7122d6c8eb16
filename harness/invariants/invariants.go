// Package invariants lists what is wrong in the tables of users and credentials, whatever has happened to them. It reads the raw items and
// shares no code with the stores that write them.
package invariants

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/testkit/liststest"
)

// Tables are the names of the tables to check.
type Tables struct{ Users, Credentials string }

// row is any item, with the attributes that the checks need.
type row struct {
	PK       string `dynamodbav:"pk"`
	SK       string `dynamodbav:"sk"`
	ID       string `dynamodbav:"id"`
	Email    string `dynamodbav:"email"`
	Name     string `dynamodbav:"name"`
	Role     string `dynamodbav:"role"`
	Status   string `dynamodbav:"status"`
	Created  int64  `dynamodbav:"created"`
	Number   int64  `dynamodbav:"number"`
	N        int64  `dynamodbav:"n"`
	Next     int64  `dynamodbav:"next"`
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

// Check reads the tables completely and returns a sentence for every broken rule, sorted. No other process may write meanwhile.
func Check(ctx context.Context, client *dynamodb.Client, tables Tables, now time.Time) ([]string, error) {
	people, err := scan(ctx, client, tables.Users)
	if err != nil {
		return nil, err
	}
	secrets, err := scan(ctx, client, tables.Credentials)
	if err != nil {
		return nil, err
	}
	var broken report
	owners := checkUsers(&broken, people)
	checkCredentials(&broken, secrets, owners, now)
	slices.Sort(broken)
	return broken, nil
}

// scan returns all items of a table.
func scan(ctx context.Context, client *dynamodb.Client, table string) ([]row, error) {
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
