package pullsdynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
	"portside/shared/pulls"
)

// Count counts the pulls of a day by kind from the log, and the checks, strongly consistent. It first adds all pending
// pulls to the counts. It returns ErrPending if the day has pending pulls again when it is done, because then the log
// and the counts differ. Counts of days before pulls.Retention are too low, because old pulls are deleted.
func (s *Store) Count(ctx context.Context, day calendar.Day) (map[pulls.Kind]int64, error) {
	if _, err := s.CountPending(ctx); err != nil {
		return nil, err
	}
	t := newTally()
	err := s.eachBatch(ctx, day, false, func(item items.Map) error {
		all, err := unpack(item)
		t.add(all)
		return err
	})
	if err != nil {
		return nil, err
	}
	checks, err := s.countChecks(ctx, day)
	if err != nil {
		return nil, err
	}
	t.addTo(day, Checks, checks)
	return t.days[day], s.checkCounted(ctx, day)
}

// eachBatch calls yield with each batch of a day in the log of pulls or in the one of checks, strongly consistent.
func (s *Store) eachBatch(ctx context.Context, day calendar.Day, isChecks bool, yield func(items.Map) error) error {
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: &s.pulls, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :month AND sk BETWEEN :first AND :next"),
		ExpressionAttributeValues: items.Map{
			":month": items.Text(logPartition(day.Begin(), isChecks)), ":first": items.Text(day.String()),
			":next": items.Text((day + 1).String()), // sorts before all batches of the next day, because they are longer
		},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("read the pulls: %w", err)
		}
		for _, item := range page.Items {
			if err := yield(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkCounted returns ErrPending if a batch of the day is pending, which includes those of an open window.
func (s *Store) checkCounted(ctx context.Context, day calendar.Day) error {
	for _, shard := range shards {
		out, err := s.client.Query(ctx, &dynamodb.QueryInput{
			TableName: &s.pulls, ConsistentRead: aws.Bool(true), Limit: aws.Int32(1),
			KeyConditionExpression: aws.String("pk = :shard AND begins_with(sk, :day)"),
			ExpressionAttributeValues: items.Map{
				":shard": items.Text("pending#" + string(shard)), ":day": items.Text(day.String()),
			},
		})
		if err != nil {
			return fmt.Errorf("read the pending batches of pulls: %w", err)
		}
		if len(out.Items) > 0 {
			return ErrPending
		}
	}
	return nil
}
