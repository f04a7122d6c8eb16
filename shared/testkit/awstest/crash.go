package awstest

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
)

// errCrashed is the error of every call of a crashed client.
var errCrashed = errors.New("awstest: the process has crashed")

// CrashAtEachCall runs an operation repeatedly: with a client that crashes at its first call, then with one that
// crashes at its second call, and so on, until the operation completes without a crash. If lost is true, the call at
// which the client crashes still takes effect. run wraps its client with crashing, runs the operation, checks the state
// that it left, and returns its error.
func CrashAtEachCall(lost bool, run func(crashing func(*dynamodb.Client) *dynamodb.Client) error) {
	CrashAtCalls(1, 1, lost, run)
}

// CrashAtCalls is like CrashAtEachCall, but crashes only at the call first and at each step calls after it; see
// scale.Every.
func CrashAtCalls(first, step int, lost bool, run func(crashing func(*dynamodb.Client) *dynamodb.Client) error) {
	for at, completed := first, false; !completed; at += step {
		completed = run(func(client *dynamodb.Client) *dynamodb.Client { return crashingAt(client, at, lost) }) == nil
	}
}

// crashingAt returns a client that crashes at the given call.
func crashingAt(client *dynamodb.Client, at int, lost bool) *dynamodb.Client {
	calls := 0
	return Faulty(client, func(string, int) error {
		switch calls++; {
		case calls < at:
			return nil
		case lost && calls == at:
			return Lost(errCrashed)
		default:
			return errCrashed
		}
	})
}

// mostConflicts is how often a transaction of WithConflicts conflicts at most. It is far less than the attempts of
// retry.Default.
const mostConflicts = 3

// WithConflicts returns a client for which about one third of the transactions fail because of a conflict. The repeats
// of a transaction, which have its token, fail at most mostConflicts times.
func WithConflicts(client *dynamodb.Client) *dynamodb.Client {
	c := &conflicts{dice: rand.New(rand.NewPCG(1, 2)), met: map[string]int{}}
	return withMiddleware(client, middleware.InitializeMiddlewareFunc("conflicts", c.handle))
}

type conflicts struct {
	mu   sync.Mutex
	dice *rand.Rand
	met  map[string]int // by the token of the transaction
}

func (c *conflicts) handle(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	input, isTransaction := in.Parameters.(*dynamodb.TransactWriteItemsInput)
	if isTransaction && c.meets(aws.ToString(input.ClientRequestToken)) {
		return middleware.InitializeOutput{}, middleware.Metadata{}, TransactionConflict(len(input.TransactItems))
	}
	return next.HandleInitialize(ctx, in)
}

func (c *conflicts) meets(token string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	isMet := c.dice.IntN(3) == 0 && c.met[token] < mostConflicts
	if isMet {
		c.met[token]++
	}
	return isMet
}
