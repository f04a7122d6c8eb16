// Command customers is the Lambda function behind /v1/customers: customers, their entitlements and their trust
// policies.
package main

import (
	"net/http"
	"time"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/customers/customersdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/entitlements/entitlementsdynamo"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/start"
	"portside/shared/trust/trustdynamo"
)

func main() { start.HTTP(build) }

func build(settings *start.Settings) (http.Handler, error) {
	client := items.Client(awsenv.Config(settings))
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	keys := credentialsdynamo.New(client, settings.String("CREDENTIALS_TABLE"), settings.String("REQUEST_COUNTS_TABLE")).Audited(auditLog)
	store := customersdynamo.New(client, settings.String("CUSTOMERS_TABLE"), keys.Customers, auditLog)
	auth := credentials.NewAuthenticator(keys.Requests, settings.Count("RATE_LIMIT_PER_MINUTE"), time.Now)
	kept := stores{
		customers: store, entitlements: entitlementsdynamo.New(client, keys.Name(), auditLog), policies: trustdynamo.New(client, keys),
	}
	return routes(newService(kept, time.Now), auth).Handler(), nil
}
