// Command anonymous is the Lambda function for operations without a credential: reports of leaked secrets
// (/api/v1/tokens/revoke) and exchanges of workload tokens (/api/v1/token-exchange). It has a small reserved
// concurrency, so that strangers who use it up stop no other function.
package main

import (
	"net/http"
	"time"

	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/start"
	"portside/shared/revocation"
	"portside/shared/revocation/revocationdynamo"
	"portside/shared/trust"
	"portside/shared/trust/trustdynamo"
	"portside/shared/trust/trustoidc"
)

func main() { start.HTTP(build) }

// reportTime is the time limit of a report. After it, the schedule of another function ends the remaining credentials.
const reportTime = time.Second

func build(settings *start.Settings) (http.Handler, error) {
	client := items.Client(awsenv.Config(settings))
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	store := credentialsdynamo.New(client, settings.String("CREDENTIALS_TABLE"), settings.String("REQUEST_COUNTS_TABLE")).Audited(auditLog)
	ending := revocationdynamo.New(client, store)
	return routes(&handlers{
		leaks: revocation.NewService(revocation.Parts{
			Store: ending, Jobs: ending, Failures: store.Requests, Now: time.Now, EndTime: reportTime,
		}),
		exchanger: trust.NewExchanger(trustdynamo.New(client, store), trustoidc.New(time.Now), time.Now),
		baseURL:   settings.Optional("BASE_URL"),
	}).Handler(), nil
}
