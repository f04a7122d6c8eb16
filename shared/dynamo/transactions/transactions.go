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
	"portside/shared/core/retry"
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

// Write applies all items or none, and retries by the policy retry.Default. A failed condition is a
// *ConditionFailed and is never retried. ErrBusy means that the attempts or the time of ctx are used up. A list
// that is empty or longer than MaxItems is a programming error and is not sent.
func Write(ctx context.Context, client Client, items []types.TransactWriteItem) error {
	return WriteWith(ctx, retry.Default, client, items)
}

// WriteWith is Write with another policy. Its waits must stay far below the ten minutes for which DynamoDB remembers
// a client request token.
func WriteWith(ctx context.Context, policy retry.Policy, client Client, items []types.TransactWriteItem) error {
	if len(items) == 0 || len(items) > MaxItems {
		return fmt.Errorf("transactions: %d items in one transaction, want 1 to %d", len(items), MaxItems)
	}
	input := &dynamodb.TransactWriteItemsInput{TransactItems: items, ClientRequestToken: aws.String(rand.Text())}
	return run(ctx, policy, func() error {
		_, err := client.TransactWriteItems(ctx, input, withoutRetries)
		return err
	})
}

func withoutRetries(o *dynamodb.Options) { o.RetryMaxAttempts = 1 }

// run runs a transaction by the policy and translates its error.
func run(ctx context.Context, policy retry.Policy, transaction func() error) error {
	err := policy.Do(ctx, isTransient, transaction)
	if err == nil {
		return nil
	}
	if gaveUp, ok := errors.AsType[*retry.GaveUpError](err); ok {
		return fmt.Errorf("%w: %w", ErrBusy, gaveUp)
	}
	if failed := conditionFailed(err); failed != nil {
		return failed
	}
	return fmt.Errorf("transactions: %w", err)
}
