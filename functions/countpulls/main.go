// Command countpulls is the Lambda function that adds the recorded pulls to the dashboard's counts and rankings every
// minute.
package main

import (
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/start"
	"portside/shared/pulls/pullsdynamo"
)

func main() { start.Events(build) }

func build(settings *start.Settings) (any, error) {
	client := items.Client(awsenv.Config(settings))
	return count(pullsdynamo.New(client, settings.String("PULLS_TABLE"), settings.String("ANALYTICS_TABLE"))), nil
}
