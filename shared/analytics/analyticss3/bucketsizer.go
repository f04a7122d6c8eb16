package analyticss3

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portside/shared/analytics"
)

// BucketSizer measures a bucket.
type BucketSizer struct {
	client   versionLister
	bucket   string
	pageSize int32 // 0 is S3's maximum, 1,000
}

// versionLister is the part of *s3.Client that a BucketSizer uses.
type versionLister interface {
	ListObjectVersions(context.Context, *s3.ListObjectVersionsInput, ...func(*s3.Options)) (*s3.ListObjectVersionsOutput, error)
}

// NewBucketSizer returns a BucketSizer for the named bucket.
func NewBucketSizer(client *s3.Client, bucket string) BucketSizer {
	return BucketSizer{client: client, bucket: bucket}
}

var _ analytics.BucketSizer = BucketSizer{}

// Part implements analytics.BucketSizer with a call for a thousand versions. It adds up all versions of the objects,
// because S3 stores and bills each of them. Parts of incomplete multipart uploads do not count.
//
// A part ends with the last object of which all versions are on the page. The next part does not start within the
// versions of an object, because S3 may have deleted the version after which it would continue. If a page has versions
// of only one object, the part reads further pages.
func (s BucketSizer) Part(ctx context.Context, after string) (analytics.BucketPart, error) {
	input := &s3.ListObjectVersionsInput{Bucket: &s.bucket}
	if after != "" {
		input.KeyMarker = &after
	}
	if s.pageSize > 0 {
		input.MaxKeys = &s.pageSize
	}
	sum := partSum{after: after}
	for {
		page, err := s.client.ListObjectVersions(ctx, input)
		if err != nil {
			return analytics.BucketPart{}, fmt.Errorf("measure the bucket %s: %w", s.bucket, err)
		}
		sum.add(page.Versions)
		if !aws.ToBool(page.IsTruncated) {
			return analytics.BucketPart{Bytes: sum.bytes + sum.openBytes}, nil
		}
		sum.endPage(aws.ToString(page.NextKeyMarker), page.DeleteMarkers)
		if sum.last != "" {
			return analytics.BucketPart{Bytes: sum.bytes, Last: sum.last}, nil
		}
		input.KeyMarker, input.VersionIdMarker = page.NextKeyMarker, page.NextVersionIdMarker
	}
}

// partSum adds up the versions on pages. The open object is the last one so far, which may continue on the next page.
type partSum struct {
	after string // the part begins after this key
	bytes int64  // of all objects that are complete
	last  string // the last key that is complete, which may have only delete markers

	openKey, openVersion string
	openBytes            int64
}

// add adds the versions on a page. It skips repeated ones, because versitygw begins a page with the marker itself,
// unlike S3.
func (p *partSum) add(versions []types.ObjectVersion) {
	for _, version := range versions {
		key, id := aws.ToString(version.Key), aws.ToString(version.VersionId)
		if key <= p.after || key == p.openKey && id == p.openVersion {
			continue
		}
		if key != p.openKey {
			p.closeObject()
		}
		p.openKey, p.openVersion = key, id
		p.openBytes += aws.ToInt64(version.Size)
	}
}

// endPage completes all keys before the next one. S3 returns versions and delete markers in separate lists.
func (p *partSum) endPage(next string, markers []types.DeleteMarkerEntry) {
	if p.openKey < next {
		p.closeObject()
	}
	for _, marker := range markers {
		if key := aws.ToString(marker.Key); p.after < key && key < next {
			p.last = max(p.last, key)
		}
	}
}

func (p *partSum) closeObject() {
	p.bytes, p.last, p.openBytes = p.bytes+p.openBytes, max(p.last, p.openKey), 0
}
