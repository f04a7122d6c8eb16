// Command mediaworker is the Lambda function that does the work of media jobs, which functions/media begins.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"

	"portside/shared/env"
	"portside/shared/logs"
	"portside/shared/media"
	"portside/shared/media/mediaengines"
	"portside/shared/media/mediafiles"
	"portside/shared/media/medias3"
	"portside/shared/objects"
)

func main() {
	logs.SetUp()
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	settings := env.Reader{Lookup: os.LookupEnv}
	engines, limits := mediaengines.Read(settings.Optional, cfg), media.DefaultLimits()
	parts, err := mediaengines.Equip(media.Parts{
		Detect: mediafiles.Detect(limits), Readers: mediafiles.Readers(), Limits: limits,
	}, engines)
	if err != nil {
		log.Fatal(err)
	}
	client := objects.Client(cfg)
	lambda.Start(work(func(bucket string) (runner, error) {
		store, parts := medias3.New(client, bucket, time.Now), parts
		transcriber, err := mediaengines.NewTranscriber(engines.In(client, bucket))
		parts.Results, parts.Transcriber = store, transcriber
		return media.NewRunner(media.RunnerParts{Service: media.NewService(parts), Uploads: store, Jobs: store, Now: time.Now}), err
	}))
}
