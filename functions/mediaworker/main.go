// Command mediaworker is the Lambda function that does the work of media jobs, which functions/media begins.
package main

import (
	"context"
	"log"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/logs"
	"portside/shared/media"
	"portside/shared/media/mediafiles"
	"portside/shared/media/mediaoffline"
	"portside/shared/media/medias3"
)

func main() {
	logs.SetUp()
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := s3.NewFromConfig(cfg, pathStyle)
	limits := media.DefaultLimits()
	lambda.Start(work(func(bucket string) runner {
		store := medias3.New(client, bucket, time.Now)
		return media.NewRunner(media.NewService(media.Parts{
			Detect: mediafiles.Detect(limits), Readers: mediafiles.Readers(), Engine: mediaoffline.New(), Results: store, Limits: limits,
		}), store)
	}))
}

// pathStyle puts the bucket into the path where S3 is not Amazon's, and no host has a bucket's name.
func pathStyle(o *s3.Options) { o.UsePathStyle = o.BaseEndpoint != nil }
