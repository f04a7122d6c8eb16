// Command analytics is the Lambda function behind /v1/analytics: the figures of the dashboard, their time series, and
// rankings of pulls.
package main

import (
	"net/http"
	"time"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/start"
	"portside/shared/users/usersdynamo"
)

func main() { start.HTTP(build) }

func build(settings *start.Settings) (http.Handler, error) {
	cfg := awsenv.Config(settings)
	client := items.Client(cfg)
	stored := analyticsdynamo.New(client, settings.String("ANALYTICS_TABLE"))
	store := analytics.NewCachedStore(stored, time.Now)
	quota := analytics.Gigabytes(settings.Count("STORAGE_QUOTA_GIGABYTES"))
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	keys := credentialsdynamo.New(client, settings.String("CREDENTIALS_TABLE"), settings.String("REQUEST_COUNTS_TABLE")).Audited(auditLog)
	auth := credentials.NewAuthenticator(keys.Requests, settings.Count("RATE_LIMIT_PER_MINUTE"), time.Now)
	return routes(&handlers{
		analytics: analytics.NewService(store, quota, time.Now), rankings: analytics.NewRankings(stored, time.Now),
		visibility: credentials.NewVisibility(keys, time.Now),
		people:     usersdynamo.New(client, settings.String("USERS_TABLE"), keys, daycounts.In(settings.String("ANALYTICS_TABLE"))).People,
	}, auth).Handler(), nil
}
