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

// Count counts the pulls of a day by kind from the stored pulls, strongly consistent. Counts of days before
// pulls.Retention are too low, because old pulls are deleted.
func (s *Store) Count(ctx context.Context, day calendar.Day) (map[pulls.Kind]int64, error) {
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: &s.pulls, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :month AND sk BETWEEN :first AND :next"),
		ExpressionAttributeValues: items.Map{
			":month": items.Text(partition(day.Begin())), ":first": items.Text(day.String()),
			":next": items.Text((day + 1).String()), // sorts before all positions of the next day, because they are longer
		},
	})
	counts := map[pulls.Kind]int64{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the pulls: %w", err)
		}
		for _, item := range page.Items {
			p, err := pullOf(item)
			if err != nil {
				return nil, err
			}
			if !p.ByDigest() {
				counts[p.Kind]++
			}
		}
	}
	return counts, nil
}
