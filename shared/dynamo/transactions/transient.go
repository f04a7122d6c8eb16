package transactions

import (
	"errors"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// isTransient reports whether the same transaction may succeed later. Except for canceled transactions, the SDK
// decides that: it retries throttling, a transaction of the same token in progress, server errors and lost
// connections.
func isTransient(err error) bool {
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return errors.Is(err, io.ErrUnexpectedEOF) || // the response was cut off
			retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary
	}
	return hasOnlyTransientReasons(canceled.CancellationReasons)
}

// hasOnlyTransientReasons reports whether a transaction was canceled because of other writers or throttling only.
func hasOnlyTransientReasons(reasons []types.CancellationReason) bool {
	for _, reason := range reasons {
		switch aws.ToString(reason.Code) {
		case "", "None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
		default:
			return false
		}
	}
	return true
}
