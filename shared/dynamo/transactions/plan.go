package transactions

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Plan gathers the writes of one transaction, each with the error that its failed condition means. Where several conditions
// fail at once, the write that was added first speaks. The zero value is an empty plan.
type Plan struct {
	writes   []types.TransactWriteItem
	refusals []error
}

// Add appends writes whose conditions, if they fail, mean the refusal; nil for writes without conditions.
func (p *Plan) Add(refusal error, writes ...types.TransactWriteItem) {
	for _, w := range writes {
		p.writes = append(p.writes, w)
		p.refusals = append(p.refusals, refusal)
	}
}

// Write commits the writes, and returns the refusal of the first whose condition failed. Other errors are those of the function
// Write.
func (p *Plan) Write(ctx context.Context, client Client) error {
	err := Write(ctx, client, p.writes)
	if at, failed := FailedAt(err); failed && p.refusals[at] != nil {
		return p.refusals[at]
	}
	return err
}
