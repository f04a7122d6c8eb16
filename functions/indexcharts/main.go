// Command indexcharts is the Lambda function that checks the charts published in the chart repository's bucket and
// maintains the repository's index. Events of the bucket invoke it; they also name the bucket.
package main

import (
	"time"

	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
	"portside/shared/charts/chartss3"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
)

func main() { start.Events(build) }

func build(settings *start.Settings) (any, error) {
	cfg := awsenv.Config(settings)
	client, maxBytes := s3client.New(cfg), int64(settings.Count("MAX_CHART_MEGABYTES"))<<20
	return handler(func(bucket string) syncer {
		return charts.NewIndexer(charts.Parts{
			Bucket: chartss3.NewBucket(client, bucket), Inspector: chartshelm.New(maxBytes), MaxBytes: maxBytes, Now: time.Now,
		})
	}), nil
}
