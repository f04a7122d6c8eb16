// Command projects is the Lambda function behind /v1/projects.
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
	"portside/shared/projects/projectsdynamo"
	"portside/shared/users/usersdynamo"
)

func main() { start.HTTP(build) }

func build(settings *start.Settings) (http.Handler, error) {
	cfg := awsenv.Config(settings)
	client, days := items.Client(cfg), daycounts.In(settings.String("ANALYTICS_TABLE"))
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	keys := credentialsdynamo.New(client, settings.String("CREDENTIALS_TABLE"), settings.String("REQUEST_COUNTS_TABLE")).Audited(auditLog)
	people := usersdynamo.New(client, settings.String("USERS_TABLE"), keys, days).People
	store := projectsdynamo.New(client, settings.String("PROJECTS_TABLE"), days).Audited(auditLog)
	auth := credentials.NewAuthenticator(keys.Requests, settings.Count("RATE_LIMIT_PER_MINUTE"), time.Now)
	return routes(newService(store, people, time.Now), auth).Handler(), nil
}
