// Package items reads and writes DynamoDB items in the one way that all our tables have: string keys named pk and sk,
// times in Unix milliseconds with 0 for "never", strongly consistent reads.
//
// Only adapters (usersdynamo and its like) use it; no domain sees an item.
package items

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Map is an item, or its key.
type Map = map[string]types.AttributeValue

// Key returns the key of an item.
func Key(pk, sk string) Map { return Map{"pk": Text(pk), "sk": Text(sk)} }

// Text returns a string attribute.
func Text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// Number returns a number attribute.
func Number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// Bytes returns a binary attribute.
func Bytes(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

// Bool returns a boolean attribute.
func Bool(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} }

// Encode turns a struct with dynamodbav tags into an item. The struct must hold nothing that cannot be encoded: that is
// a mistake in the program, and Encode panics.
func Encode(shape any) Map {
	item, err := attributevalue.MarshalMap(shape)
	if err != nil {
		panic(fmt.Sprintf("items: %T does not encode: %v", shape, err))
	}
	return item
}

// Decode is the way back. An error means that the item has another shape than this program writes.
func Decode[T any](item Map) (T, error) {
	var shape T
	if err := attributevalue.UnmarshalMap(item, &shape); err != nil {
		return shape, fmt.Errorf("read an item as %T: %w", shape, err)
	}
	return shape, nil
}

// Millis is a time as it is stored: milliseconds, 0 for the zero time.
func Millis(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}

// Time is the way back, in UTC.
func Time(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// Failed reports whether err says that a write's condition did not hold.
func Failed(err error) bool {
	_, failed := errors.AsType[*types.ConditionalCheckFailedException](err)
	return failed
}

// RetryConflicts makes one call try again when the item is part of a transaction at that moment, which the SDK takes for
// final. Give it to single writes of items that transactions write too.
func RetryConflicts(o *dynamodb.Options) {
	o.Retryer = retry.AddWithErrorCodes(o.Retryer, "TransactionConflictException")
}

// Reader is the part of *dynamodb.Client that reads.
type Reader interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
}

// Table is where items are read from.
type Table struct {
	client Reader
	name   string
}

// In returns the named table.
func In(client Reader, name string) Table { return Table{client: client, name: name} }

// Get reads one item, strongly consistent; false if there is none.
func Get[T any](ctx context.Context, table Table, key Map) (shape T, found bool, err error) {
	out, err := table.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table.name, Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		return shape, false, fmt.Errorf("read an item as %T: %w", shape, err)
	}
	if out.Item == nil {
		return shape, false, nil
	}
	shape, err = Decode[T](out.Item)
	return shape, true, err
}

// batch is DynamoDB's limit for one BatchGetItem.
const batch = 100

// GetAll reads many items by their keys, strongly consistent and in no order, and calls visit for each that exists. Each
// key may be given once.
func GetAll(ctx context.Context, table Table, keys []Map, visit func(Map) error) error {
	for len(keys) > 0 {
		n := min(batch, len(keys))
		out, err := table.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{table.name: {Keys: keys[:n], ConsistentRead: aws.Bool(true)}},
		})
		if err != nil {
			return fmt.Errorf("read %d items: %w", n, err)
		}
		for _, item := range out.Responses[table.name] {
			if err := visit(item); err != nil {
				return err
			}
		}
		keys = append(keys[n:], out.UnprocessedKeys[table.name].Keys...)
	}
	return nil
}
