package analyticsdynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
)

var _ analytics.Store = (*Store)(nil)

// Counts implements analytics.Store in two calls. The totals and the days that may still change are
// read in one transaction. Older days no longer change, so an eventually consistent read at half
// the price is enough.
//
// Tomorrow is one of the days that may change: around midnight a writer whose clock is fast already
// counts there. Such changes have happened and are in the totals, so they count as today's.
func (s *Store) Counts(ctx context.Context, since, today calendar.Day) (analytics.Counts, error) {
	counts := analytics.Counts{Now: analytics.Counters{}, Changes: map[calendar.Day]analytics.Counters{}}
	add := func(item items.Map) error { return addCounts(counts, item, today) }
	if since < today-1 {
		if err := s.eachDay(ctx, dayRange{daycounts.Partition, since, today - 2}, add); err != nil {
			return counts, err
		}
	}
	latest, err := transactions.Read(ctx, s.client, []types.TransactGetItem{
		s.get(daycounts.TotalKey()), s.get(dayKey(daycounts.Partition, today+1)),
		s.get(dayKey(daycounts.Partition, today)), s.get(dayKey(daycounts.Partition, today-1)),
	})
	if err != nil {
		return counts, fmt.Errorf("read the counts: %w", err)
	}
	for _, item := range latest {
		if item == nil {
			continue
		}
		if err := add(item); err != nil {
			return counts, s.itemError(item, err)
		}
	}
	return counts, nil
}

func (s *Store) get(key items.Map) types.TransactGetItem {
	return types.TransactGetItem{Get: &types.Get{TableName: &s.table, Key: key}}
}

func addCounts(counts analytics.Counts, item items.Map, today calendar.Day) error {
	change, err := daycounts.Counters(item)
	if err != nil {
		return fmt.Errorf("read the counts: %w", err)
	}
	counters := counts.Now
	if !daycounts.IsTotal(item) {
		day, err := daycounts.DayOf(item)
		if err != nil {
			return fmt.Errorf("read the counts: %w", err)
		}
		day = min(day, today)
		if counts.Changes[day] == nil {
			counts.Changes[day] = analytics.Counters{}
		}
		counters = counts.Changes[day]
	}
	for name, n := range change {
		counters[name] += n
	}
	return nil
}

// Requests implements analytics.Store with one call for every megabyte, which is about four years.
func (s *Store) Requests(ctx context.Context, first, last calendar.Day) (map[calendar.Day]*analytics.RequestStats, error) {
	found := map[calendar.Day]*analytics.RequestStats{}
	err := s.eachDay(ctx, dayRange{requests, first, last}, func(item items.Map) error {
		day, err := itemDay(item)
		if err == nil {
			found[day], err = decodeRequestStats(item)
		}
		return err
	})
	return found, err
}

// Usage implements analytics.Store.
func (s *Store) Usage(ctx context.Context, first, last calendar.Day) (map[calendar.Day]*analytics.Usage, error) {
	found := map[calendar.Day]*analytics.Usage{}
	err := s.eachDay(ctx, dayRange{usage, first, last}, func(item items.Map) error {
		day, err := itemDay(item)
		if err == nil {
			found[day], err = decodeUsage(item)
		}
		return err
	})
	return found, err
}

// dayRange is a range of days in a partition. It includes both ends.
type dayRange struct {
	partition   string
	first, last calendar.Day
}

// eachDay reads the items of the days with eventual consistency.
func (s *Store) eachDay(ctx context.Context, days dayRange, visit func(items.Map) error) error {
	return s.eachItem(ctx, itemRange{days.partition, days.first.String(), days.last.String()}, visit)
}

// itemRange is a range of sort keys in a partition. It includes both ends.
type itemRange struct{ partition, first, last string }

// eachItem reads the items of the range with eventual consistency.
func (s *Store) eachItem(ctx context.Context, r itemRange, visit func(items.Map) error) error {
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: &s.table, KeyConditionExpression: aws.String("pk = :partition AND sk BETWEEN :first AND :last"),
		ExpressionAttributeValues: items.Map{
			":partition": items.Text(r.partition), ":first": items.Text(r.first), ":last": items.Text(r.last),
		},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("read %s of %s to %s: %w", r.partition, r.first, r.last, err)
		}
		for _, item := range page.Items {
			if err := visit(item); err != nil {
				return s.itemError(item, err)
			}
		}
	}
	return nil
}

func itemDay(item items.Map) (calendar.Day, error) {
	name, ok := item["sk"].(*types.AttributeValueMemberS)
	if !ok {
		return 0, fmt.Errorf("read the day of an item: its sort key is not a string")
	}
	return calendar.ParseDay(name.Value)
}
