// Command measurestorage is the Lambda function that measures how much the buckets hold, once an hour, for the dashboard.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
)

func main() {
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	table, charts, media := settings.String("ANALYTICS_TABLE"), settings.String("CHARTS_BUCKET"), settings.String("MEDIA_BUCKET")
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := s3client.New(cfg)
	lambda.Start(measure(analytics.StorageMeasurer{
		Charts: analyticss3.NewBucketSizer(client, charts), Media: analyticss3.NewBucketSizer(client, media),
		Store: analyticsdynamo.New(items.Client(cfg), table), Now: time.Now,
	}))
}
