// Package transactions runs DynamoDB's TransactWriteItems so that its callers meet only two outcomes that are
// worth a decision: a condition failed, or the table is too busy.
//
// DynamoDB never queues transactions: of two that touch one item at the same moment, one is cancelled. With
// counters that every write meets, this is everyday traffic and no error, so it is retried here, with full
// jitter, because writers who wait for equal times meet again. All attempts of one Write carry one client
// request token, so a transaction whose answer got lost is not applied a second time. The token holds for ten
// minutes, which all attempts together must never exceed. The SDK's own retries are off here: two loops, one
// in the other, multiply their waits.
package transactions

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/fault"
)

// MaxItems is how many items DynamoDB takes in one transaction.
const MaxItems = 100

// ErrBusy says that every attempt was cancelled by other writers, throttled or unanswered. The transaction
// has not been applied, unless the last answer was lost; its cause is in the chain.
var ErrBusy = fault.New(fault.Unavailable, "Too many changes at the same moment; try again.")

// Client is the part of *dynamodb.Client that is needed.
type Client interface {
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (
		*dynamodb.TransactWriteItemsOutput, error)
}

// Write applies all items or none, with the default Retry. A failed condition is a *ConditionFailed and is
// never retried; ErrBusy means that the attempts, or the time that ctx has, are used up. An empty list, or one
// of more than MaxItems, is the program's mistake and is not sent.
func Write(ctx context.Context, client Client, items []types.TransactWriteItem) error {
	return Retry{}.Write(ctx, client, items)
}

// Write is the function Write with these settings.
func (r Retry) Write(ctx context.Context, client Client, items []types.TransactWriteItem) error {
	if len(items) == 0 || len(items) > MaxItems {
		return fmt.Errorf("transactions: %d items in one transaction, want 1 to %d", len(items), MaxItems)
	}
	input := &dynamodb.TransactWriteItemsInput{TransactItems: items, ClientRequestToken: aws.String(rand.Text())}
	return r.run(ctx, func() error {
		_, err := client.TransactWriteItems(ctx, input, withoutRetries)
		return err
	})
}

func withoutRetries(o *dynamodb.Options) { o.RetryMaxAttempts = 1 }

// classify tells whether another attempt may succeed, and returns the error for the caller if none is made.
func classify(err error) (transient bool, final error) {
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return retryable(err), fmt.Errorf("transactions: %w", err)
	}
	if failed := conditionFailed(cancelled); failed != nil {
		return false, failed
	}
	return passing(cancelled.CancellationReasons), fmt.Errorf("transactions: %w", err)
}
