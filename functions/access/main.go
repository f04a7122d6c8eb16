// Command access is the Lambda function behind /api/v1. It manages access tokens and credential requests,
// and lists the pulls of charts and images.
package main

import (
	"net/http"
	"time"

	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/start"
	"portside/shared/mail/mailses"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/trust/trustdynamo"
	"portside/shared/users/usersdynamo"
	"portside/shared/web/resource"
)

func main() { start.HTTP(build) }

func build(settings *start.Settings) (http.Handler, error) {
	cfg := awsenv.Config(settings)
	client := items.Client(cfg)
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	store := credentialsdynamo.New(client, settings.String("CREDENTIALS_TABLE"), settings.String("REQUEST_COUNTS_TABLE")).Audited(auditLog)
	people := usersdynamo.New(client, settings.String("USERS_TABLE"), store, daycounts.In(settings.String("ANALYTICS_TABLE"))).People
	mailer := mailses.New(cfg, settings.String("MAIL_FROM"))
	policies := trustdynamo.New(client, store)
	h := &handlers{
		tokens: tokens.NewService(tokensdynamo.New(client, store), people, settings.Count("MAX_TOKEN_DAYS"), time.Now),
		requests: credentialrequests.NewService(credentialrequests.Parts{
			Store: credentialrequestsdynamo.New(client, store, people), Credentials: store, People: people,
			Mailer: mailer, NewID: resource.NewID, Now: time.Now,
		}),
		pulls:     pulls.NewService(pullsdynamo.New(client, settings.String("PULLS_TABLE"), "")),
		directory: directory{people: people, credentials: store, policies: policies},
		baseURL:   settings.Optional("BASE_URL"), now: time.Now,
	}
	auth := credentials.NewAuthenticator(store.Requests, settings.Count("RATE_LIMIT_PER_MINUTE"), time.Now)
	return routes(h, auth).Handler(), nil
}
