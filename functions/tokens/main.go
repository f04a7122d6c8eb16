// Command tokens is the Lambda function behind /api/v1/tokens: the credentials of customers' machines.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/env"
	"portside/shared/items"
	"portside/shared/lambdahttp"
	"portside/shared/logs"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
)

func main() {
	logs.SetUp()
	settings := env.Reader{Lookup: os.LookupEnv}
	table, limit := settings.String("CREDENTIALS_TABLE"), settings.Count("RATE_LIMIT_PER_MINUTE")
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := items.Client(cfg)
	store := credentialsdynamo.New(client, table)
	auth := credentials.NewAuthenticator(store, limit, time.Now)
	service := tokens.NewService(tokensdynamo.New(client, store), time.Now)
	lambda.Start(lambdahttp.Handler(routes(service, auth, time.Now).Handler()))
}
