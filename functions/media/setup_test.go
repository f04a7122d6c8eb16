package main

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/documents"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/transactions"
	"portside/shared/media"
	"portside/shared/media/mediaengines"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

// studio is the media function on real engines, with the engine that needs no model.
type studio struct {
	tb    testing.TB
	table *credentialsdynamo.Table
	store *medias3.Store
	work  *media.Service
	write func(credentials.Credential)
	limit int // requests a minute
	wait  waiting

	objects *s3.Client
	bucket  string
}

const (
	ada = "0192f3a1-0000-7000-8000-000000000001"
	bob = "0192f3a1-0000-7000-8000-000000000002"
)

func newStudio(tb testing.TB) *studio {
	tb.Helper()
	return newStudioOn(tb, mediaengines.Settings{})
}

// newStudioOn has another engine.
func newStudioOn(tb testing.TB, engine mediaengines.Settings) *studio {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	s := &studio{tb: tb, limit: 10_000, wait: patience, objects: awstest.S3(tb), bucket: awstest.Bucket(tb)}
	s.table = credentialsdynamo.New(client, awstest.Table(tb, client, "CredentialsTable"))
	s.store = medias3.New(s.objects, s.bucket, awstest.RealTime)
	limits := documents.DefaultLimits()
	parts, err := mediaengines.Equip(media.Parts{
		Detect: kind.Detect, Readers: files.Readers(), Results: s.store, Limits: limits,
	}, engine)
	if err != nil {
		tb.Fatal(err)
	}
	s.work = media.NewService(parts)
	s.write = func(c credentials.Credential) {
		if err := transactions.Write(tb.Context(), client, s.table.Issue(c)); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

func (s *studio) handler() http.Handler {
	h := &handlers{service: s.work, stored: s.store, jobs: s.store, offers: s.store, waiting: s.wait, now: awstest.RealTime}
	return routes(h, credentials.NewAuthenticator(s.table, s.limit, awstest.RealTime)).Handler()
}

// run does a job as functions/runmediajobs does.
func (s *studio) run(id string) {
	s.tb.Helper()
	runner := media.NewRunner(media.RunnerParts{Service: s.work, Uploads: s.store, Jobs: s.store, Now: awstest.RealTime})
	if err := runner.Run(s.tb.Context(), ada, id); err != nil {
		s.tb.Fatal(err)
	}
}

// kept is what the bucket has below a prefix.
func (s *studio) kept(prefix string) (keys []string) {
	s.tb.Helper()
	list, err := s.objects.ListObjectsV2(s.tb.Context(), &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &prefix})
	if err != nil {
		s.tb.Fatal(err)
	}
	for _, object := range list.Contents {
		keys = append(keys, *object.Key)
	}
	return keys
}

// key makes an API key for the user.
func (s *studio) key(owner string, role principal.Role) credentials.Secret {
	s.tb.Helper()
	secret := credentials.Mint(credentials.APIKey)
	s.write(credentials.Credential{
		ID: secret.ID(), Kind: credentials.APIKey, Hash: secret.Hash(), Name: "test", CreatedAt: awstest.RealTime().UTC(),
		Owner: credentials.Owner{ID: owner, Role: role, Active: true},
	})
	return secret
}

// as talks to the function with a new API key of the user.
func (s *studio) as(owner string, role principal.Role) webtest.Client {
	s.tb.Helper()
	return webtest.New(s.tb, s.handler()).With("X-API-Key", s.key(owner, role).Reveal())
}

func (s *studio) user() webtest.Client { return s.as(ada, principal.User) }

// body builds a form: fields as name, value; a name that begins with @ is a file.
func body(tb testing.TB, parts ...string) (contentType, text string) {
	tb.Helper()
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	for i := 0; i+1 < len(parts); i += 2 {
		name, file := strings.CutPrefix(parts[i], "@")
		create := form.CreateFormField
		if file {
			create = func(name string) (io.Writer, error) { return form.CreateFormFile(name, "upload.bin") }
		}
		write, err := create(name)
		if err == nil {
			_, err = write.Write([]byte(parts[i+1]))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		tb.Fatal(err)
	}
	return form.FormDataContentType(), out.String()
}

// send posts a form.
func send(tb testing.TB, c webtest.Client, path string, parts ...string) webtest.Response {
	tb.Helper()
	contentType, text := body(tb, parts...)
	return c.With("Content-Type", contentType).Post(path, text)
}
