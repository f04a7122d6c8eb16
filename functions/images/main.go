// Command images is the Lambda function behind /v2/…: the container registry, in front of the vendor's own.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ecr"

	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/images/imagesdynamo"
	"portside/shared/images/imagesecr"
	"portside/shared/lambda/lambdahttp"
	"portside/shared/lambda/start"
)

func main() {
	start.DelayCollection()
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	table, limit := settings.String("CREDENTIALS_TABLE"), settings.Count("RATE_LIMIT_PER_MINUTE")
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := items.Client(cfg)
	g := &gateway{
		auth:     credentials.NewAuthenticator(credentialsdynamo.New(client, table), limit, time.Now),
		registry: imagesecr.NewRegistry(imagesecr.New(ecr.NewFromConfig(cfg), time.Now)),
		grants:   imagesdynamo.New(client, table, time.Now),
		now:      time.Now,
	}
	lambda.Start(lambdahttp.Handler(routes(g)))
}
