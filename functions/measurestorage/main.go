// Command measurestorage is the Lambda function that measures the size of the buckets every hour, for the dashboard.
package main

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticscloudwatch"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
)

func main() { start.Events(build) }

func build(settings *start.Settings) (any, error) {
	cfg := awsenv.Config(settings)
	client, store := s3client.New(cfg), analyticsdynamo.New(items.Client(cfg), settings.String("ANALYTICS_TABLE"))
	sizer := func(bucket string) analytics.BucketSizer {
		listed := analyticss3.NewBucketSizer(client, bucket)
		if settings.String("STORAGE_MEASUREMENT") == "metrics" {
			return analyticscloudwatch.New(cloudwatch.NewFromConfig(cfg), bucket, listed, time.Now)
		}
		return listed
	}
	return measure(analytics.StorageMeasurer{
		Charts: sizer(settings.String("CHARTS_BUCKET")), Media: sizer(settings.String("MEDIA_BUCKET")),
		Walk: store.StorageWalk(), Store: store, Now: time.Now,
	}), nil
}
