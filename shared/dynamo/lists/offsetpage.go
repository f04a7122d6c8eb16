package lists

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/paging"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/rank"
)

// Query selects one page of a list, which begins at an offset or after a position.
type Query struct {
	Label  string // empty means all
	State  string // the same
	Limit  int
	Offset int64           // without After
	After  paging.Position // Next of the page before; empty for the page at the offset
}

// Found is a page of a list.
type Found[T any] struct {
	Entries []T             // in the order of creation
	Total   int64           // the exact number of entries on all pages
	Next    paging.Position // empty on the last page
}

// Page returns one page, strongly consistent. Errors: paging.ErrCursor if query.After is not a position of the list.
//
// The position of an entry is its number, which never changes and is never reused. So the page after a position needs
// one Query. For a page at an offset, the counters first locate the leaf with the offset, and one Query reads from the
// start of that leaf. Concurrent writes between these reads cannot make the page contradict the total.
func Page[T any](ctx context.Context, l *Lists, query Query) (Found[T], error) {
	if query.After != "" {
		return pageAfter[T](ctx, l, query)
	}
	place, err := l.ranks.Find(ctx, query.filter(), query.Offset)
	if err != nil || place.PastEnd {
		return Found[T]{Entries: []T{}, Total: place.Total}, err
	}
	rows, err := readEntries[T](ctx, l, part{query.list(), place, query.Limit})
	total := consistentTotal(place.Total, query, len(rows))
	return newFound(rows, query.Limit, total, query.Offset+int64(query.Limit) < total), err
}

// pageAfter returns the page after a position. It reads one more entry than the page has, to find out whether another
// page follows.
func pageAfter[T any](ctx context.Context, l *Lists, query Query) (Found[T], error) {
	last, err := numberAt(query.After)
	if err != nil {
		return Found[T]{}, err
	}
	total, err := l.ranks.Total(ctx, query.filter())
	if err != nil {
		return Found[T]{}, err
	}
	rows, err := readEntries[T](ctx, l, part{query.list(), rank.Place{Start: last + 1}, query.Limit + 1})
	return newFound(rows, query.Limit, max(total, int64(len(rows))), len(rows) > query.Limit), err
}

// newFound returns the page of the first rows.
func newFound[T any](rows []Numbered[T], limit int, total int64, hasMore bool) Found[T] {
	rows = rows[:min(len(rows), limit)]
	page := Found[T]{Entries: make([]T, len(rows)), Total: total}
	for i, row := range rows {
		page.Entries[i] = row.Entry
		if hasMore {
			page.Next = paging.Position(strconv.FormatInt(row.Number, 10))
		}
	}
	return page
}

// numberAt returns the number of the entry at a position.
func numberAt(position paging.Position) (int64, error) {
	n, err := strconv.ParseUint(string(position), 10, 32) // the numbers of package rank have less than 32 bits
	if err != nil || strconv.FormatUint(n, 10) != string(position) {
		return 0, paging.ErrCursor
	}
	return int64(n), nil
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

func (q Query) filter() rank.Filter { return rank.Filter{Label: q.Label, State: q.State} }

// list returns the name of the list with the entries of the filter.
func (q Query) list() string {
	list := cmp.Or(q.Label, all)
	if q.State != "" {
		return Entry{State: q.State}.inState(list)
	}
	return list
}

// Numbered is an entry with its number.
type Numbered[T any] struct {
	Number int64
	Entry  T
}

// From returns up to limit entries of the complete list whose numbers are at least a given number, in the order of
// creation, strongly consistent. The limit must be so small that one Query reads all.
func From[T any](ctx context.Context, l *Lists, from int64, limit int) ([]Numbered[T], error) {
	return readEntries[T](ctx, l, part{all, rank.Place{Start: from}, limit})
}

// part is a part of a list: up to limit entries from a place on.
type part struct {
	list  string
	place rank.Place
	limit int
}

// readEntries returns the entries of a part.
func readEntries[T any](ctx context.Context, l *Lists, p part) ([]Numbered[T], error) {
	pages := dynamodb.NewQueryPaginator(l.client, &dynamodb.QueryInput{
		TableName: &l.table, ConsistentRead: aws.Bool(true),
		Limit:                  aws.Int32(int32(p.place.Skip + p.limit)), //nolint:gosec // both are small: a leaf and a page
		KeyConditionExpression: aws.String("pk = :list AND sk >= :start"),
		ExpressionAttributeValues: items.Map{":list": items.Text(l.prefix + p.list),
			":start": items.Text(number(p.place.Start))},
	})
	var rows []Numbered[T]
	passed := 0
	for pages.HasMorePages() && len(rows) < p.limit {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the list %s: %w", l.prefix+p.list, err)
		}
		for _, item := range page.Items {
			if passed++; passed <= p.place.Skip || len(rows) == p.limit {
				continue
			}
			at, err := l.entry(item)
			if err != nil {
				return nil, err
			}
			entry, err := items.Decode[T](item)
			if err != nil {
				return nil, err
			}
			rows = append(rows, Numbered[T]{at.Number, entry})
		}
	}
	return rows, nil
}
