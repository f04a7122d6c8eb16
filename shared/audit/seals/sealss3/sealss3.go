// Package sealss3 is the S3 adapter of seals: it stores the sealed objects. Nothing overwrites or deletes an object.
package sealss3

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portside/shared/audit/seals"
	"portside/shared/lambda/s3client"
)

// Objects are the sealed objects in a bucket.
type Objects struct {
	client *s3.Client
	bucket string
}

var _ seals.Objects = Objects{}

// New returns the sealed objects in the named bucket.
func New(client *s3.Client, bucket string) Objects { return Objects{client, bucket} }

// prefix begins the keys of all sealed objects.
const prefix = "seals/"

// Create implements seals.Objects with one call. Two calls at the same time may both fail with a conflict; the next run
// tries again.
func (o Objects) Create(ctx context.Context, key string, content []byte) error {
	_, err := o.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &o.bucket, Key: &key, Body: bytes.NewReader(content), ContentType: aws.String("application/jsonl"),
		IfNoneMatch: aws.String("*"), ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
	})
	switch {
	case err == nil:
		return nil
	case s3client.Status(err) == http.StatusPreconditionFailed:
		return fmt.Errorf("%w (%w)", seals.ErrExists, err)
	}
	return fmt.Errorf("create %s: %w", key, err)
}

// Open implements seals.Objects with one call.
func (o Objects) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	out, err := o.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &o.bucket, Key: &key})
	switch {
	case err == nil:
		return out.Body, nil
	case s3client.IsMissing(err):
		return nil, fmt.Errorf("%w (%w)", seals.ErrMissing, err)
	}
	return nil, fmt.Errorf("read %s: %w", key, err)
}

// Keys implements seals.Objects with one call for every thousand keys.
func (o Objects) Keys(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		pages := s3.NewListObjectsV2Paginator(o.client, &s3.ListObjectsV2Input{
			Bucket: &o.bucket, Prefix: aws.String(prefix), StartAfter: aws.String(after),
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield("", fmt.Errorf("list the seals: %w", err))
				return
			}
			for _, object := range page.Contents {
				if !yield(aws.ToString(object.Key), nil) {
					return
				}
			}
		}
	}
}
