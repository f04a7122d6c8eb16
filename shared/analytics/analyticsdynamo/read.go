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

// Counts implements analytics.Store in two calls. The sums and the days that may still change are read as of one moment; what is
// older stays as it is, and is read for half the price. Tomorrow is one of them: around midnight a faster clock counts there
// already. It counts as today, since it has happened, and is in the sums; no day before may have it.
func (s *Store) Counts(ctx context.Context, since, today calendar.Day) (analytics.Counts, error) {
	counts := analytics.Counts{Now: analytics.Counters{}, Changes: map[calendar.Day]analytics.Counters{}}
	into := func(item items.Map) error { return takeCounts(counts, item, today) }
	if since < today-1 {
		if err := s.each(ctx, days{daycounts.Partition, since, today - 2}, into); err != nil {
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
		if err := into(item); err != nil {
			return counts, s.at(item, err)
		}
	}
	return counts, nil
}

func (s *Store) get(key items.Map) types.TransactGetItem {
	return types.TransactGetItem{Get: &types.Get{TableName: &s.table, Key: key}}
}

func takeCounts(counts analytics.Counts, item items.Map, today calendar.Day) error {
	change, err := daycounts.Counters(item)
	if err != nil {
		return fmt.Errorf("read the counts: %w", err)
	}
	into := counts.Now
	if !daycounts.IsTotal(item) {
		day, err := daycounts.DayOf(item)
		if err != nil {
			return fmt.Errorf("read the counts: %w", err)
		}
		day = min(day, today)
		if counts.Changes[day] == nil {
			counts.Changes[day] = analytics.Counters{}
		}
		into = counts.Changes[day]
	}
	for name, n := range change {
		into[name] += n
	}
	return nil
}

// Requests implements analytics.Store in one call for each megabyte, four years or so.
func (s *Store) Requests(ctx context.Context, first, last calendar.Day) (map[calendar.Day]*analytics.Requests, error) {
	found := map[calendar.Day]*analytics.Requests{}
	err := s.each(ctx, days{requests, first, last}, func(item items.Map) error {
		day, err := dayOf(item)
		if err == nil {
			found[day], err = requestsOf(item)
		}
		return err
	})
	return found, err
}

// Usage implements analytics.Store.
func (s *Store) Usage(ctx context.Context, first, last calendar.Day) (map[calendar.Day]*analytics.Usage, error) {
	found := map[calendar.Day]*analytics.Usage{}
	err := s.each(ctx, days{usage, first, last}, func(item items.Map) error {
		day, err := dayOf(item)
		if err == nil {
			found[day], err = usageOf(item)
		}
		return err
	})
	return found, err
}

// days are a range in a partition, with both ends.
type days struct {
	partition   string
	first, last calendar.Day
}

// each reads the items of the days, eventually consistent.
func (s *Store) each(ctx context.Context, of days, visit func(items.Map) error) error {
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: &s.table, KeyConditionExpression: aws.String("pk = :partition AND sk BETWEEN :first AND :last"),
		ExpressionAttributeValues: items.Map{
			":partition": items.Text(of.partition), ":first": items.Text(of.first.String()), ":last": items.Text(of.last.String()),
		},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("read %s of %s to %s: %w", of.partition, of.first, of.last, err)
		}
		for _, item := range page.Items {
			if err := visit(item); err != nil {
				return s.at(item, err)
			}
		}
	}
	return nil
}

func dayOf(item items.Map) (calendar.Day, error) {
	name, is := item["sk"].(*types.AttributeValueMemberS)
	if !is {
		return 0, fmt.Errorf("read a day: it has no name")
	}
	return calendar.ParseDay(name.Value)
}

// usageItem is the shape of a day's usage.
type usageItem struct {
	ChartBytes   *int64 `dynamodbav:"chartBytes"`
	MediaBytes   *int64 `dynamodbav:"mediaBytes"`
	Charts       int64  `dynamodbav:"charts"`
	Images       int64  `dynamodbav:"images"`
	ModelCalls   int64  `dynamodbav:"modelCalls"`
	InputTokens  int64  `dynamodbav:"inputTokens"`
	OutputTokens int64  `dynamodbav:"outputTokens"`
	MicroUSD     int64  `dynamodbav:"microUSD"`
}

func usageOf(item items.Map) (*analytics.Usage, error) {
	i, err := items.Decode[usageItem](item)
	if err != nil {
		return nil, err
	}
	u := &analytics.Usage{Charts: i.Charts, Images: i.Images, Models: analytics.Models{
		Calls: i.ModelCalls, InputTokens: i.InputTokens, OutputTokens: i.OutputTokens, MicroUSD: i.MicroUSD,
	}}
	if i.ChartBytes != nil && i.MediaBytes != nil {
		u.Storage = &analytics.Storage{Charts: *i.ChartBytes, Media: *i.MediaBytes}
	}
	return u, nil
}
