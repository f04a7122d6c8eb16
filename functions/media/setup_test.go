package main

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/documents"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/transactions"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/media/mediaengines"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

// testAPI is the media function on real engines. By default it has the offline engine.
type testAPI struct {
	tb      testing.TB
	table   *credentialsdynamo.Table
	store   *medias3.Store
	service *media.Service
	issue   func(credentials.Credential)
	limit   int // requests per minute
	timing  jobs.Timing
	later   time.Duration // how far the clock of jobs is ahead

	objects *s3.Client
	bucket  string
}

const (
	ada = "0192f3a1-0000-7000-8000-000000000001"
	bob = "0192f3a1-0000-7000-8000-000000000002"
)

func newTestAPI(tb testing.TB) *testAPI {
	tb.Helper()
	return newTestAPIWith(tb, mediaengines.Settings{})
}

// newTestAPIWith returns a testAPI with the engine of the settings.
func newTestAPIWith(tb testing.TB, settings mediaengines.Settings) *testAPI {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	a := &testAPI{
		tb: tb, limit: 10_000, timing: jobs.DefaultTiming(), objects: awstest.S3(tb), bucket: awstest.Bucket(tb),
	}
	a.table = credentialsdynamo.New(client, awstest.Table(tb, client, "CredentialsTable"), awstest.Table(tb, client, "RequestCountsTable"))
	a.store = medias3.New(a.objects, a.bucket, a.clock)
	parts, err := mediaengines.Equip(media.Parts{
		Detect: kind.Detect, Readers: files.Readers(), Results: a.store, Limits: documents.DefaultLimits(),
	}, settings)
	if err != nil {
		tb.Fatal(err)
	}
	a.service = media.NewService(parts)
	a.issue = func(c credentials.Credential) {
		if err := transactions.Write(tb.Context(), client, a.table.Writes.Issue(c)); err != nil {
			tb.Fatal(err)
		}
	}
	return a
}

func (a *testAPI) clock() time.Time { return awstest.RealTime().Add(a.later) }

func (a *testAPI) handler() http.Handler {
	responder := jobs.NewResponder(jobs.ResponderParts{
		Service: a.service, Uploads: a.store, Jobs: a.store, Timing: a.timing, Now: a.clock,
	})
	auth := credentials.NewAuthenticator(a.table.Requests, a.limit, awstest.RealTime)
	return routes(&handlers{responder: responder, store: a.store}, auth).Handler()
}

// runJob does the work of a job as functions/runmediajobs does.
func (a *testAPI) runJob(id string) {
	a.tb.Helper()
	runner := jobs.NewRunner(jobs.RunnerParts{Service: a.service, Uploads: a.store, Jobs: a.store, Batches: a.store, Now: awstest.RealTime})
	if err := runner.Run(a.tb.Context(), ada, id); err != nil {
		a.tb.Fatal(err)
	}
}

// stored returns the keys in the bucket that begin with the prefix.
func (a *testAPI) stored(prefix string) (keys []string) {
	a.tb.Helper()
	list, err := a.objects.ListObjectsV2(a.tb.Context(), &s3.ListObjectsV2Input{Bucket: &a.bucket, Prefix: &prefix})
	if err != nil {
		a.tb.Fatal(err)
	}
	for _, object := range list.Contents {
		keys = append(keys, *object.Key)
	}
	return keys
}

// newKey creates an API key for the user.
func (a *testAPI) newKey(owner string, role principal.Role) credentials.Secret {
	a.tb.Helper()
	secret := credentials.Mint(credentials.APIKey)
	a.issue(credentials.Credential{
		ID: secret.ID(), Kind: credentials.APIKey, Hash: secret.Hash(), Name: "test", CreatedAt: awstest.RealTime().UTC(),
		Owner: credentials.Owner{ID: owner, Role: role, Active: true},
	})
	return secret
}

// clientOf returns a client with a new API key of the user.
func (a *testAPI) clientOf(owner string, role principal.Role) webtest.Client {
	a.tb.Helper()
	return webtest.New(a.tb, a.handler()).With("X-API-Key", a.newKey(owner, role).Reveal())
}

// client returns a client of the user ada.
func (a *testAPI) client() webtest.Client { return a.clientOf(ada, principal.User) }

// formBody returns a form. Its parts are pairs of name and value; a name that begins with @ is that of
// a file.
func formBody(tb testing.TB, parts ...string) (contentType, text string) {
	tb.Helper()
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	for i := 0; i+1 < len(parts); i += 2 {
		name, isFile := strings.CutPrefix(parts[i], "@")
		create := form.CreateFormField
		if isFile {
			create = func(name string) (io.Writer, error) { return form.CreateFormFile(name, "upload.bin") }
		}
		part, err := create(name)
		if err == nil {
			_, err = part.Write([]byte(parts[i+1]))
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

// postForm posts a form. See formBody for its parts.
func postForm(tb testing.TB, c webtest.Client, path string, parts ...string) webtest.Response {
	tb.Helper()
	contentType, text := formBody(tb, parts...)
	return c.With("Content-Type", contentType).Post(path, text)
}
