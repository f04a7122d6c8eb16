package main

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// meter adds up the capacity that DynamoDB charges for the operations of lists, authentication and
// analytics.
type meter struct {
	mu            *sync.Mutex
	calls         int
	reads, writes float64
}

// meteredClient returns a client of the stack's DynamoDB and its meter.
func (i info) meteredClient() (*dynamodb.Client, *meter) {
	m := &meter{mu: &sync.Mutex{}}
	options := i.dynamoDB().Options()
	options.APIOptions = append(options.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("meter", m.handle), middleware.Before)
	})
	return dynamodb.New(options), m
}

func (m *meter) handle(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	in.Parameters = withConsumedCapacity(in.Parameters)
	out, metadata, err := next.HandleInitialize(ctx, in)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if err != nil {
		return out, metadata, err
	}
	switch o := out.Result.(type) {
	case *dynamodb.GetItemOutput:
		m.reads += units(o.ConsumedCapacity)
	case *dynamodb.BatchGetItemOutput:
		m.reads += sum(o.ConsumedCapacity)
	case *dynamodb.QueryOutput:
		m.reads += units(o.ConsumedCapacity)
	case *dynamodb.UpdateItemOutput:
		m.writes += units(o.ConsumedCapacity)
	case *dynamodb.TransactGetItemsOutput:
		m.reads += sum(o.ConsumedCapacity)
	case *dynamodb.TransactWriteItemsOutput:
		m.writes += sum(o.ConsumedCapacity)
	}
	return out, metadata, nil
}

// withConsumedCapacity returns a copy of the input that requests the consumed capacity.
func withConsumedCapacity(input any) any {
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		copied := *in
		copied.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
		return &copied
	case *dynamodb.BatchGetItemInput:
		copied := *in
		copied.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
		return &copied
	case *dynamodb.QueryInput:
		copied := *in
		copied.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
		return &copied
	case *dynamodb.UpdateItemInput:
		copied := *in
		copied.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
		return &copied
	case *dynamodb.TransactGetItemsInput:
		copied := *in
		copied.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
		return &copied
	case *dynamodb.TransactWriteItemsInput:
		copied := *in
		copied.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
		return &copied
	}
	return input
}

// sum adds up the units of a transaction over all tables.
func sum(all []types.ConsumedCapacity) float64 {
	total := 0.0
	for i := range all {
		total += units(&all[i])
	}
	return total
}

func units(c *types.ConsumedCapacity) float64 {
	if c == nil {
		return 0
	}
	return aws.ToFloat64(c.CapacityUnits)
}

// reset returns the sums since the last reset, and starts again at zero.
func (m *meter) reset() meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := *m
	m.calls, m.reads, m.writes = 0, 0, 0
	return taken
}
