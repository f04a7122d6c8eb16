// Package objects reaches S3 in the one way that all our programs do, in the cloud and on a laptop.
package s3client

import (
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Client returns an S3 client with the options, of which there mostly are none.
func New(cfg aws.Config, options ...func(*s3.Options)) *s3.Client {
	return s3.NewFromConfig(cfg, slices.Concat(options, []func(*s3.Options){pathStyle})...)
}

// pathStyle puts the bucket into the path where an address of S3 is given: such a host has no name for each bucket.
func pathStyle(o *s3.Options) { o.UsePathStyle = o.BaseEndpoint != nil }

// Status is what S3 answered; 0 where it did not. Only statuses tell what a HEAD or a conditional request found: neither has a
// body with a code.
func Status(err error) int {
	answer, answered := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err)
	if !answered {
		return 0
	}
	return answer.HTTPStatusCode()
}
