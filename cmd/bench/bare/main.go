// Command bare is the smallest function of the Lambda library: it returns its input, and has no code of ours. The
// benchmark compares the starts of others with it.
package main

import (
	"context"
	"encoding/json"

	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	lambda.Start(func(_ context.Context, event json.RawMessage) (json.RawMessage, error) { return event, nil })
}
