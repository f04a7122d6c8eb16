package rank_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/retry"
	"portside/shared/dynamo/rank"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
)

var (
	labels = []string{"admin", "manager", "user", "viewer", "guest"}
	states = []string{"active", "pending", "inactive", "suspended"}
)

// directory is a simple user of package rank: a tree, and one item for each entry that it counts.
type directory struct {
	client *dynamodb.Client
	table  string
	tree   *rank.Tree
}

func newDirectory(tb testing.TB) *directory {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	table := awstest.Table(tb, client, "UsersTable")
	return &directory{client: client, table: table, tree: rank.New(client, table, "users", labels)}
}

// through returns the same directory with another client.
func (d *directory) through(client *dynamodb.Client) *directory {
	return &directory{client: client, table: d.table, tree: rank.New(client, d.table, "users", labels)}
}

func entryKey(number int64) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "list"},
		"sk": &types.AttributeValueMemberS{Value: fmt.Sprintf("%08d", number)},
	}
}

// at returns an entry without a state.
func at(number int64, label string) rank.Entry { return rank.Entry{Number: number, Label: label} }

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func (d *directory) create(ctx context.Context, label string) (rank.Entry, error) {
	number, _, err := d.tree.Allocate(ctx, 1, time.UnixMilli(1))
	if err != nil {
		return rank.Entry{}, err
	}
	item := entryKey(number)
	item["label"] = text(label)
	changes := d.tree.Changes()
	changes.Add(at(number, label))
	return rank.Entry{Number: number, Label: label}, d.write(ctx, changes, types.TransactWriteItem{
		Put: &types.Put{TableName: &d.table, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)")},
	})
}

func (d *directory) move(ctx context.Context, e rank.Entry, to string) error {
	changes := d.tree.Changes()
	changes.Move(e, at(e.Number, to))
	return d.write(ctx, changes, types.TransactWriteItem{Update: &types.Update{
		TableName: &d.table, Key: entryKey(e.Number),
		UpdateExpression: aws.String("SET label = :to"), ConditionExpression: aws.String("label = :from"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":from": text(e.Label), ":to": text(to)},
	}})
}

func (d *directory) remove(ctx context.Context, e rank.Entry) error {
	changes := d.tree.Changes()
	changes.Remove(e)
	return d.write(ctx, changes, types.TransactWriteItem{Delete: &types.Delete{
		TableName: &d.table, Key: entryKey(e.Number), ConditionExpression: aws.String("label = :from"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":from": text(e.Label)},
	}})
}

// write writes the entry and its counts in one transaction, with many attempts and no waits.
func (d *directory) write(ctx context.Context, changes *rank.Changes, entry ...types.TransactWriteItem) error {
	counters, err := changes.Items()
	if err != nil {
		return err
	}
	return transactions.WriteWith(ctx, retry.Policy{Attempts: 1000}, d.client, append(entry, counters...))
}

// source is the rank.Source of the table's entries.
func (d *directory) source(ctx context.Context, from, to int64) iter.Seq2[rank.Entry, error] {
	return func(yield func(rank.Entry, error) bool) {
		pages := dynamodb.NewQueryPaginator(d.client, &dynamodb.QueryInput{
			TableName: &d.table, ConsistentRead: aws.Bool(true),
			KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :from AND :to"),
			ExpressionAttributeValues: map[string]types.AttributeValue{
				":pk": text("list"), ":from": entryKey(from)["sk"], ":to": entryKey(to - 1)["sk"],
			},
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(rank.Entry{}, err)
				return
			}
			for _, item := range page.Items {
				if e, err := entry(item); !yield(e, err) {
					return
				}
			}
		}
	}
}

func entry(item map[string]types.AttributeValue) (rank.Entry, error) {
	number, err := strconv.ParseInt(item["sk"].(*types.AttributeValueMemberS).Value, 10, 64)
	return rank.Entry{Number: number, Label: item["label"].(*types.AttributeValueMemberS).Value}, err
}

// walk returns all entries in the order of their numbers.
func (d *directory) walk(tb testing.TB) []rank.Entry {
	tb.Helper()
	var all []rank.Entry
	for e, err := range d.source(tb.Context(), 0, rank.Capacity) {
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// reporter has the methods that *testing.T and *rapid.T have in common.
type reporter interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// page is the filter and the offset of a page.
type page struct {
	label  string
	offset int64
	state  string
}

func (p page) filter() rank.Filter { return rank.Filter{Label: p.label, State: p.state} }

// shows reports whether the page's list has the entry.
func (p page) shows(e rank.Entry) bool {
	return (p.label == "" || e.Label == p.label) && (p.state == "" || e.State == p.state)
}

// checkPlace compares Find with the naive answer from a sorted slice of all entries.
func checkPlace(t reporter, tree *rank.Tree, all []rank.Entry, p page) {
	t.Helper()
	place, err := tree.Find(t.Context(), p.filter(), p.offset)
	if err != nil {
		t.Fatalf("find %+v: %v", p, err)
	}
	var numbers []int64
	for _, e := range all {
		if p.shows(e) {
			numbers = append(numbers, e.Number)
		}
	}
	total := int64(len(numbers))
	if place.Total != total || place.PastEnd != (p.offset >= total) || place.Skip < 0 || place.Skip > 63 {
		t.Errorf("find %+v = %+v, want a total of %d", p, place, total)
	}
	if p.offset >= total {
		return
	}
	first, _ := slices.BinarySearch(numbers, place.Start)
	if got := int64(first + place.Skip); got != max(p.offset, 0) {
		t.Errorf("find %+v = %+v, which is the entry at offset %d", p, place, got)
	}
}

func checkTotals(t reporter, tree *rank.Tree, all []rank.Entry) {
	t.Helper()
	totals, err := tree.Totals(t.Context())
	if err != nil {
		t.Fatalf("totals: %v", err)
	}
	want := map[string]int64{}
	for _, e := range all {
		want[e.Label]++
	}
	for _, label := range labels {
		if totals[label] != want[label] {
			t.Errorf("total of %s = %d, want %d", label, totals[label], want[label])
		}
	}
}

// fill counts n entries with alternating labels, many in each transaction, without creating their items.
func fill(tb testing.TB, d *directory, n int) {
	tb.Helper()
	const batch = 64 * 2048
	for done := 0; done < n; done += batch {
		size := min(batch, n-done)
		first, _, err := d.tree.Allocate(tb.Context(), size, time.UnixMilli(1))
		if err != nil {
			tb.Fatal(err)
		}
		changes := d.tree.Changes()
		for i := range int64(size) {
			changes.Add(at(first+i, labels[(first+i)%int64(len(labels))]))
		}
		if err := d.write(tb.Context(), changes); err != nil {
			tb.Fatal(err)
		}
	}
}
