// Command countusage is the Lambda function that counts requests, by the access log, and calls of language models, by what the media
// functions log, for the dashboard. CloudWatch Logs delivers it their lines.
package main

import (
	"context"
	"log"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"

	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
)

func main() {
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	table, bucket := settings.String("ANALYTICS_TABLE"), settings.String("ANALYTICS_BUCKET")
	from := groups{settings.String("ACCESS_LOG_GROUP"), strings.Split(settings.String("MODEL_LOG_GROUPS"), ",")}
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	store := analyticsdynamo.New(items.Client(cfg), table)
	archive := analyticss3.NewArchive(s3client.New(cfg), bucket)
	lambda.Start(ingest(from, analyticsdynamo.NewRecorder(store, archive), time.Now))
}
