package awstest

import (
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// errCrashed is the error of every call of a crashed client.
var errCrashed = errors.New("awstest: the process has crashed")

// CrashAtEachCall runs an operation repeatedly: with a client that crashes at its first call, then with one that crashes at
// its second call, and so on, until the operation completes without a crash. If lost is true, the call at which the client
// crashes still takes effect. run wraps its client with crashing, runs the operation, checks the state that it left, and
// returns its error.
func CrashAtEachCall(lost bool, run func(crashing func(*dynamodb.Client) *dynamodb.Client) error) {
	for at, completed := 1, false; !completed; at++ {
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

// WithConflicts returns a client for which about one third of the transactions fail because of a conflict.
func WithConflicts(client *dynamodb.Client) *dynamodb.Client {
	const reasons = 8
	var mu sync.Mutex
	dice := rand.New(rand.NewPCG(1, 2))
	return Faulty(client, func(operation string, _ int) error {
		mu.Lock()
		defer mu.Unlock()
		if operation == "TransactWriteItems" && dice.IntN(3) == 0 {
			return TransactionConflict(reasons)
		}
		return nil
	})
}
