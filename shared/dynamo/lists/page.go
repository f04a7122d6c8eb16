package lists

import (
	"cmp"
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/items"
	"portside/shared/dynamo/rank"
)

// Query asks for one page of a list.
type Query struct {
	Label  string // empty means all
	State  string // the same
	Limit  int
	Offset int64
}

// Page returns the entries at an offset in the order of creation, and the exact total of the filter,
// strongly consistent. The counters say where the offset is, and then one Query reads from the
// start of its leaf. Writes between the two reads cannot make the total contradict the page; see
// consistentTotal.
func Page[T any](ctx context.Context, l *Lists, query Query) (page []T, total int64, err error) {
	page = make([]T, 0, query.Limit)
	place, err := l.ranks.Find(ctx, rank.Filter{Label: query.Label, State: query.State}, query.Offset)
	if err != nil || place.PastEnd {
		return page, place.Total, err
	}
	err = l.visitPage(ctx, query, place, func(item items.Map) error {
		entry, err := items.Decode[T](item)
		page = append(page, entry)
		return err
	})
	return page, consistentTotal(place.Total, query, len(page)), err
}

// consistentTotal returns a total that agrees with the page, which was read after the counters. A page that is
// not full has reached the end of the list, so the total follows from it. An empty page shows that
// there are no more entries than its offset, and a full one that there are at least as many as it
// shows.
func consistentTotal(counted int64, query Query, rows int) int64 {
	shown := query.Offset + int64(rows)
	switch {
	case rows >= query.Limit:
		return max(counted, shown)
	case rows > 0:
		return shown
	}
	return min(counted, query.Offset)
}

// Numbered is an entry with its number.
type Numbered[T any] struct {
	Number int64
	Entry  T
}

// From returns up to limit entries of the list of all, with numbers from a number on, in the order of creation. It makes one strongly
// consistent Query. Limits are small, so that one Query reads all.
func From[T any](ctx context.Context, l *Lists, from int64, limit int) ([]Numbered[T], error) {
	out, err := l.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &l.table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(int32(limit)), //nolint:gosec // a page
		KeyConditionExpression:    aws.String("pk = :list AND sk >= :start"),
		ExpressionAttributeValues: items.Map{":list": items.Text(l.prefix + all), ":start": items.Text(number(from))},
	})
	if err != nil {
		return nil, fmt.Errorf("read the list %s: %w", l.prefix+all, err)
	}
	found := make([]Numbered[T], len(out.Items))
	for i, item := range out.Items {
		at, err := l.entry(item)
		if err != nil {
			return nil, err
		}
		if found[i].Entry, err = items.Decode[T](item); err != nil {
			return nil, err
		}
		found[i].Number = at.Number
	}
	return found, nil
}

// each visits the entries of the page.
func (l *Lists) visitPage(ctx context.Context, query Query, place rank.Place, visit func(items.Map) error) error {
	list := cmp.Or(query.Label, all)
	if query.State != "" {
		list = Entry{State: query.State}.inState(list)
	}
	pages := dynamodb.NewQueryPaginator(l.client, &dynamodb.QueryInput{
		TableName: &l.table, ConsistentRead: aws.Bool(true),
		Limit:                     aws.Int32(int32(place.Skip + query.Limit)), //nolint:gosec // both are small: a leaf and a page
		KeyConditionExpression:    aws.String("pk = :list AND sk >= :start"),
		ExpressionAttributeValues: items.Map{":list": items.Text(l.prefix + list), ":start": items.Text(number(place.Start))},
	})
	found, passed := 0, 0
	for pages.HasMorePages() && found < query.Limit {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("read the list %s: %w", list, err)
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
