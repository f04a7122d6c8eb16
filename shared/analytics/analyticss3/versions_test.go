package analyticss3_test

import (
	"cmp"
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"pgregory.net/rapid"

	"portside/shared/analytics/analyticss3"
	"portside/testclient/scale"
)

// entry is a version or a delete marker.
type entry struct {
	key, version string
	size         int64
	isMarker     bool
}

// versions is a bucket with versions, as S3 lists it: by key, the newest version first. The S3 engine of the tests
// keeps no versions.
type versions []entry

func (v versions) ListObjectVersions(
	_ context.Context, in *s3.ListObjectVersionsInput, _ ...func(*s3.Options),
) (*s3.ListObjectVersionsOutput, error) {
	rest := v.after(aws.ToString(in.KeyMarker), in.VersionIdMarker)
	n := min(len(rest), int(cmp.Or(aws.ToInt32(in.MaxKeys), 1000)))
	out := &s3.ListObjectVersionsOutput{IsTruncated: aws.Bool(n < len(rest))}
	for _, e := range rest[:n] {
		if e.isMarker {
			out.DeleteMarkers = append(out.DeleteMarkers, types.DeleteMarkerEntry{Key: &e.key, VersionId: &e.version})
		} else {
			out.Versions = append(out.Versions, types.ObjectVersion{Key: &e.key, VersionId: &e.version, Size: &e.size})
		}
		out.NextKeyMarker, out.NextVersionIdMarker = &e.key, &e.version
	}
	return out, nil
}

// after returns the entries after a marker. Without a version, they follow all versions of the key.
func (v versions) after(key string, version *string) versions {
	for i, e := range v {
		if version == nil && e.key > key {
			return v[i:]
		}
		if version != nil && e.key == key && e.version == *version {
			return v[i+1:]
		}
	}
	return nil
}

// TestPartsOfVersionsAddUp measures random buckets in pages of random sizes. Between two parts, S3 may delete
// everything up to the position.
func TestPartsOfVersionsAddUp(t *testing.T) {
	rapid.Check(scale.Checks(t), func(rt *rapid.T) {
		var all versions
		var want int64
		for k := range rapid.IntRange(0, 8).Draw(rt, "keys") {
			for n := range rapid.IntRange(1, 6).Draw(rt, "versions") {
				e := entry{key: fmt.Sprintf("charts/%d", k), version: fmt.Sprint(n), isMarker: rapid.IntRange(0, 2).Draw(rt, "marker") == 0}
				if !e.isMarker {
					e.size = rapid.Int64Range(0, 1000).Draw(rt, "size")
				}
				all, want = append(all, e), want+e.size
			}
		}
		size := int32(rapid.IntRange(1, 12).Draw(rt, "page"))
		sizer := analyticss3.NewBucketSizer(nil, "bucket").WithPages(size)
		source := &shrinking{all}
		isDeleting := rapid.Bool().Draw(rt, "deleting")
		got, _ := measure(rt, sizer.WithLister(source), func(last string) {
			if isDeleting {
				source.versions = source.after(last, nil)
			}
		})
		if got != want {
			rt.Errorf("got %d bytes, want %d", got, want)
		}
	})
}

// shrinking is a bucket whose versions can be replaced.
type shrinking struct{ versions }
