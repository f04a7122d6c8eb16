// Command recordpulls is the Lambda function that records what the functions charts and images log about pulls. CloudWatch Logs
// delivers it their lines.
package main

import (
	"context"
	"log"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"

	"portside/shared/dynamo/items"
	"portside/shared/lambda/start"
	"portside/shared/pulls/pullsdynamo"
)

func main() {
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	table, analyticsTable := settings.String("PULLS_TABLE"), settings.String("ANALYTICS_TABLE")
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(record(pullsdynamo.New(items.Client(cfg), table, analyticsTable)))
}
