// Command projects is the Lambda function behind /v1/projects.
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
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/lambdahttp"
	"portside/shared/lambda/start"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/users/usersdynamo"
)

func main() {
	start.DelayCollection()
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	projectsTable, analyticsTable := settings.String("PROJECTS_TABLE"), settings.String("ANALYTICS_TABLE")
	usersTable, credentialsTable := settings.String("USERS_TABLE"), settings.String("CREDENTIALS_TABLE")
	limit := settings.Count("RATE_LIMIT_PER_MINUTE")
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client, days := items.Client(cfg), daycounts.In(analyticsTable)
	keys := credentialsdynamo.New(client, credentialsTable)
	people := usersdynamo.New(client, usersTable, keys, days)
	store := projectsdynamo.New(client, projectsTable, days)
	auth := credentials.NewAuthenticator(keys, limit, time.Now)
	lambda.Start(lambdahttp.Handler(routes(newService(store, people, time.Now), auth).Handler()))
}
