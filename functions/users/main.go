// Command users is the Lambda function behind /v1/users: users, their API keys, and the activation of accounts.
package main

import (
	"net/http"
	"time"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/start"
	"portside/shared/mail/mailses"
	"portside/shared/revocation/revocationdynamo"
	"portside/shared/users/usersdynamo"
)

func main() { start.HTTP(build) }

func build(settings *start.Settings) (http.Handler, error) {
	cfg := awsenv.Config(settings)
	client := items.Client(cfg)
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	keys := credentialsdynamo.New(client, settings.String("CREDENTIALS_TABLE"), settings.String("REQUEST_COUNTS_TABLE")).Audited(auditLog)
	store := usersdynamo.New(client, settings.String("USERS_TABLE"), keys,
		daycounts.In(settings.String("ANALYTICS_TABLE")))
	mailer := mailses.New(cfg, settings.String("MAIL_FROM"))
	service := newService(parts{
		store: store, keys: keys, ending: revocationdynamo.New(client, keys), mailer: mailer,
		baseURL: settings.Optional("BASE_URL"), now: time.Now, endTime: 5 * time.Second,
	})
	auth := credentials.NewAuthenticator(keys.Requests, settings.Count("RATE_LIMIT_PER_MINUTE"), time.Now)
	return routes(service, auth).Handler(), nil
}
