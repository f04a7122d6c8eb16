// Package analyticscloudwatch measures buckets by the metric that S3 writes to CloudWatch once a day, for buckets that
// are too large to be listed.
package analyticscloudwatch

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"portside/shared/analytics"
)

// metricReader is the part of *cloudwatch.Client that a BucketSizer uses.
type metricReader interface {
	GetMetricStatistics(
		context.Context, *cloudwatch.GetMetricStatisticsInput, ...func(*cloudwatch.Options),
	) (*cloudwatch.GetMetricStatisticsOutput, error)
}

// BucketSizer measures a bucket by its metric. It lists the bucket if CloudWatch has no metric yet.
type BucketSizer struct {
	client metricReader
	bucket string
	listed analytics.BucketSizer
	now    func() time.Time
}

// New returns a BucketSizer for the named bucket. listed measures the same bucket if CloudWatch has no metric.
func New(client *cloudwatch.Client, bucket string, listed analytics.BucketSizer, now func() time.Time) BucketSizer {
	return BucketSizer{client: client, bucket: bucket, listed: listed, now: now}
}

var _ analytics.BucketSizer = BucketSizer{}

// S3 writes the metric once a day, for the day before. If the last ones are missing, the bucket is listed.
const (
	metricPeriod = 24 * time.Hour
	maxMetricAge = 3 * metricPeriod
)

// Part implements analytics.BucketSizer. The first part is the whole bucket, unless a listing has begun or CloudWatch
// has no metric.
//
// The metric covers the storage class Standard, which all objects of Portside have. It includes all versions and,
// unlike a listing, the parts of incomplete multipart uploads.
func (s BucketSizer) Part(ctx context.Context, after string) (analytics.BucketPart, error) {
	if after != "" {
		return s.listed.Part(ctx, after)
	}
	now := s.now()
	out, err := s.client.GetMetricStatistics(ctx, &cloudwatch.GetMetricStatisticsInput{
		Namespace: aws.String("AWS/S3"), MetricName: aws.String("BucketSizeBytes"),
		Dimensions: []types.Dimension{
			{Name: aws.String("BucketName"), Value: &s.bucket}, {Name: aws.String("StorageType"), Value: aws.String("StandardStorage")},
		},
		StartTime: aws.Time(now.Add(-maxMetricAge)), EndTime: &now, Period: aws.Int32(int32(metricPeriod / time.Second)),
		Statistics: []types.Statistic{types.StatisticAverage}, Unit: types.StandardUnitBytes,
	})
	if err != nil {
		return analytics.BucketPart{}, fmt.Errorf("read the size of the bucket %s: %w", s.bucket, err)
	}
	var latest types.Datapoint
	for _, point := range out.Datapoints {
		if point.Timestamp != nil && (latest.Timestamp == nil || point.Timestamp.After(*latest.Timestamp)) {
			latest = point
		}
	}
	if latest.Timestamp == nil {
		return s.listed.Part(ctx, after)
	}
	return analytics.BucketPart{Bytes: int64(aws.ToFloat64(latest.Average))}, nil
}
