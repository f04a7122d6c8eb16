package awstest

import (
	"context"
	"crypto/rand"
	"reflect"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// Meter sums the capacity units that a client consumes. It is safe for concurrent use.
type Meter struct {
	mu            sync.Mutex
	calls         int
	reads, writes float64
}

// Metered returns a copy of the client and a meter of its calls. Retries of the SDK are not counted. A call that fails
// is counted as a call, but consumes no units.
func Metered(client *dynamodb.Client) (*dynamodb.Client, *Meter) {
	m := &Meter{}
	return withMiddleware(client, middleware.InitializeMiddlewareFunc("meter "+rand.Text(), m.handle)), m
}

// Reset sets all counts to zero.
func (m *Meter) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls, m.reads, m.writes = 0, 0, 0
}

// Calls returns the number of calls since the last Reset.
func (m *Meter) Calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

// ReadUnits returns the read capacity units consumed since the last Reset.
func (m *Meter) ReadUnits() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reads
}

// WriteUnits returns the write capacity units consumed since the last Reset.
func (m *Meter) WriteUnits() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.writes
}

func (m *Meter) handle(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	in.Parameters = requestCapacity(in.Parameters)
	out, metadata, err := next.HandleInitialize(ctx, in)
	m.add(operation(ctx), consumed(out.Result))
	return out, metadata, err
}

func (m *Meter) add(operation string, units float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	switch {
	case strings.Contains(operation, "Get"), operation == "Query", operation == "Scan":
		m.reads += units
	default:
		m.writes += units
	}
}

// requestCapacity returns a copy of an operation's input that requests the consumed capacity; it does not change the
// caller's input. It uses reflection, because the field has the same name in all inputs of DynamoDB that have it.
func requestCapacity(input any) any {
	original := reflect.ValueOf(input).Elem()
	if !original.FieldByName("ReturnConsumedCapacity").IsValid() {
		return input
	}
	changed := reflect.New(original.Type())
	changed.Elem().Set(original)
	changed.Elem().FieldByName("ReturnConsumedCapacity").Set(reflect.ValueOf(types.ReturnConsumedCapacityTotal))
	return changed.Interface()
}

func consumed(output any) float64 {
	value := reflect.ValueOf(output)
	if !value.IsValid() || value.IsNil() {
		return 0
	}
	field := value.Elem().FieldByName("ConsumedCapacity")
	if !field.IsValid() {
		return 0
	}
	switch capacity := field.Interface().(type) {
	case *types.ConsumedCapacity:
		return units(capacity)
	case []types.ConsumedCapacity: // one per table, of batches and transactions
		total := 0.0
		for i := range capacity {
			total += units(&capacity[i])
		}
		return total
	}
	return 0
}

func units(capacity *types.ConsumedCapacity) float64 {
	if capacity == nil {
		return 0
	}
	return aws.ToFloat64(capacity.CapacityUnits)
}
