// Package idempotencykeys stores idempotency keys in the table of the resource that they create, in
// the same transaction.
//
//	once#<caller>#<hash>    once    the fingerprint, and the created resource in its first state or its sealed secret
package idempotencykeys

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/idempotency"
	"portside/shared/dynamo/items"
)

// ErrInUse is for the failed condition of Put in a transaction: the key was used before. The caller then returns the
// Result instead.
var ErrInUse = errors.New("the idempotency key is in use")

// item is the stored form of a key. T is the stored form of the created resource, or
// []byte for a sealed secret.
type item[T any] struct {
	PK          string `dynamodbav:"pk"`
	SK          string `dynamodbav:"sk"`
	Fingerprint []byte `dynamodbav:"fingerprint"`
	Made        T      `dynamodbav:"made"`
	Expires     int64  `dynamodbav:"expires"`
	PurgeAt     int64  `dynamodbav:"purgeAt"` // seconds, for DynamoDB's TTL, which may delete days later
}

// use is the part of an item that has the same form for all operations.
type use struct {
	Fingerprint []byte `dynamodbav:"fingerprint"`
	Expires     int64  `dynamodbav:"expires"`
}

func pk(key idempotency.Key) string { return "once#" + key.Caller + "#" + key.Hash() }

// Put returns the write that stores what a key has created. Its condition fails if the key is in
// use.
func Put[T any](table string, key idempotency.Key, made T, at time.Time) types.TransactWriteItem {
	expires := at.Add(idempotency.Lifetime)
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &table, Item: items.Encode(item[T]{
			PK: pk(key), SK: "once", Fingerprint: key.Fingerprint, Made: made, Expires: expires.UnixMilli(),
			PurgeAt: expires.Unix(),
		}),
		ConditionExpression:       aws.String("attribute_not_exists(pk) OR expires <= :now"),
		ExpressionAttributeValues: items.Map{":now": items.Number(at.UnixMilli())},
	}}
}

// Result returns what the key created. Errors: idempotency.ErrReused if another request used the
// key; idempotency.ErrExpired if the key does not exist or has expired at the given time.
func Result[T any](ctx context.Context, table items.Table, key idempotency.Key, at time.Time) (T, error) {
	raw, err := table.GetRaw(ctx, items.Key(pk(key), "once"))
	if err != nil {
		return *new(T), err
	}
	// The created resource comes last, because another operation may have stored it in another form.
	use, err := items.Decode[use](raw)
	switch {
	case err != nil:
		return *new(T), err
	case use.Expires <= at.UnixMilli(): // also if the key does not exist
		return *new(T), idempotency.ErrExpired
	case !bytes.Equal(use.Fingerprint, key.Fingerprint):
		return *new(T), idempotency.ErrReused
	}
	stored, err := items.Decode[item[T]](raw)
	return stored.Made, err
}
