package expirynoticesdynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/items"
	"portside/shared/notices/expirynotices"
)

const retriesPK = "notices#retries"

// retryItem is the stored form of a retry.
type retryItem struct {
	PK           string `dynamodbav:"pk"`
	SK           string `dynamodbav:"sk"`
	CredentialID string `dynamodbav:"credential"`
	Days         int    `dynamodbav:"days"`
	At           int64  `dynamodbav:"at"`
	PurgeAt      int64  `dynamodbav:"purgeAt"`
}

// retrySK sorts retries by time. Times of the years 2001 to 2286 have 13 digits.
func retrySK(r expirynotices.Retry) string {
	return fmt.Sprintf("%013d#%s#%d", items.Millis(r.At), r.CredentialID, r.Days)
}

// Add implements expirynotices.Retries. A retry that exists already stays, because the SDK repeats a write whose
// response is lost.
func (s *Store) Add(ctx context.Context, r expirynotices.Retry) error {
	_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.table, ConditionExpression: aws.String("attribute_not_exists(pk)"),
		Item: items.Encode(retryItem{
			PK: retriesPK, SK: retrySK(r), CredentialID: r.CredentialID, Days: r.Days, At: items.Millis(r.At),
			PurgeAt: r.PurgeAt.Unix(),
		}),
	})
	if err != nil && !items.ConditionFailed(err) {
		return fmt.Errorf("store the retry of a notice: %w", err)
	}
	return nil
}

// Due implements expirynotices.Retries.
func (s *Store) Due(ctx context.Context, now time.Time, limit int) ([]expirynotices.Retry, error) {
	page, err := s.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(int32(limit)), //nolint:gosec // G115: limits are small
		KeyConditionExpression: aws.String("pk = :retries AND sk < :end"),
		ExpressionAttributeValues: items.Map{
			":retries": items.Text(retriesPK), ":end": items.Text(fmt.Sprintf("%013d", items.Millis(now)+1)),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("list the retries of notices: %w", err)
	}
	due := make([]expirynotices.Retry, 0, len(page.Items))
	for _, item := range page.Items {
		r, err := items.Decode[retryItem](item)
		if err != nil {
			return nil, err
		}
		due = append(due, expirynotices.Retry{
			CredentialID: r.CredentialID, Days: r.Days, At: items.Time(r.At), PurgeAt: time.Unix(r.PurgeAt, 0).UTC(),
		})
	}
	return due, nil
}

// Remove implements expirynotices.Retries. A retry that is gone was removed by a run that lost its lease meanwhile.
func (s *Store) Remove(ctx context.Context, r expirynotices.Retry) error {
	_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &s.table, Key: items.Key(retriesPK, retrySK(r)), ConditionExpression: aws.String("attribute_exists(pk)"),
	})
	if err != nil && !items.ConditionFailed(err) {
		return fmt.Errorf("delete the retry of a notice: %w", err)
	}
	return nil
}
