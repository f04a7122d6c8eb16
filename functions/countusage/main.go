// Command countusage is the Lambda function that counts API requests and calls of language models for the dashboard. A
// subscription of CloudWatch Logs sends it the access log and the logs of the media functions, or Firehose writes them
// to S3.
package main

import (
	"strings"
	"time"

	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/analytics/logs"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/logevents"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
)

func main() { start.Events(build) }

func build(settings *start.Settings) (any, error) {
	cfg := awsenv.Config(settings)
	groups := logs.Groups{
		Access: settings.String("ACCESS_LOG_GROUP"), Models: strings.Split(settings.String("MODEL_LOG_GROUPS"), ","),
	}
	store := analyticsdynamo.New(items.Client(cfg), settings.String("ANALYTICS_TABLE"))
	objects := s3client.New(cfg)
	archive := analyticss3.NewArchive(objects, settings.String("ANALYTICS_BUCKET"))
	recorder := analyticsdynamo.NewRecorder(store, archive)
	count := ingest(logs.Ingester{Groups: groups, Recorder: recorder, Now: time.Now})
	return logevents.Handler(logevents.S3{Client: objects}, count), nil
}
