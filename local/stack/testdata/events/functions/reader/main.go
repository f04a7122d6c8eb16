// Command reader prints the log lines that it receives.
package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	lambda.Start(handle)
}

func handle(_ context.Context, event events.CloudwatchLogsEvent) error {
	data, err := event.AWSLogs.Parse()
	if err != nil {
		return err
	}
	for _, e := range data.LogEvents {
		fmt.Println("read", data.Owner, data.LogGroup, data.SubscriptionFilters, e.Message)
	}
	return nil
}
