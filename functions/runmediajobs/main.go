// Command runmediajobs is the Lambda function that runs the media jobs that functions/media starts.
package main

import (
	"time"

	"portside/documents"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/media/mediaengines"
	"portside/shared/media/medias3"
)

func main() { start.Events(build) }

func build(settings *start.Settings) (any, error) {
	cfg := awsenv.Config(settings)
	engines, limits := mediaengines.Read(settings.Optional, cfg), documents.DefaultLimits()
	parts, err := mediaengines.Equip(media.Parts{
		Detect: kind.Detect, Readers: files.Readers(), Limits: limits,
	}, engines)
	if err != nil {
		return nil, err
	}
	client := s3client.New(cfg)
	return work(func(bucket string) (runner, error) {
		store, parts := medias3.New(client, bucket, time.Now), parts
		transcriber, err := mediaengines.NewTranscriber(engines.In(client, bucket))
		parts.Results, parts.Transcriber = store, transcriber
		return jobs.NewRunner(jobs.RunnerParts{
			Service: media.NewService(parts), Uploads: store, Jobs: store, Batches: store, Now: time.Now,
		}), err
	}), nil
}
