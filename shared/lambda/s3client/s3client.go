// Package s3client creates S3 clients that work with Amazon S3 and with the S3 engine of the local stack.
package s3client

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// New returns an S3 client with the options. It also repeats calls whose response was cut off, which the SDK does not
// repeat.
func New(cfg aws.Config, options ...func(*s3.Options)) *s3.Client {
	return s3.NewFromConfig(cfg, slices.Concat(options, []func(*s3.Options){pathStyle, repeatCutOff})...)
}

func repeatCutOff(o *s3.Options) { o.Retryer = retryer{o.Retryer} }

// retryer also repeats calls whose response was cut off.
type retryer struct{ aws.Retryer }

// IsErrorRetryable implements aws.Retryer.
func (r retryer) IsErrorRetryable(err error) bool {
	return isCutOff(err) || r.Retryer.IsErrorRetryable(err)
}

func isCutOff(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// IsOutage reports whether a call failed because S3 throttles, fails, cannot be reached or does not answer in time. The
// SDK has already repeated the call, but not the reading of a body that ends early.
func IsOutage(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || isCutOff(err) || retry.NewStandard().IsErrorRetryable(err)
}

// pathStyle puts the bucket into the path if the configuration has an endpoint, because a local host has no subdomain
// for each bucket.
func pathStyle(o *s3.Options) { o.UsePathStyle = o.BaseEndpoint != nil }

// Status returns the HTTP status of S3's response, or 0 if S3 did not respond. Errors of HEAD and conditional requests
// have no code, only a status.
func Status(err error) int {
	response, hasResponse := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err)
	if !hasResponse {
		return 0
	}
	return response.HTTPStatusCode()
}
