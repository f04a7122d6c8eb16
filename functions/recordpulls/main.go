// Command recordpulls is the Lambda function that records the pulls that the functions charts and images log. A
// subscription of CloudWatch Logs sends it their log lines, or Firehose writes them to S3.
package main

import (
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/logevents"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
	"portside/shared/pulls/pullsdynamo"
)

func main() { start.Events(build) }

func build(settings *start.Settings) (any, error) {
	cfg := awsenv.Config(settings)
	store := pullsdynamo.New(items.Client(cfg), settings.String("PULLS_TABLE"), "")
	return logevents.Handler(logevents.S3{Client: s3client.New(cfg)}, record(store)), nil
}
