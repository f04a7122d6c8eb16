package analyticsdynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/core/walk"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/walkitem"
)

var _ analytics.StorageStore = (*Store)(nil)

// StorageWalk returns the store of the progress of a measurement.
func (s *Store) StorageWalk() walk.Store[analytics.StorageProgress] {
	return walkitem.New[analytics.StorageProgress](s.client, s.table, "storage")
}

// SaveStorage implements analytics.StorageStore with one write.
func (s *Store) SaveStorage(ctx context.Context, at time.Time, size analytics.StorageBytes) error {
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: dayKey(usage, calendar.DayOf(at)),
		UpdateExpression:    aws.String("SET chartBytes = :charts, mediaBytes = :media, measured = :at"),
		ConditionExpression: aws.String("attribute_not_exists(measured) OR measured <= :at"),
		ExpressionAttributeValues: items.Map{
			":charts": items.Number(size.Charts), ":media": items.Number(size.Media), ":at": items.Number(at.UnixMilli()),
		},
	}, items.RetryConflicts)
	if err != nil && !items.ConditionFailed(err) {
		return fmt.Errorf("write the usage of a day: %w", err)
	}
	return nil
}
