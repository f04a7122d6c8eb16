package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/charts"
	"portside/shared/charts/chartss3"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

const owner = "0199aaaa-0000-7000-8000-000000000001"

// fixture is the function with real engines and a clock that the test sets.
type fixture struct {
	tb     testing.TB
	now    time.Time
	table  *credentialsdynamo.Table
	tables *dynamodb.Client
	files  *s3.Client
	bucket string
	listed *charts.Index
	limit  int // requests per minute
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	tables := awstest.DynamoDB(tb)
	return &fixture{
		tb: tb, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), tables: tables,
		table: credentialsdynamo.New(tables, awstest.Table(tb, tables, "CredentialsTable"), awstest.Table(tb, tables, "RequestCountsTable")),
		files: viaLocalhost(awstest.S3(tb)), bucket: awstest.Bucket(tb), listed: charts.NewIndex(), limit: 1000,
	}
}

// viaLocalhost gives S3 a different host name than the test server. Go's client, and so Helm, sends its credentials to
// a redirect target with the same host name, even on another port.
func viaLocalhost(client *s3.Client) *s3.Client {
	return s3.New(client.Options(), func(o *s3.Options) {
		o.BaseEndpoint = aws.String(strings.Replace(*o.BaseEndpoint, "127.0.0.1", "localhost", 1))
	})
}

func (h *fixture) clock() time.Time { return h.now }

// handler returns the function's handler, wired as in main, with empty caches.
func (h *fixture) handler() http.Handler {
	library := charts.NewLibrary(chartss3.NewReader(h.files, h.bucket))
	auth := credentials.NewAuthenticator(h.table.Requests, h.limit, h.clock)
	visibility := credentials.NewVisibility(h.table, h.clock)
	return routes(&handlers{library: library, visibility: visibility, now: h.clock}, auth).Handler()
}

// withAllCharts returns a client with a credential for all charts.
func (h *fixture) withAllCharts() webtest.Client { return h.withToken(h.token("read:helm-charts")) }

func (h *fixture) anonymous() webtest.Client { return webtest.New(h.tb, h.handler()) }

// withToken returns a client of a new function that sends a token as its password.
func (h *fixture) withToken(token credentials.Secret) webtest.Client {
	return h.anonymous().With("Authorization", basic("helm", token.Reveal()))
}

func basic(username, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(username+":"+password))
}

// token creates an access token for one day.
func (h *fixture) token(scopes ...string) credentials.Secret {
	h.tb.Helper()
	return h.issue(credentials.AccessToken, func(c *credentials.Credential) { c.Scopes = scopes })
}

func (h *fixture) issue(kind credentials.Kind, change func(*credentials.Credential)) credentials.Secret {
	h.tb.Helper()
	secret := credentials.Mint(kind)
	c := credentials.Credential{
		ID: secret.ID(), Kind: kind, Hash: secret.Hash(), Name: "test", CreatedAt: h.now, ExpiresAt: h.now.AddDate(0, 0, 1),
		Owner: credentials.Owner{ID: owner, Role: principal.User, Active: true}, Scopes: []string{"read:helm-charts"},
	}
	change(&c)
	h.write(h.table.Writes.Issue(c)...)
	return secret
}

func (h *fixture) revoke(secret credentials.Secret) {
	h.tb.Helper()
	h.write(h.table.Writes.Revoke(credentials.Credential{
		ID: secret.ID(), Kind: secret.Kind(), Owner: credentials.Owner{ID: owner}, RevokedAt: h.now, Reason: "test",
	})...)
}

func (h *fixture) write(writes ...types.TransactWriteItem) {
	h.tb.Helper()
	if err := transactions.Write(h.tb.Context(), h.tables, writes); err != nil {
		h.tb.Fatal(err)
	}
}

// publish stores an archive and adds it to the index.
func (h *fixture) publish(name, version, contents string) charts.Version {
	h.tb.Helper()
	v := h.list(name, version, contents)
	h.put(charts.ArchivesPrefix+v.File(), []byte(contents))
	h.putIndex()
	return v
}

// list adds an entry to the index.
func (h *fixture) list(name, version, contents string) charts.Version {
	h.tb.Helper()
	sum := sha256.Sum256([]byte(contents))
	v := charts.Version{
		Name: name, Version: version, Digest: hex.EncodeToString(sum[:]), Created: h.now,
		Metadata: []byte(`{"apiVersion":"v2","description":"A chart that runs the product in a cluster, with all that it needs.",` +
			`"home":"https://product.example.com","keywords":["product","example"],"name":"` + name + `","version":"` + version + `"}`),
	}
	v.URLs = []string{v.File()}
	if _, err := h.listed.Set(v); err != nil {
		h.tb.Fatal(err)
	}
	return v
}

func (h *fixture) putIndex() {
	h.tb.Helper()
	contents, err := h.listed.Encode(h.now)
	if err != nil {
		h.tb.Fatal(err)
	}
	h.put(charts.IndexKey, contents)
}

func (h *fixture) put(key string, contents []byte) {
	h.tb.Helper()
	ctx := context.WithoutCancel(h.tb.Context())
	input := &s3.PutObjectInput{Bucket: &h.bucket, Key: &key, Body: bytes.NewReader(contents)}
	if _, err := h.files.PutObject(ctx, input); err != nil {
		h.tb.Fatal(err)
	}
}
