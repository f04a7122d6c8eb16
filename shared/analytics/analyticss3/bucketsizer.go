package analyticss3

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// BucketSizer measures a bucket.
type BucketSizer struct {
	client *s3.Client
	bucket string
}

// NewBucketSizer returns a BucketSizer for the named bucket.
func NewBucketSizer(client *s3.Client, bucket string) BucketSizer { return BucketSizer{client, bucket} }

// TotalBytes implements analytics.BucketSizer. It adds up all versions of all objects, because S3
// stores and bills each of them. Parts of incomplete multipart uploads do not count. It makes one
// call for every thousand versions.
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
				continue // versitygw repeats the last version of a page on the next page
			}
			sum, last = sum+aws.ToInt64(version.Size), at
		}
	}
	return sum, nil
}

// objectVersion identifies a version of an object in its bucket.
type objectVersion struct{ key, version string }
