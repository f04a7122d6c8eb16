// Package s3client creates S3 clients that work with Amazon S3 and with the S3 engine of the local stack.
package s3client

import (
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// New returns an S3 client with the options.
func New(cfg aws.Config, options ...func(*s3.Options)) *s3.Client {
	return s3.NewFromConfig(cfg, slices.Concat(options, []func(*s3.Options){pathStyle})...)
}

// pathStyle puts the bucket into the path if the configuration has an endpoint, because a local host has no subdomain for
// each bucket.
func pathStyle(o *s3.Options) { o.UsePathStyle = o.BaseEndpoint != nil }

// Status returns the HTTP status of S3's response, or 0 if there was none. Errors of HEAD and conditional requests have no
// code, only a status.
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
