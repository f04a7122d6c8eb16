package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// meter sums what a client was charged for the operations that lists and authentication need. It is for one
// goroutine at a time.
type meter struct {
	calls         int
	reads, writes float64
}

// metered returns a client of the stack's DynamoDB with its meter.
func (i info) metered() (*dynamodb.Client, *meter) {
	m := &meter{}
	options := i.dynamoDB().Options()
	options.APIOptions = append(options.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("meter", m.handle), middleware.Before)
	})
	return dynamodb.New(options), m
}

func (m *meter) handle(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	m.calls++
	in.Parameters = askForCapacity(in.Parameters)
	out, metadata, err := next.HandleInitialize(ctx, in)
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
	}
	return input
}

func units(c *types.ConsumedCapacity) float64 {
	if c == nil {
		return 0
	}
	return aws.ToFloat64(c.CapacityUnits)
}

// take returns what was counted since the last take.
func (m *meter) take() meter {
	taken := *m
	*m = meter{}
	return taken
}
