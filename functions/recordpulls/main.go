// Command recordpulls is the Lambda function that records the pulls that the functions charts and images log. A
// subscription of CloudWatch Logs sends it their log lines.
package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/config"

	"portside/shared/dynamo/items"
	"portside/shared/lambda/start"
	"portside/shared/pulls/pullsdynamo"
)

func main() { start.Events(build) }

func build(settings *start.Settings) (any, error) {
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		return nil, fmt.Errorf("AWS configuration: %w", err)
	}
	return record(pullsdynamo.New(items.Client(cfg), settings.String("PULLS_TABLE"), settings.String("ANALYTICS_TABLE"))), nil
}
