// Command projects is the Lambda function behind /v1/projects.
package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/start"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/users/usersdynamo"
)

func main() { start.HTTP(build) }

func build(settings *start.Settings) (http.Handler, error) {
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		return nil, fmt.Errorf("AWS configuration: %w", err)
	}
	client, days := items.Client(cfg), daycounts.In(settings.String("ANALYTICS_TABLE"))
	keys := credentialsdynamo.New(client, settings.String("CREDENTIALS_TABLE"))
	people := usersdynamo.New(client, settings.String("USERS_TABLE"), keys, days)
	store := projectsdynamo.New(client, settings.String("PROJECTS_TABLE"), days)
	auth := credentials.NewAuthenticator(keys, settings.Count("RATE_LIMIT_PER_MINUTE"), time.Now)
	return routes(newService(store, people, time.Now), auth).Handler(), nil
}
