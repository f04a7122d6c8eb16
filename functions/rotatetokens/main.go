// Command rotatetokens is the Lambda function that renews the tokens in secrets, when Secrets Manager asks, and tells owners
// every day which of their tokens and passwords are about to expire.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/expirynotices"
	"portside/shared/expirynotices/expirynoticesdynamo"
	"portside/shared/lambda/start"
	"portside/shared/mail/mailses"
	"portside/shared/rotation"
	"portside/shared/rotation/rotationsecrets"
	"portside/shared/users/usersdynamo"
)

func main() {
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	credentialsTable, usersTable := settings.String("CREDENTIALS_TABLE"), settings.String("USERS_TABLE")
	analyticsTable := settings.String("ANALYTICS_TABLE")
	from, baseURL, overlap := settings.String("MAIL_FROM"), settings.Optional("BASE_URL"), settings.Count("ROTATION_OVERLAP_DAYS")
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := items.Client(cfg)
	table := credentialsdynamo.New(client, credentialsTable)
	store := usersdynamo.New(client, usersTable, table, daycounts.In(analyticsTable))
	vault := rotationsecrets.New(secretsmanager.NewFromConfig(cfg))
	owners, ledger := owners{store, store}, expirynoticesdynamo.New(client, credentialsTable)
	rotator := rotation.New(vault, owners, table, rotation.Options{Overlap: days(overlap), Now: time.Now})
	sender := expirynotices.New(expirynotices.Parts{
		Lock: ledger, Ledger: ledger, Credentials: table, People: owners,
		Mailer: mailses.New(sesv2.NewFromConfig(cfg), from), BaseURL: baseURL, Now: time.Now,
	})
	lambda.Start(handler(rotator, sender))
}
