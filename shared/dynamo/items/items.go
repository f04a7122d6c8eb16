// Package items reads and writes DynamoDB items in the form that all tables of Portside share:
// string keys named pk and sk, times in Unix milliseconds with 0 for "never", and strongly
// consistent reads.
//
// Only adapters such as usersdynamo use it. No domain sees an item.
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

// PutNew returns the write of a new item, for a transaction. It fails if the item exists.
func PutNew(table string, item Map) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &table, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}}
}

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

// Encode turns a struct with dynamodbav tags into an item. It panics if a field cannot be encoded,
// which is a programming error.
func Encode(shape any) Map {
	item, err := attributevalue.MarshalMap(shape)
	if err != nil {
		panic(fmt.Sprintf("items: %T does not encode: %v", shape, err))
	}
	return item
}

// Decode turns an item into a struct. An error means that the item has another form than this
// program writes.
func Decode[T any](item Map) (T, error) {
	var shape T
	if err := attributevalue.UnmarshalMap(item, &shape); err != nil {
		return shape, fmt.Errorf("read an item as %T: %w", shape, err)
	}
	return shape, nil
}

// Millis returns a time in its stored form: Unix milliseconds, or 0 for the zero time.
func Millis(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}

// Time is the inverse of Millis. The time is in UTC.
func Time(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// ConditionFailed reports whether err means that the condition of a write did not hold.
func ConditionFailed(err error) bool {
	_, failed := errors.AsType[*types.ConditionalCheckFailedException](err)
	return failed
}

// RetryConflicts makes the SDK retry a single write if a transaction uses the item at that moment,
// which the SDK does not retry by default. Pass it to single writes of items that transactions
// write too, if the operator's commands make them. The functions' clients, from Client, retry all.
func RetryConflicts(o *dynamodb.Options) {
	o.Retryer = retry.AddWithErrorCodes(o.Retryer, "TransactionConflictException")
}

// Reader is the part of *dynamodb.Client that reads.
type Reader interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
}

// Table is a table to read items from.
type Table struct {
	client Reader
	name   string
}

// In returns the named table.
func In(client Reader, name string) Table { return Table{client: client, name: name} }

// Get reads one item, strongly consistent. It returns false if the item does not exist.
func Get[T any](ctx context.Context, table Table, key Map) (shape T, found bool, err error) {
	item, err := table.GetRaw(ctx, key)
	if err != nil {
		return shape, false, fmt.Errorf("as %T: %w", shape, err)
	}
	if item == nil {
		return shape, false, nil
	}
	shape, err = Decode[T](item)
	return shape, true, err
}

// GetRaw returns an item, strongly consistent, or nil if it does not exist.
func (t Table) GetRaw(ctx context.Context, key Map) (Map, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, fmt.Errorf("read an item: %w", err)
	}
	return out.Item, nil
}

// batch is DynamoDB's limit for one BatchGetItem.
const batch = 100

// GetAll reads items by their keys, strongly consistent and in no particular order, and calls visit
// for each item that exists. The keys must be distinct.
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
