package transactions

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ConditionFailed says that a transaction was not applied because of conditions on its items.
type ConditionFailed struct {
	// Index is that of the first item, in the order given to Write, whose condition failed.
	Index int
	// Item is that item as it is in the table, if it exists and the write asked for it by
	// ReturnValuesOnConditionCheckFailure; otherwise nil.
	Item map[string]types.AttributeValue
	// Failures are all items whose condition failed, by ascending index; the first is Index and Item.
	Failures []Failure

	cause error
}

// Failure is one item whose condition failed.
type Failure struct {
	Index int
	Item  map[string]types.AttributeValue
}

// Error names the indexes and no content of any item.
func (e *ConditionFailed) Error() string {
	indexes := make([]int, 0, len(e.Failures))
	for _, f := range e.Failures {
		indexes = append(indexes, f.Index)
	}
	return fmt.Sprintf("transactions: the conditions of items %v failed", indexes)
}

// Unwrap returns the SDK's error.
func (e *ConditionFailed) Unwrap() error { return e.cause }

// FailedAt returns the index of the first item whose condition failed, and false when err says no such thing.
func FailedAt(err error) (index int, ok bool) {
	failed, ok := errors.AsType[*ConditionFailed](err)
	if !ok {
		return 0, false
	}
	return failed.Index, true
}

// conditionFailed returns nil if err names no failed condition. A failed condition outweighs a conflict on another
// item, because DynamoDB found it in committed data.
func conditionFailed(err error) *ConditionFailed {
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return nil
	}
	var failures []Failure
	for i, reason := range canceled.CancellationReasons {
		if aws.ToString(reason.Code) == "ConditionalCheckFailed" {
			failures = append(failures, Failure{Index: i, Item: reason.Item})
		}
	}
	if failures == nil {
		return nil
	}
	return &ConditionFailed{Index: failures[0].Index, Item: failures[0].Item, Failures: failures, cause: canceled}
}
