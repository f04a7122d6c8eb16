// Package lists keeps things in DynamoDB in the order of their creation, for pages at any offset with exact totals: a list of
// all, and one of each label (a role, a status), counted by package rank.
//
//	list#all        <number>   the list form of a thing
//	list#<label>    <number>   the same, of one label
//	rank#<name>…               counts over the lists; see package rank
//
// The list form is kept in items of its own, and not in an index, because an index is read eventually consistently: a page would
// disagree with its total just after a write. So a thing is written together with its entries and their counts, in one
// transaction, for which [Changes] gathers the writes. Things restored or edited around that are put right by [Lists.Rebuild].
//
// An entry's list form has the attributes "id", which names its thing, and "created", in milliseconds.
package lists

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
	"portside/shared/dynamo/rank"
)

const (
	prefix = "list#"
	all    = "all"
)

// Shape is what tells lists apart.
type Shape struct {
	Name   string   // of the counters
	Label  string   // the attribute of an entry that holds its label
	Labels []string // see rank.New; "all" cannot be one
}

// Lists is the lists of one kind of thing in a table.
type Lists struct {
	client *dynamodb.Client
	table  string
	shape  Shape
	ranks  *rank.Tree
}

// New returns the lists in a table.
func New(client *dynamodb.Client, table string, shape Shape) *Lists {
	return &Lists{client: client, table: table, shape: shape, ranks: rank.New(client, table, shape.Name, shape.Labels)}
}

// Allocate returns the first of n numbers for new entries, and the time of their creation; see rank.Tree.Allocate.
func (l *Lists) Allocate(ctx context.Context, n int, now time.Time) (first int64, at time.Time, err error) {
	return l.ranks.Allocate(ctx, n, now)
}

// Query asks for one page of a list.
type Query struct {
	Label  string // empty: all
	Limit  int
	Offset int64
}

// Page returns the entries of a page in the order of creation, and the exact total of the label, strongly consistent. The
// counters say where the offset lies, then one Query reads from the start of its leaf. What is written between the two reads
// cannot make the total contradict the page; see seen.
func Page[T any](ctx context.Context, l *Lists, query Query) (page []T, total int64, err error) {
	page = make([]T, 0, query.Limit)
	place, err := l.ranks.Find(ctx, query.Label, query.Offset)
	if err != nil || place.PastEnd {
		return page, place.Total, err
	}
	err = l.each(ctx, query, place, func(item items.Map) error {
		entry, err := items.Decode[T](item)
		page = append(page, entry)
		return err
	})
	return page, seen(place.Total, query, len(page)), err
}

// seen is the total that a page shows which was read after the counters. A page that is not full has reached the list's end, so
// that the total follows from it; an empty one shows that there are no more than its offset. A full one shows that there are
// at least as many.
func seen(counted int64, query Query, rows int) int64 {
	shown := query.Offset + int64(rows)
	switch {
	case rows >= query.Limit:
		return max(counted, shown)
	case rows > 0:
		return shown
	}
	return min(counted, query.Offset)
}

// each visits as many entries as the query asks for.
func (l *Lists) each(ctx context.Context, query Query, place rank.Place, visit func(items.Map) error) error {
	list := all
	if query.Label != "" {
		list = query.Label
	}
	pages := dynamodb.NewQueryPaginator(l.client, &dynamodb.QueryInput{
		TableName: &l.table, ConsistentRead: aws.Bool(true),
		Limit:                     aws.Int32(int32(place.Skip + query.Limit)), //nolint:gosec // both are small: a leaf and a page
		KeyConditionExpression:    aws.String("pk = :list AND sk >= :start"),
		ExpressionAttributeValues: items.Map{":list": items.Text(prefix + list), ":start": items.Text(number(place.Start))},
	})
	found, passed := 0, 0
	for pages.HasMorePages() && found < query.Limit {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("list %s: %w", list, err)
		}
		for _, item := range page.Items {
			if passed++; passed <= place.Skip || found == query.Limit {
				continue
			}
			if err := visit(item); err != nil {
				return err
			}
			found++
		}
	}
	return nil
}

// number writes a number so that text order is number order: rank's capacity has 8 digits.
func number(n int64) string { return fmt.Sprintf("%010d", n) }

// IsKey reports whether a partition key is that of a list.
func IsKey(pk string) bool { return strings.HasPrefix(pk, prefix) }

// Entry is a thing in the lists.
type Entry struct {
	Number int64
	Label  string
	Form   items.Map // the list form, without keys
}

// Items returns the entry as it stands in the list of all and in that of its label.
func (e Entry) Items() []items.Map { return []items.Map{e.in(all), e.in(e.Label)} }

func (e Entry) in(list string) items.Map {
	item := items.Key(prefix+list, number(e.Number))
	maps.Copy(item, e.Form)
	return item
}

// Changes gathers what one transaction does to the lists. Its methods return the writes of entries, each of which fails where
// the lists disagree with the things.
type Changes struct {
	lists  *Lists
	counts *rank.Changes
}

// Changes returns an empty collection of changes.
func (l *Lists) Changes() *Changes { return &Changes{l, l.ranks.Changes()} }

// Add adds a new entry.
func (c *Changes) Add(e Entry) []types.TransactWriteItem {
	c.counts.Add(e.Number, e.Label)
	return []types.TransactWriteItem{c.put(e.in(all), isNew), c.put(e.in(e.Label), isNew)}
}

// Replace gives an entry another form, and maybe another label.
func (c *Changes) Replace(before, after Entry) []types.TransactWriteItem {
	writes := []types.TransactWriteItem{c.put(after.in(all), isThere)}
	if before.Label == after.Label {
		return append(writes, c.put(after.in(after.Label), isThere))
	}
	c.counts.Move(before.Number, before.Label, after.Label)
	return append(writes, c.remove(before, before.Label), c.put(after.in(after.Label), isNew))
}

// Remove takes an entry away.
func (c *Changes) Remove(e Entry) []types.TransactWriteItem {
	c.counts.Remove(e.Number, e.Label)
	return []types.TransactWriteItem{c.remove(e, all), c.remove(e, e.Label)}
}

// Counters returns the writes of the counters that all changes together change; they cannot fail by themselves.
func (c *Changes) Counters() ([]types.TransactWriteItem, error) { return c.counts.Items() }

const (
	isNew   = "attribute_not_exists(pk)"
	isThere = "attribute_exists(pk)"
)

func (c *Changes) put(item items.Map, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: &c.lists.table, Item: item, ConditionExpression: &condition}}
}

func (c *Changes) remove(e Entry, list string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &c.lists.table, Key: items.Key(prefix+list, number(e.Number)), ConditionExpression: aws.String(isThere),
	}}
}
