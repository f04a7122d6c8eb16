package credentialsdynamo

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
)

// Window limits how often something may happen in a period of time, such as attempts from one network.
type Window struct {
	Name    string // of the limit
	Subject string // who is counted
	Length  time.Duration
	Limit   int
}

// Count returns the write that counts n events in the window of at, for a transaction. Its condition fails if there would be more than the
// limit. n must be at most the limit.
func (t *Table) Count(w Window, n int, at time.Time) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &t.name, Key: w.key(at),
		UpdateExpression:    aws.String("ADD n :n SET purgeAt = :purge"),
		ConditionExpression: aws.String("attribute_not_exists(n) OR n <= :room"),
		ExpressionAttributeValues: items.Map{
			":n": items.Number(int64(n)), ":room": items.Number(int64(w.Limit - n)),
			":purge": items.Number(at.Truncate(w.Length).Add(w.Length).Add(24 * time.Hour).Unix()),
		},
	}}
}

// key returns the key of the counter of the window of at.
func (w Window) key(at time.Time) items.Map {
	return items.Key("count#"+w.Name+"#"+w.Subject, strconv.FormatInt(at.Truncate(w.Length).Unix(), 10))
}

// CountIn counts one event in the window of at, with one conditional write. It returns false if there were already as many as the limit.
func (t *Table) CountIn(ctx context.Context, w Window, at time.Time) (bool, error) {
	write := t.Count(w, 1, at).Update
	_, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: write.TableName, Key: write.Key, UpdateExpression: write.UpdateExpression,
		ConditionExpression: write.ConditionExpression, ExpressionAttributeValues: write.ExpressionAttributeValues,
	}, items.RetryConflicts)
	if items.ConditionFailed(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("count %s: %w", w.Name, err)
	}
	return true, nil
}
