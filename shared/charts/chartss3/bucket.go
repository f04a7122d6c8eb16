// Package chartss3 keeps the chart repository in an S3 bucket. Bucket is for the indexer, and Reader
// for clients that fetch.
//
// Every write that depends on the stored object is conditional, so that S3 decides which writer was
// first. There are no locks.
package chartss3

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portside/shared/charts"
	"portside/shared/core/versions"
	"portside/shared/lambda/s3client"
)

// Bucket is a charts.Bucket.
type Bucket struct {
	client *s3.Client
	name   string
}

var _ charts.Bucket = (*Bucket)(nil)

// NewBucket returns the bucket with a name.
func NewBucket(client *s3.Client, name string) *Bucket { return &Bucket{client: client, name: name} }

// Get implements charts.Bucket in one call, which is HEAD if the limit is 0. It does not read a
// body that is too large.
func (b *Bucket) Get(ctx context.Context, key string, limit int64) (charts.Object, error) {
	if limit == 0 {
		return b.head(ctx, key)
	}
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: &key})
	if err != nil {
		return charts.Object{}, b.failed("get", key, absent(err))
	}
	defer func() { _ = out.Body.Close() }()
	object := charts.Object{
		Key: key, Version: aws.ToString(out.ETag), Size: aws.ToInt64(out.ContentLength), Modified: seconds(out.LastModified),
	}
	if object.Size > limit {
		return object, nil
	}
	object.Body = make([]byte, object.Size)
	if _, err := io.ReadFull(out.Body, object.Body); err != nil {
		return charts.Object{}, b.failed("read", key, err)
	}
	return object, nil
}

func (b *Bucket) head(ctx context.Context, key string) (charts.Object, error) {
	out, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: &key})
	if err != nil {
		return charts.Object{}, b.failed("look for", key, absent(err))
	}
	return charts.Object{
		Key: key, Version: aws.ToString(out.ETag), Size: aws.ToInt64(out.ContentLength), Modified: seconds(out.LastModified),
	}, nil
}

// seconds rounds a time to seconds, because only some responses have fractions.
func seconds(t *time.Time) time.Time { return aws.ToTime(t).UTC().Truncate(time.Second) }

// Put implements charts.Bucket.
func (b *Bucket) Put(ctx context.Context, key string, body []byte, over string) error {
	input := &s3.PutObjectInput{
		Bucket: &b.name, Key: &key, Body: bytes.NewReader(body), ContentType: aws.String(typeOf(key)),
		ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	}
	switch over {
	case charts.Anything:
	case charts.Nothing:
		input.IfNoneMatch = aws.String("*")
	default:
		input.IfMatch = &over
	}
	if _, err := b.client.PutObject(ctx, input); err != nil {
		return b.failed("put", key, asStale(err))
	}
	return nil
}

// typeOf returns the content type that browsers and consoles see.
func typeOf(key string) string {
	switch path.Ext(key) {
	case ".tgz":
		return "application/gzip"
	case ".yaml":
		return charts.IndexType
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// Copy implements charts.Bucket. S3 copies the bytes without this process. It does not copy tags, for which the
// function would need more permissions.
func (b *Bucket) Copy(ctx context.Context, from charts.Object, to string) error {
	source := strings.ReplaceAll((&url.URL{Path: b.name + "/" + from.Key}).EscapedPath(), "+", "%2B") // S3 reads + as a space
	_, err := b.client.CopyObject(ctx, &s3.CopyObjectInput{
		Bucket: &b.name, Key: &to, CopySource: &source, CopySourceIfMatch: &from.Version,
		TaggingDirective: types.TaggingDirectiveReplace,
	})
	if err != nil {
		return b.failed("copy", from.Key, asStale(err))
	}
	return nil
}

// Delete implements charts.Bucket.
func (b *Bucket) Delete(ctx context.Context, object charts.Object) error {
	_, err := b.client.DeleteObject(ctx,
		&s3.DeleteObjectInput{Bucket: &b.name, Key: &object.Key, IfMatch: &object.Version})
	if s3client.Status(err) == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return b.failed("delete", object.Key, asStale(err))
	}
	return nil
}

// List implements charts.Bucket.
func (b *Bucket) List(ctx context.Context, prefix string) ([]charts.Object, error) {
	var all []charts.Object
	pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, b.failed("list", prefix, err)
		}
		for _, o := range page.Contents {
			all = append(all, charts.Object{
				Key: aws.ToString(o.Key), Version: aws.ToString(o.ETag), Size: aws.ToInt64(o.Size),
				Modified: seconds(o.LastModified),
			})
		}
	}
	return all, nil
}

func (b *Bucket) failed(what, key string, err error) error {
	return fmt.Errorf("%s %s in the bucket %s: %w", what, key, b.name, err)
}

// absent marks the error of a missing object. HEAD reports a missing bucket in the same way, but
// the next call does not.
func absent(err error) error {
	if s3client.Status(err) == http.StatusNotFound {
		return fmt.Errorf("%w: %w", charts.ErrNoObject, err)
	}
	return err
}

// asStale adds ErrStale to the error of a failed condition: it did not hold (412), another write was in
// progress (409), or the object is gone (404).
func asStale(err error) error {
	switch s3client.Status(err) {
	case http.StatusPreconditionFailed, http.StatusConflict, http.StatusNotFound:
		return fmt.Errorf("%w: %w", versions.ErrStale, err)
	}
	return err
}
