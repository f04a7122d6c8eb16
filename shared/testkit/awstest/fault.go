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

// Faulty returns a client whose calls fail where decide says so. Before each call decide gets the name of
// the operation ("TransactWriteItems") and how many of it this client has begun, from 1. It returns nil to
// let the call be, an error to fail it without it taking place, or Lost(err). The SDK does not retry these
// errors. Calls of decide are never concurrent.
func Faulty(client *dynamodb.Client, decide func(operation string, n int) error) *dynamodb.Client {
	f := &faults{decide: decide, begun: map[string]int{}}
	return withMiddleware(client, middleware.InitializeMiddlewareFunc("faults "+rand.Text(), f.handle))
}

// Lost marks err as a lost answer: the call takes place, and if it succeeds, its caller gets err all the same.
func Lost(err error) error {
	return &lostAnswer{err}
}

// TransactionConflict is what DynamoDB answers to a transaction of so many items when others are writing
// them: all are cancelled and the first is named as in conflict. The local engine never says so itself.
func TransactionConflict(items int) error {
	return Cancelled(append([]string{"TransactionConflict"}, slices.Repeat([]string{"None"}, items-1)...)...)
}

// Cancelled is what DynamoDB answers to a cancelled transaction: one reason's code per item.
func Cancelled(codes ...string) error {
	reasons := make([]types.CancellationReason, 0, len(codes))
	for _, code := range codes {
		reasons = append(reasons, types.CancellationReason{Code: aws.String(code)})
	}
	return &types.TransactionCanceledException{CancellationReasons: reasons, Message: aws.String("injected")}
}

type lostAnswer struct{ error }

func (l *lostAnswer) Unwrap() error { return l.error }

type faults struct {
	decide func(operation string, n int) error
	mu     sync.Mutex
	begun  map[string]int
}

func (f *faults) handle(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	fault := f.next(operation(ctx))
	lost, ok := errors.AsType[*lostAnswer](fault)
	if fault != nil && !ok {
		return middleware.InitializeOutput{}, middleware.Metadata{}, fault
	}
	out, metadata, err := next.HandleInitialize(ctx, in)
	if err == nil && ok {
		return middleware.InitializeOutput{}, metadata, lost.error
	}
	return out, metadata, err
}

func (f *faults) next(operation string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun[operation]++
	return f.decide(operation, f.begun[operation])
}

// withMiddleware returns a copy of the client with one more middleware around all that it already has. The
// SDK refuses two of one name, so each needs its own: a client may be metered or made faulty twice.
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
