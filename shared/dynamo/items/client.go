package items

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"portside/shared/core/fault"
)

// ErrUnavailable is the error of every call of a Client if the database throttles, fails, is
// unreachable or does not answer in time. Its chain has the cause. The SDK has already retried the
// call.
var ErrUnavailable = fault.New(fault.Unavailable, "The service is temporarily unavailable because it cannot "+
	"reach its data. Send the request again.")

// Client returns a DynamoDB client that marks outages with ErrUnavailable. It also repeats calls whose response was cut
// off and single writes that met a transaction, which the SDK does not repeat.
func Client(cfg aws.Config) *dynamodb.Client {
	return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		o.Retryer = retryer{o.Retryer}
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
			return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("TellOutages", markOutages), middleware.Before)
		})
	})
}

func markOutages(
	ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
) (middleware.InitializeOutput, middleware.Metadata, error) {
	out, metadata, err := next.HandleInitialize(ctx, in)
	if err != nil && isOutage(err) {
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return out, metadata, err
}

func isOutage(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || isPassing(err) || retry.NewStandard().IsErrorRetryable(err)
}

// retryer repeats what the SDK's retryer does not.
type retryer struct{ aws.Retryer }

// IsErrorRetryable implements aws.Retryer.
func (r retryer) IsErrorRetryable(err error) bool {
	return isPassing(err) || r.Retryer.IsErrorRetryable(err)
}

// isPassing reports whether the response was cut off, or a transaction used the item of a single write at that moment.
func isPassing(err error) bool {
	_, isConflict := errors.AsType[*types.TransactionConflictException](err)
	return isConflict || errors.Is(err, io.ErrUnexpectedEOF)
}
