package awstest

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
)

// roundLimit is far longer than the calls of a round take to begin. It only ends tests that fail.
const roundLimit = 30 * time.Second

// Rounds returns a copy of the client whose calls come in rounds of these sizes. The calls of a round wait until all of
// them have begun, and a call after the last round fails. So code that makes more calls, or makes one after the other
// that belong to one round, fails. Left returns how many calls were expected and not made.
func Rounds(client *dynamodb.Client, sizes ...int) (limited *dynamodb.Client, left func() int) {
	var mu sync.Mutex
	var rounds []chan struct{} // one for each expected call; a round shares one
	for _, size := range sizes {
		all := make(chan struct{})
		for range size {
			rounds = append(rounds, all)
		}
	}
	begin := func() (mine chan struct{}, isLast bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(rounds) == 0 {
			return nil, false
		}
		mine, rounds = rounds[0], rounds[1:]
		return mine, len(rounds) == 0 || rounds[0] != mine
	}
	limited = withMiddleware(client, middleware.InitializeMiddlewareFunc("rounds "+rand.Text(), func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		round, isLast := begin()
		if round == nil {
			return middleware.InitializeOutput{}, middleware.Metadata{},
				fmt.Errorf("awstest: %s after the last round", operation(ctx))
		}
		if isLast {
			close(round)
		}
		select {
		case <-round:
			return next.HandleInitialize(ctx, in)
		case <-time.After(roundLimit):
			return middleware.InitializeOutput{}, middleware.Metadata{},
				fmt.Errorf("awstest: %s waits for others of its round", operation(ctx))
		case <-ctx.Done():
			return middleware.InitializeOutput{}, middleware.Metadata{}, ctx.Err()
		}
	}))
	return limited, func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(rounds)
	}
}
