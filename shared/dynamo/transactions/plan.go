package transactions

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/retry"
)

// Plan collects the writes of one transaction. Each write has an error that is returned if its
// condition fails. If several conditions fail, the write that was added first decides the error.
// The zero value is an empty plan.
type Plan struct {
	writes   []types.TransactWriteItem
	refusals []error
}

// Add appends writes and the error that a failed condition means. The error is nil for writes
// without conditions.
func (p *Plan) Add(refusal error, writes ...types.TransactWriteItem) {
	for _, w := range writes {
		p.writes = append(p.writes, w)
		p.refusals = append(p.refusals, refusal)
	}
}

// Len returns the number of writes, of which a transaction has at most 100.
func (p *Plan) Len() int { return len(p.writes) }

// Write commits the writes. It returns the error of the first write whose condition failed. Its
// other errors are those of the function Write.
func (p *Plan) Write(ctx context.Context, client Client) error {
	return p.WriteWith(ctx, retry.Default, client)
}

// WriteWith is Write with another policy.
func (p *Plan) WriteWith(ctx context.Context, policy retry.Policy, client Client) error {
	err := WriteWith(ctx, policy, client, p.writes)
	if at, failed := FailedAt(err); failed && p.refusals[at] != nil {
		return p.refusals[at]
	}
	return err
}
