package awstest

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// Faulty returns a client whose calls fail as decide determines. Before each call, decide gets the name of the
// operation ("TransactWriteItems") and the number of this client's calls of that operation, starting at 1. It returns
// nil to permit the call, an error to fail it without sending it, or Lost(err). The SDK does not retry these errors.
// decide is never called concurrently.
func Faulty(client *dynamodb.Client, decide func(operation string, n int) error) *dynamodb.Client {
	f := &faults{decide: decide, calls: map[string]int{}}
	return withMiddleware(client, middleware.InitializeMiddlewareFunc("faults "+rand.Text(), f.handle))
}

// Lost marks err as a lost response: the call is sent, and its caller gets err even if the call succeeds.
func Lost(err error) error {
	return &lostResponse{err}
}

// TransactionConflict returns DynamoDB's error for a transaction of so many items that conflicts with another write:
// its first reason is a conflict. The local engine never returns this error.
func TransactionConflict(items int) error {
	return Cancelled(append([]string{"TransactionConflict"}, slices.Repeat([]string{"None"}, items-1)...)...)
}

// Cancelled returns DynamoDB's error for a canceled transaction, with the code of the reason for each item.
func Cancelled(codes ...string) error {
	reasons := make([]types.CancellationReason, 0, len(codes))
	for _, code := range codes {
		reasons = append(reasons, types.CancellationReason{Code: aws.String(code)})
	}
	return &types.TransactionCanceledException{CancellationReasons: reasons, Message: aws.String("injected")}
}

type lostResponse struct{ error }

func (l *lostResponse) Unwrap() error { return l.error }

type faults struct {
	decide func(operation string, n int) error
	mu     sync.Mutex
	calls  map[string]int
}

func (f *faults) handle(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	fault := f.next(operation(ctx))
	lost, isLost := errors.AsType[*lostResponse](fault)
	if fault != nil && !isLost {
		return middleware.InitializeOutput{}, middleware.Metadata{}, fault
	}
	out, metadata, err := next.HandleInitialize(ctx, in)
	if err == nil && isLost {
		return middleware.InitializeOutput{}, metadata, lost.error
	}
	return out, metadata, err
}

func (f *faults) next(operation string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[operation]++
	return f.decide(operation, f.calls[operation])
}

// withMiddleware returns a copy of the client with another outermost middleware. Each needs a unique name, because the
// SDK rejects duplicates and a client may be wrapped twice.
func withMiddleware(client *dynamodb.Client, m middleware.InitializeMiddleware) *dynamodb.Client {
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
			return stack.Initialize.Add(m, middleware.Before)
		})
	})
}

func operation(ctx context.Context) string {
	return awsmiddleware.GetOperationName(ctx)
}
