package rank

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ErrFull means that a tree has fewer numbers left than requested.
var ErrFull = fmt.Errorf("rank: not enough numbers left of %d", Capacity)

// Allocate returns the first of n new contiguous numbers, which are never allocated again, and the time to
// store as their creation: now in whole milliseconds, or the time of the previous numbers if that
// is later, so that numbers and times have the same order although clocks differ. Numbers may stay
// without an entry. So allocate before the transaction, in which all writers would otherwise wait
// for each other. Allocate makes one write, or two if this clock is behind.
func (t *Tree) Allocate(ctx context.Context, n int, now time.Time) (first int64, at time.Time, err error) {
	if n < 1 || int64(n) > Capacity {
		return 0, time.Time{}, fmt.Errorf("rank: cannot allocate %d numbers, want 1 to %d", n, Capacity)
	}
	item, err := t.client.UpdateItem(ctx, t.takeAt(n, now))
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok && clockIsBehind(failed.Item, now) {
		item, err = t.client.UpdateItem(ctx, t.take(n))
	}
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return 0, time.Time{}, fmt.Errorf("%w: cannot allocate %d in %s", ErrFull, n, t.name)
	}
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("rank: allocate numbers of %s: %w", t.name, err)
	}
	next, milliseconds := integer(item.Attributes["next"]), integer(item.Attributes["at"])
	return next - int64(n), time.UnixMilli(milliseconds).UTC(), nil
}

// takeAt takes n numbers and sets the time, if that is not before the last one.
func (t *Tree) takeAt(n int, now time.Time) *dynamodb.UpdateItemInput {
	input := t.take(n)
	input.UpdateExpression = aws.String("ADD #next :n SET #at = :now")
	input.ConditionExpression = aws.String("attribute_not_exists(pk) OR (#next <= :room AND #at <= :now)")
	input.ExpressionAttributeNames["#at"] = "at"
	input.ExpressionAttributeValues[":now"] = numeric(now.UnixMilli())
	return input
}

// take takes n numbers from an existing sequence, without changing its time.
func (t *Tree) take(n int) *dynamodb.UpdateItemInput {
	return &dynamodb.UpdateItemInput{
		TableName:                &t.table,
		Key:                      t.sequenceKey(),
		UpdateExpression:         aws.String("ADD #next :n"),
		ConditionExpression:      aws.String("#next <= :room"),
		ExpressionAttributeNames: map[string]string{"#next": "next"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":n": numeric(int64(n)), ":room": numeric(Capacity - int64(n)),
		},
		ReturnValues:                        types.ReturnValueAllNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}

// Reserve ensures that the sequence never allocates numbers up to and including last, nor a time
// before at. It repairs a sequence that was lost or restored from an old backup. A sequence that is
// ahead stays unchanged. It reports whether the sequence was behind.
func (t *Tree) Reserve(ctx context.Context, last int64, at time.Time) (behind bool, err error) {
	_, err = t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                &t.table,
		Key:                      t.sequenceKey(),
		UpdateExpression:         aws.String("SET #next = :next, #at = :at"),
		ConditionExpression:      aws.String("attribute_not_exists(#next) OR #next < :next"),
		ExpressionAttributeNames: map[string]string{"#next": "next", "#at": "at"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":next": numeric(last + 1), ":at": numeric(at.UnixMilli()),
		},
	})
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("rank: reserve numbers of %s: %w", t.name, err)
	}
	return true, nil
}

func clockIsBehind(sequence map[string]types.AttributeValue, now time.Time) bool {
	return integer(sequence["at"]) > now.UnixMilli()
}

// next returns the first number that is not allocated yet.
func (t *Tree) next(ctx context.Context) (int64, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &t.table, Key: t.sequenceKey(), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return 0, fmt.Errorf("rank: read the sequence of %s: %w", t.name, err)
	}
	return integer(out.Item["next"]), nil
}

func (t *Tree) sequenceKey() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "rank#" + t.sequence},
		"sk": &types.AttributeValueMemberS{Value: "sequence"},
	}
}

// integer returns the value of a number, or zero if it is absent. Only this file writes the
// sequence, and always with integers.
func integer(value types.AttributeValue) int64 {
	number, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(number.Value, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
