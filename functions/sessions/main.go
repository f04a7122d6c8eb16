// Command sessions is the Lambda function behind /v1/sign-in, /v1/sessions and /v1/passkeys: signing in without a
// password, and the sessions and passkeys of the caller.
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
	"portside/shared/lambda/secretvalue"
	"portside/shared/lambda/start"
	"portside/shared/mail/mailses"
	"portside/shared/sessions"
	"portside/shared/sessions/openid/openiddynamo"
	"portside/shared/sessions/passkeys/passkeysdynamo"
	"portside/shared/sessions/sessionsdynamo"
	"portside/shared/users/usersdynamo"
)

// requestMailTime is how long every request for a sign-in mail takes; see sessions.Dependencies. Amazon SES usually
// accepts a mail within a tenth of it.
const requestMailTime = time.Second

func main() { start.HTTP(build) }

func build(settings *start.Settings) (http.Handler, error) {
	cfg := awsenv.Config(settings)
	client, table := items.Client(cfg), settings.String("CREDENTIALS_TABLE")
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	keys := credentialsdynamo.New(client, table, settings.String("REQUEST_COUNTS_TABLE")).Audited(auditLog)
	people := usersdynamo.New(client, settings.String("USERS_TABLE"), keys, daycounts.In(settings.String("ANALYTICS_TABLE"))).People
	store := sessionsdynamo.New(client, keys, people)
	mailer := mailses.New(cfg, settings.String("MAIL_FROM"))
	secret := secretvalue.New(cfg, settings.Optional("OPENID_CLIENT_SECRET_ID"), time.Now)
	h := &handlers{
		sessions: sessions.NewService(sessions.Dependencies{
			Requests: store, Failures: keys.Requests, Outbox: store, Sessions: store, Credentials: keys, People: people,
			Mailer: mailer, Now: time.Now, RequestMailTime: requestMailTime,
		}),
		passkeys: newPasskeys(passkeysdynamo.New(client, keys), people, mailer, time.Now),
		openID:   newOpenID(settings, secret, openiddynamo.New(client, table), people),
		baseURL:  settings.Optional("BASE_URL"),
	}
	auth := credentials.NewAuthenticator(keys.Requests, settings.Count("RATE_LIMIT_PER_MINUTE"), time.Now)
	return routes(h, auth).Handler(), nil
}
