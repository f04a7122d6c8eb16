// Command media is the Lambda function behind /v1/capabilities. It summarizes files, extracts values from them, and
// compares them.
package main

import (
	"net/http"
	"time"

	"portside/documents"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/media/mediaengines"
	"portside/shared/media/medias3"
)

func main() { start.HTTP(build) }

func build(settings *start.Settings) (http.Handler, error) {
	cfg := awsenv.Config(settings)
	client, bucket := s3client.New(cfg), settings.String("MEDIA_BUCKET")
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	keys := credentialsdynamo.New(items.Client(cfg), settings.String("CREDENTIALS_TABLE"), settings.String("REQUEST_COUNTS_TABLE")).
		Audited(auditLog)
	auth := credentials.NewAuthenticator(keys.Requests, settings.Count("RATE_LIMIT_PER_MINUTE"), time.Now)
	store, limits := medias3.New(client, bucket, time.Now), documents.DefaultLimits()
	parts, err := mediaengines.Equip(media.Parts{
		Detect: kind.Detect, Readers: files.Readers(), Results: store, Limits: limits,
	}, mediaengines.Read(settings.Optional, cfg).In(client, bucket))
	if err != nil {
		return nil, err
	}
	h := &handlers{
		responder: jobs.NewResponder(jobs.ResponderParts{
			Service: media.NewService(parts), Uploads: store, Jobs: store, Timing: jobs.DefaultTiming(), Now: time.Now,
		}),
		store: store,
	}
	return routes(h, auth).Handler(), nil
}
