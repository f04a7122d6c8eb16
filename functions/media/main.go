// Command media is the Lambda function behind /v1/capabilities/…: summaries of files, values from them, and comparisons.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"

	"portside/documents"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/lambdahttp"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
	"portside/shared/media"
	"portside/shared/media/mediaengines"
	"portside/shared/media/medias3"
)

func main() {
	start.DelayCollection()
	start.LogJSON()
	settings := start.Reader{Lookup: os.LookupEnv}
	table, limit := settings.String("CREDENTIALS_TABLE"), settings.Count("RATE_LIMIT_PER_MINUTE")
	bucket := settings.String("MEDIA_BUCKET")
	if err := settings.Err(); err != nil {
		log.Fatal(err)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := s3client.New(cfg)
	store := medias3.New(client, bucket, time.Now)
	limits := documents.DefaultLimits()
	parts, err := mediaengines.Equip(media.Parts{
		Detect: kind.Detect, Readers: files.Readers(), Results: store, Limits: limits,
	}, mediaengines.Read(settings.Optional, cfg).In(client, bucket))
	if err != nil {
		log.Fatal(err)
	}
	h := &handlers{
		responder: media.NewResponder(media.ResponderParts{
			Service: media.NewService(parts), Uploads: store, Jobs: store, Timing: media.DefaultTiming(), Now: time.Now,
		}),
		offers: store,
	}
	auth := credentials.NewAuthenticator(credentialsdynamo.New(items.Client(cfg), table), limit, time.Now)
	lambda.Start(lambdahttp.Handler(routes(h, auth).Handler()))
}
