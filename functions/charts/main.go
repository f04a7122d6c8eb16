// Command charts is the Lambda function behind /charts: the Helm chart repository, as customers see it.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"

	"portside/shared/charts"
	"portside/shared/charts/chartss3"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/lambdahttp"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
)

func main() {
	start.DelayCollection()
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	bucket, table := settings.String("CHARTS_BUCKET"), settings.String("CREDENTIALS_TABLE")
	limit := settings.Count("RATE_LIMIT_PER_MINUTE")
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	shelf := chartss3.NewShelf(s3client.New(cfg), bucket)
	auth := credentials.NewAuthenticator(credentialsdynamo.New(items.Client(cfg), table), limit, time.Now)
	h := &handlers{library: charts.NewLibrary(shelf), now: time.Now}
	lambda.Start(lambdahttp.Handler(routes(h, auth).Handler()))
}
