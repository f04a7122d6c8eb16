// Command chartindex is the Lambda function that checks what is published in the chart repository's bucket and keeps the
// repository's index. Events of the bucket start it; they name the bucket, too.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
	"portside/shared/charts/chartss3"
	"portside/shared/env"
	"portside/shared/logs"
)

func main() {
	logs.SetUp()
	settings := env.Reader{Lookup: os.LookupEnv}
	maxBytes := int64(settings.Count("MAX_CHART_MEGABYTES")) << 20
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := s3.NewFromConfig(cfg, pathStyle)
	lambda.Start(handler(func(bucket string) syncer {
		return charts.NewIndexer(charts.Parts{
			Bucket: chartss3.NewBucket(client, bucket), Inspector: chartshelm.New(maxBytes), MaxBytes: maxBytes, Now: time.Now,
		})
	}))
}

// pathStyle puts the bucket into the path where an address of S3 is given: such a host has no name for each bucket.
func pathStyle(o *s3.Options) { o.UsePathStyle = o.BaseEndpoint != nil }
