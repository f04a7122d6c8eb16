// Command access is the Lambda function behind /api/v1/tokens, /api/v1/credential-requests and /api/v1/pulls: the credentials
// of customers' machines, how people ask for them, and what was fetched with them.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/google/uuid"

	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/lambdahttp"
	"portside/shared/lambda/start"
	"portside/shared/mail/mailses"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/users/usersdynamo"
)

func main() {
	start.DelayCollection()
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	table, usersTable := settings.String("CREDENTIALS_TABLE"), settings.String("USERS_TABLE")
	pullsTable, analyticsTable := settings.String("PULLS_TABLE"), settings.String("ANALYTICS_TABLE")
	from, baseURL, limit := settings.String("MAIL_FROM"), settings.Optional("BASE_URL"), settings.Count("RATE_LIMIT_PER_MINUTE")
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := items.Client(cfg)
	store := credentialsdynamo.New(client, table)
	people := usersdynamo.New(client, usersTable, store, daycounts.In(analyticsTable))
	h := &handlers{
		tokens: tokens.NewService(tokensdynamo.New(client, store), time.Now),
		requests: credentialrequests.NewService(credentialrequests.Parts{
			Store: credentialrequestsdynamo.New(client, table, people), Credentials: store, People: people,
			Mailer: mailses.New(sesv2.NewFromConfig(cfg), from), NewID: newID, Now: time.Now,
		}),
		pulls:   pulls.NewService(pullsdynamo.New(client, pullsTable, "")),
		baseURL: baseURL, now: time.Now,
	}
	auth := credentials.NewAuthenticator(store, limit, time.Now)
	lambda.Start(lambdahttp.Handler(routes(h, auth).Handler()))
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }
