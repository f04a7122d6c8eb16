package awsrequest

import "github.com/aws/aws-sdk-go-v2/aws/retry"

// isTransient reports whether the SDK would try again.
func isTransient(err error) bool { return retry.NewStandard().IsErrorRetryable(err) }
