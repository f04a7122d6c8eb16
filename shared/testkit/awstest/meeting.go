package awstest

import (
	"context"
	"crypto/rand"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
)

// Meeting returns a copy of the client whose calls wait until so many of them have begun. Code that makes one of them after
// another's response gets the error of its context instead.
func Meeting(client *dynamodb.Client, calls int) *dynamodb.Client {
	var begun atomic.Int64
	all := make(chan struct{})
	return withMiddleware(client, middleware.InitializeMiddlewareFunc("meeting "+rand.Text(), func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		if begun.Add(1) == int64(calls) {
			close(all)
		}
		select {
		case <-all:
			return next.HandleInitialize(ctx, in)
		case <-ctx.Done():
			return middleware.InitializeOutput{}, middleware.Metadata{}, ctx.Err()
		}
	}))
}
