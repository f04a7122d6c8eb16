package awstest

import (
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// errDeath is what a client gets from its last call on.
var errDeath = errors.New("awstest: the process is gone")

// Deaths plays an operation again and again, each time on a client that dies one call later, until the operation survives. lost
// has the last call take effect all the same. play makes the operation's client by mortal, checks what is left, and returns the
// operation's error.
func Deaths(lost bool, play func(mortal func(*dynamodb.Client) *dynamodb.Client) error) {
	for at, survived := 1, false; !survived; at++ {
		survived = play(func(client *dynamodb.Client) *dynamodb.Client { return dying(client, at, lost) }) == nil
	}
}

func dying(client *dynamodb.Client, at int, lost bool) *dynamodb.Client {
	calls := 0
	return Faulty(client, func(string, int) error {
		switch calls++; {
		case calls < at:
			return nil
		case lost && calls == at:
			return Lost(errDeath)
		default:
			return errDeath
		}
	})
}

// Contended returns a client of whose transactions every third, about, meets another one.
func Contended(client *dynamodb.Client) *dynamodb.Client {
	const reasons = 8
	var mu sync.Mutex
	dice := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same every time
	return Faulty(client, func(operation string, _ int) error {
		mu.Lock()
		defer mu.Unlock()
		if operation == "TransactWriteItems" && dice.IntN(3) == 0 {
			return TransactionConflict(reasons)
		}
		return nil
	})
}
