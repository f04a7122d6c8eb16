// Command indexcharts is the Lambda function that checks what is published in the chart repository's bucket and keeps the
// repository's index. Events of the bucket start it; they name the bucket, too.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"

	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
	"portside/shared/charts/chartss3"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
)

func main() {
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	maxBytes := int64(settings.Count("MAX_CHART_MEGABYTES")) << 20
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := s3client.New(cfg)
	lambda.Start(handler(func(bucket string) syncer {
		return charts.NewIndexer(charts.Parts{
			Bucket: chartss3.NewBucket(client, bucket), Inspector: chartshelm.New(maxBytes), MaxBytes: maxBytes, Now: time.Now,
		})
	}))
}
