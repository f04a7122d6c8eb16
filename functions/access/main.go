// Command access is the Lambda function behind /api/v1. It manages access tokens and credential requests, exchanges
// tokens of platforms for access tokens, and lists the pulls of charts and images.
package main

import (
	"net/http"
	"time"

	"portside/shared/credentialnotices"
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
	"portside/shared/revocation"
	"portside/shared/revocation/revocationdynamo"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/trust"
	"portside/shared/trust/trustdynamo"
	"portside/shared/trust/trustoidc"
	"portside/shared/users/usersdynamo"
	"portside/shared/web"
)

func main() { start.HTTP(build) }

// reportTime is how long each report of a leaked credential takes.
const reportTime = time.Second

func build(settings *start.Settings) (http.Handler, error) {
	cfg := awsenv.Config(settings)
	client := items.Client(cfg)
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	store := credentialsdynamo.New(client, settings.String("CREDENTIALS_TABLE"), settings.String("REQUEST_COUNTS_TABLE")).Audited(auditLog)
	people := usersdynamo.New(client, settings.String("USERS_TABLE"), store, daycounts.In(settings.String("ANALYTICS_TABLE")))
	mailer, ending := mailses.New(cfg, settings.String("MAIL_FROM")), revocationdynamo.New(client, store)
	policies := trustdynamo.New(client, store)
	h := &handlers{
		tokens: tokens.NewService(tokensdynamo.New(client, store), people, settings.Count("MAX_TOKEN_DAYS"), time.Now),
		requests: credentialrequests.NewService(credentialrequests.Parts{
			Store: credentialrequestsdynamo.New(client, store, people), Credentials: store, People: people,
			Mailer: mailer, NewID: web.NewID, Now: time.Now,
		}),
		leaks: revocation.NewService(revocation.Parts{
			Store: ending, Jobs: ending, Failures: ending, Now: time.Now, ReportTime: reportTime,
			Notifier: credentialnotices.NewService(credentialnotices.Parts{Outbox: store, People: people, Mailer: mailer, Now: time.Now}),
		}),
		pulls:     pulls.NewService(pullsdynamo.New(client, settings.String("PULLS_TABLE"), "")),
		exchanger: trust.NewExchanger(policies, trustoidc.New(time.Now), time.Now),
		directory: directory{people: people, credentials: store, policies: policies},
		baseURL:   settings.Optional("BASE_URL"), now: time.Now,
	}
	auth := credentials.NewAuthenticator(store, settings.Count("RATE_LIMIT_PER_MINUTE"), time.Now)
	return routes(h, auth).Handler(), nil
}
