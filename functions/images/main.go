// Command images is the Lambda function behind /v2, the container registry that customers use, in front of the vendor's
// own registry, and /v1/images, which describes the same images to people. It also gets every path that no other
// function serves; template.yaml says why.
package main

import (
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecr"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/images/imagesdynamo"
	"portside/shared/images/imagesecr"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/start"
)

func main() { start.HTTP(build) }

func build(settings *start.Settings) (http.Handler, error) {
	cfg := awsenv.Config(settings)
	client := items.Client(cfg)
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	store := credentialsdynamo.New(client, settings.String("CREDENTIALS_TABLE"), settings.String("REQUEST_COUNTS_TABLE")).Audited(auditLog)
	gateway := newGateway(
		credentials.NewAuthenticator(store.Requests, settings.Count("RATE_LIMIT_PER_MINUTE"), time.Now),
		imagesdynamo.New(client, settings.String("IMAGE_VERSIONS_TABLE"), time.Now),
		imagesecr.NewRegistry(imagesecr.New(ecr.NewFromConfig(cfg), time.Now), settings.String("IMAGE_REPOSITORIES")),
		time.Now)
	gateway.baseURL = settings.Optional("BASE_URL")
	return routes(&catalog{gateway: gateway, visibility: credentials.NewVisibility(store, time.Now)}), nil
}
