// Package transactions runs DynamoDB transactions, so that callers have to handle only two
// outcomes: a condition failed, or the table is too busy.
//
// DynamoDB does not queue transactions. If two of them use the same item at the same moment, one is
// canceled. Because every write updates shared counters, that is normal and not an error. This
// package retries it, with full jitter, because writers that wait equally long collide again.
//
// All attempts of one Write have the same client request token, so that a transaction whose
// response was lost is not applied twice. DynamoDB remembers a token for ten minutes; all attempts
// together must take less. The SDK's own retries are switched off, because two nested retry loops
// multiply their waits.
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

// MaxItems is the largest number of items in one transaction.
const MaxItems = 100

// ErrBusy means that every attempt was canceled by other writers, throttled or not answered. The
// transaction was not applied, unless only the last response was lost. The chain has the cause.
var ErrBusy = fault.New(fault.Unavailable, "Too many changes were made at the same time. Send the request again.")

// Client is the part of *dynamodb.Client that Write needs.
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
