package transactions

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ConditionFailed reports that a transaction was not applied because conditions on its items
// failed.
type ConditionFailed struct {
	// Index is the position of the first item whose condition failed, in the list given to Write.
	Index int
	// Item is the stored item at that position if it exists and the write asked for it with
	// ReturnValuesOnConditionCheckFailure; otherwise nil.
	Item map[string]types.AttributeValue
	// Failures has all items whose condition failed, in ascending order. The first one is Index and
	// Item.
	Failures []Failure

	cause error
}

// Failure is an item whose condition failed.
type Failure struct {
	Index int
	Item  map[string]types.AttributeValue
}

// Error names the positions, but not the content of any item.
func (e *ConditionFailed) Error() string {
	indexes := make([]int, 0, len(e.Failures))
	for _, f := range e.Failures {
		indexes = append(indexes, f.Index)
	}
	return fmt.Sprintf("transactions: the conditions of items %v failed", indexes)
}

// Unwrap returns the SDK's error.
func (e *ConditionFailed) Unwrap() error { return e.cause }

// FailedAt returns the position of the first item whose condition failed. It returns false if err
// is another error.
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
