// Command rotatetokens is the Lambda function that renews the tokens in secrets when Secrets Manager invokes it. A
// schedule invokes it every five minutes of the day to notify owners of tokens and passwords that are about to expire.
package main

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/start"
	"portside/shared/mail/mailses"
	"portside/shared/notices/expirynotices"
	"portside/shared/notices/expirynotices/expirynoticesdynamo"
	"portside/shared/rotation"
	"portside/shared/rotation/rotationsecrets"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

func main() { start.Events(build) }

func build(settings *start.Settings) (any, error) {
	cfg := awsenv.Config(settings)
	client, table := items.Client(cfg), settings.String("CREDENTIALS_TABLE")
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	keys := credentialsdynamo.New(client, table, settings.String("REQUEST_COUNTS_TABLE")).Audited(auditLog)
	people := usersdynamo.New(client, settings.String("USERS_TABLE"), keys,
		daycounts.In(settings.String("ANALYTICS_TABLE")))
	vault := rotationsecrets.New(secretsmanager.NewFromConfig(cfg))
	owners, ledger := owners{users.NewIssuer(people, people.Keys)}, expirynoticesdynamo.New(client, table)
	overlap := days(settings.Count("ROTATION_OVERLAP_DAYS"))
	rotator := rotation.New(vault, owners, keys, rotation.Options{Overlap: overlap, Now: time.Now})
	sender := expirynotices.New(expirynotices.Parts{
		Walk: ledger.Walk(), Ledger: ledger, Retries: ledger, Credentials: keys, People: owners,
		Mailer:  mailses.New(cfg, settings.String("MAIL_FROM")),
		BaseURL: settings.Optional("BASE_URL"), Now: time.Now,
	})
	return handler(rotator, sender), nil
}
