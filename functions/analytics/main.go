// Command analytics is the Lambda function behind /v1/analytics: the dashboard's numbers, and their course over the days.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/lambdahttp"
	"portside/shared/lambda/start"
)

func main() {
	start.DelayCollection()
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	table, credentialsTable := settings.String("ANALYTICS_TABLE"), settings.String("CREDENTIALS_TABLE")
	gigabytes, limit := settings.Count("STORAGE_QUOTA_GIGABYTES"), settings.Count("RATE_LIMIT_PER_MINUTE")
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := items.Client(cfg)
	store := analytics.NewCachedStore(analyticsdynamo.New(client, table), time.Now)
	service := analytics.NewService(store, analytics.Gigabytes(gigabytes), time.Now)
	auth := credentials.NewAuthenticator(credentialsdynamo.New(client, credentialsTable), limit, time.Now)
	lambda.Start(lambdahttp.Handler(routes(&handlers{service}, auth).Handler()))
}
