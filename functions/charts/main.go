// Command charts is the Lambda function behind /charts, the Helm chart repository that customers use, and /v1/charts,
// which describes the same charts to people.
package main

import (
	"net/http"
	"time"

	"portside/shared/charts"
	"portside/shared/charts/chartss3"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
)

func main() { start.HTTP(build) }

func build(settings *start.Settings) (http.Handler, error) {
	cfg := awsenv.Config(settings)
	reader := chartss3.NewReader(s3client.New(cfg), settings.String("CHARTS_BUCKET"))
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	keys := credentialsdynamo.New(items.Client(cfg), settings.String("CREDENTIALS_TABLE"), settings.String("REQUEST_COUNTS_TABLE")).
		Audited(auditLog)
	auth := credentials.NewAuthenticator(keys.Requests, settings.Count("RATE_LIMIT_PER_MINUTE"), time.Now)
	return routes(&handlers{
		library: charts.NewLibrary(reader), visibility: credentials.NewVisibility(keys, time.Now), now: time.Now,
	}, auth).Handler(), nil
}
