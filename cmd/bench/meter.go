package main

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// meter sums what a client was charged for the operations that lists, authentication and analytics need.
type meter struct {
	mu            *sync.Mutex
	calls         int
	reads, writes float64
}

// metered returns a client of the stack's DynamoDB with its meter.
func (i info) metered() (*dynamodb.Client, *meter) {
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
	in.Parameters = askForCapacity(in.Parameters)
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

// askForCapacity changes a copy: the original is the caller's.
func askForCapacity(input any) any {
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		asking := *in
		asking.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
		return &asking
	case *dynamodb.QueryInput:
		asking := *in
		asking.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
		return &asking
	case *dynamodb.UpdateItemInput:
		asking := *in
		asking.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
		return &asking
	case *dynamodb.TransactGetItemsInput:
		asking := *in
		asking.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
		return &asking
	case *dynamodb.TransactWriteItemsInput:
		asking := *in
		asking.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
		return &asking
	}
	return input
}

// sum is the units of a transaction, by table.
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

// take returns what was counted since the last take.
func (m *meter) take() meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := *m
	m.calls, m.reads, m.writes = 0, 0, 0
	return taken
}
