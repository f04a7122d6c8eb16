// Command recorder prints a line for each object event, and fails on those below fail/.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	lambda.Start(handle)
}

func handle(_ context.Context, event events.S3Event) error {
	for _, r := range event.Records {
		o := r.S3.Object
		line := fmt.Sprintf("%s %s %s %d", r.EventName, r.S3.Bucket.Name, o.URLDecodedKey, o.Size)
		if err := json.NewEncoder(os.Stdout).Encode(map[string]string{"msg": "object", "what": line}); err != nil {
			return err
		}
		if strings.HasPrefix(o.URLDecodedKey, "fail/") {
			return errors.New("not this one")
		}
	}
	return nil
}
