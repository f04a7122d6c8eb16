package awstest

import (
	"context"
	"crypto/rand"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
)

// Together returns a client whose first n calls wait until all of them have begun. So calls that the code makes one
// after the other fail when their context ends.
func Together(client *dynamodb.Client, n int) *dynamodb.Client {
	begun, all := &atomic.Int64{}, make(chan struct{})
	return withMiddleware(client, middleware.InitializeMiddlewareFunc("together "+rand.Text(), func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		if begun.Add(1) == int64(n) {
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
