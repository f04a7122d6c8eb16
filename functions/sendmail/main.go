// Command sendmail is the Lambda function that a schedule starts to send the mails which no request could, and to let uncollected
// credential requests expire.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/start"
	"portside/shared/mail/mailses"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

func main() {
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	usersTable, credentialsTable, from := settings.String("USERS_TABLE"), settings.String("CREDENTIALS_TABLE"), settings.String("MAIL_FROM")
	analyticsTable := settings.String("ANALYTICS_TABLE")
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := items.Client(cfg)
	keys := credentialsdynamo.New(client, credentialsTable)
	people := usersdynamo.New(client, usersTable, keys, daycounts.In(analyticsTable))
	mailer := mailses.New(sesv2.NewFromConfig(cfg), from)
	lambda.Start(sendDue(users.NewInviter(people, mailer, time.Now), credentialrequests.NewService(credentialrequests.Parts{
		Store: credentialrequestsdynamo.New(client, credentialsTable, people), Credentials: keys, People: people,
		Mailer: mailer, Now: time.Now,
	})))
}
