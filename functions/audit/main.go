// Command audit is the Lambda function behind /v1/audit: who changed what.
package main

import (
	"net/http"
	"time"

	"portside/shared/audit"
	"portside/shared/audit/auditdynamo"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/start"
)

func main() { start.HTTP(build) }

func build(settings *start.Settings) (http.Handler, error) {
	client := items.Client(awsenv.Config(settings))
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now) // of refused requests
	keys := credentialsdynamo.New(client, settings.String("CREDENTIALS_TABLE"), settings.String("REQUEST_COUNTS_TABLE")).Audited(auditLog)
	auth := credentials.NewAuthenticator(keys.Requests, settings.Count("RATE_LIMIT_PER_MINUTE"), time.Now)
	log := audit.NewService(auditdynamo.New(client, settings.String("AUDIT_TABLE")))
	return routes(&handlers{log: log, now: time.Now}, auth).Handler(), nil
}
