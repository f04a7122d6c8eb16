package items

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"portside/shared/core/fault"
)

// ErrAway is what every call of a Client returns, with its cause in the chain, when the database throttles, fails, cannot
// be reached, or does not answer in time: what the SDK itself would try again, had it not done so already.
var ErrAway = fault.New(fault.Unavailable, "The service cannot reach its data at the moment. Send the request again.")

// Client returns a DynamoDB client that tells an outage from everything else; see ErrAway.
func Client(cfg aws.Config) *dynamodb.Client {
	return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
			return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("TellOutages", tellOutages), middleware.Before)
		})
	})
}

func tellOutages(
	ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
) (middleware.InitializeOutput, middleware.Metadata, error) {
	out, metadata, err := next.HandleInitialize(ctx, in)
	if err != nil && isOutage(err) {
		err = fmt.Errorf("%w: %w", ErrAway, err)
	}
	return out, metadata, err
}

func isOutage(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || retry.NewStandard().IsErrorRetryable(err)
}
