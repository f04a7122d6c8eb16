// Package oncedynamo keeps idempotency keys in the table of what they create, in the creation's transaction.
//
//	once#<caller>#<key>    once    the fingerprint, and what was made, as it was then
package idempotencykeys

import (
	"bytes"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/idempotency"
	"portside/shared/dynamo/items"
)

// item is the shape of a key; T is the shape of what was made.
type item[T any] struct {
	PK          string `dynamodbav:"pk"`
	SK          string `dynamodbav:"sk"`
	Fingerprint []byte `dynamodbav:"fingerprint"`
	Made        T      `dynamodbav:"made"`
	Expires     int64  `dynamodbav:"expires"`
	PurgeAt     int64  `dynamodbav:"purgeAt"` // seconds, for DynamoDB's TTL, which may be days late
}

func pk(key idempotency.Key) string { return "once#" + key.Caller + "#" + key.Text }

// Note returns the write that remembers what the key makes at the time. Its condition fails where the key is in use.
func Note[T any](table string, key idempotency.Key, made T, at time.Time) types.TransactWriteItem {
	expires := at.Add(idempotency.Life)
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &table, Item: items.Encode(item[T]{
			PK: pk(key), SK: "once", Fingerprint: key.Fingerprint, Made: made, Expires: expires.UnixMilli(), PurgeAt: expires.Unix(),
		}),
		ConditionExpression:       aws.String("attribute_not_exists(pk) OR expires <= :now"),
		ExpressionAttributeValues: items.Map{":now": items.Number(at.UnixMilli())},
	}}
}

// Made returns what the key made. Errors: once.ErrReused where it was another request's, once.ErrEnded where there is no such
// key, or none any more at the time.
func Made[T any](ctx context.Context, table items.Table, key idempotency.Key, at time.Time) (T, error) {
	stored, found, err := items.Get[item[T]](ctx, table, items.Key(pk(key), "once"))
	switch {
	case err != nil:
		return stored.Made, err
	case !found || stored.Expires <= at.UnixMilli():
		return stored.Made, idempotency.ErrEnded
	case !bytes.Equal(stored.Fingerprint, key.Fingerprint):
		return stored.Made, idempotency.ErrReused
	}
	return stored.Made, nil
}
