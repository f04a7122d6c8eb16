package pullsdynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/items"
	"portside/shared/pulls"
)

// Count counts the pulls of a day again, by kind, from the log itself and strongly consistent. Of a day longer ago than
// pulls.Retention it finds less than there was.
func (s *Store) Count(ctx context.Context, day time.Time) (map[pulls.Kind]int64, error) {
	begin := day.UTC().Truncate(24 * time.Hour)
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: &s.pulls, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :month AND sk BETWEEN :first AND :next"),
		ExpressionAttributeValues: items.Map{
			":month": items.Text(partition(begin)), ":first": items.Text(begin.Format(daily)),
			":next": items.Text(begin.AddDate(0, 0, 1).Format(daily)), // positions are longer, and so behind it
		},
	})
	counts := map[pulls.Kind]int64{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the log of pulls: %w", err)
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
