// Command users is the Lambda function behind /v1/users: users, their API keys, and the activation of accounts.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/lambdahttp"
	"portside/shared/lambda/start"
	"portside/shared/mail/mailses"
	"portside/shared/users/usersdynamo"
)

func main() {
	start.DelayCollection()
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	usersTable, credentialsTable := settings.String("USERS_TABLE"), settings.String("CREDENTIALS_TABLE")
	analyticsTable := settings.String("ANALYTICS_TABLE")
	from, baseURL, limit := settings.String("MAIL_FROM"), settings.Optional("BASE_URL"), settings.Count("RATE_LIMIT_PER_MINUTE")
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := items.Client(cfg)
	keys := credentialsdynamo.New(client, credentialsTable)
	store := usersdynamo.New(client, usersTable, keys, daycounts.In(analyticsTable))
	mailer := mailses.New(sesv2.NewFromConfig(cfg), from)
	auth := credentials.NewAuthenticator(keys, limit, time.Now)
	lambda.Start(lambdahttp.Handler(routes(newService(store, mailer, baseURL, time.Now), auth).Handler()))
}
