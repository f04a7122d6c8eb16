package analyticss3

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Size measures a bucket.
type BucketSizer struct {
	client *s3.Client
	bucket string
}

// NewSize returns what measures the named bucket.
func NewBucketSizer(client *s3.Client, bucket string) BucketSizer { return BucketSizer{client, bucket} }

// Bytes implements analytics.Volume: how many bytes all objects have, in all the versions that are kept, since those are stored
// and paid for too. Parts of uploads that were never completed are not counted. It takes a call for a thousand versions.
func (s BucketSizer) TotalBytes(ctx context.Context) (int64, error) {
	var sum int64
	var last objectVersion
	versions := s3.NewListObjectVersionsPaginator(s.client, &s3.ListObjectVersionsInput{Bucket: &s.bucket})
	for versions.HasMorePages() {
		page, err := versions.NextPage(ctx)
		if err != nil {
			return 0, fmt.Errorf("measure the bucket %s: %w", s.bucket, err)
		}
		for _, version := range page.Versions {
			at := objectVersion{aws.ToString(version.Key), aws.ToString(version.VersionId)}
			if at == last {
				continue // versitygw begins a page with what ended the one before
			}
			sum, last = sum+aws.ToInt64(version.Size), at
		}
	}
	return sum, nil
}

// place tells a version of an object from all others in its bucket.
type objectVersion struct{ key, version string }
