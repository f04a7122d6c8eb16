package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/ecr"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/transactions"
	"portside/shared/images/imagesdynamo"
	"portside/shared/images/imagesecr"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

const (
	imageConfig  = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
	chartConfig  = "application/vnd.cncf.helm.config.v1+json"
	chartContent = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

// owner is the owner of the credentials.
const owner = "0192f3a1-0000-7000-8000-000000000001"

// fixture is the function with a real upstream registry, a real database, and a clock that the test sets.
type fixture struct {
	tb       testing.TB
	now      time.Time
	client   *dynamodb.Client
	table    *credentialsdynamo.Table
	versions string // the table of the index
	upstream *awstest.Registry
	logins   *awstest.Count
	gateway  *gateway
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	q := &fixture{tb: tb, now: time.Date(2026, 3, 2, 9, 0, 30, 0, time.UTC), upstream: awstest.NewRegistry(tb)}
	q.client = awstest.DynamoDB(tb)
	q.table = credentialsdynamo.New(
		q.client, awstest.Table(tb, q.client, "CredentialsTable"), awstest.Table(tb, q.client, "RequestCountsTable"))
	q.versions = awstest.Table(tb, q.client, "ImageVersionsTable")
	registry, logins := q.upstream.ECR(tb, q.clock)
	q.logins = logins
	q.gateway = newGateway(credentials.NewAuthenticator(q.table.Requests, 10000, q.clock),
		imagesdynamo.New(q.client, q.versions, q.clock),
		imagesecr.NewRegistry(imagesecr.New(registry, q.clock), "*"), q.clock)
	return q
}

// setRegistry puts the gateway in front of a registry.
func (q *fixture) setRegistry(client *ecr.Client) {
	before := q.gateway
	q.gateway = newGateway(before.auth, before.indexer.Versions,
		imagesecr.NewRegistry(imagesecr.New(client, q.clock), "*"), q.clock)
}

func (q *fixture) clock() time.Time { return q.now }

// handler returns the function's handler, wired as in main.
func (q *fixture) handler() http.Handler {
	return routes(&catalog{gateway: q.gateway, visibility: credentials.NewVisibility(q.table, q.clock)})
}

func (q *fixture) anonymous() webtest.Client { return webtest.New(q.tb, q.handler()) }

// withScopes returns a client that sends a new token with the scopes as its password.
func (q *fixture) withScopes(scopes ...string) webtest.Client {
	q.tb.Helper()
	return q.withToken(q.issue(credentials.AccessToken, scopes...).Reveal())
}

func (q *fixture) withToken(token string) webtest.Client {
	return q.anonymous().With("Authorization", basic(token))
}

func basic(token string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte("acme:"+token))
}

func (q *fixture) issue(kind credentials.Kind, scopes ...string) credentials.Secret {
	q.tb.Helper()
	secret := credentials.Mint(kind)
	q.write(q.table.Writes.Issue(credentials.Credential{
		ID: secret.ID(), Kind: kind, Hash: secret.Hash(), Username: "acme", Scopes: scopes, Name: "test",
		Owner:     credentials.Owner{ID: owner, Role: principal.User, Active: true},
		CreatedAt: q.now, ExpiresAt: q.now.AddDate(0, 0, 90),
	})...)
	return secret
}

func (q *fixture) write(writes ...types.TransactWriteItem) {
	q.tb.Helper()
	if err := transactions.Write(q.tb.Context(), q.client, writes); err != nil {
		q.tb.Fatal(err)
	}
}

// artifact pushes a manifest with a configuration and one layer to the upstream registry, and returns the digests. An
// empty tag means no tag.
func (q *fixture) artifact(repository, tag, config, layer string) (manifest, blob string) {
	q.tb.Helper()
	about, content := []byte(`{"for":"`+repository+":"+tag+`"}`), []byte("the content of "+repository+":"+tag)
	blob = q.upstream.PushBlob(q.tb, repository, content)
	document := fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":%q,"digest":%q,"size":%d},`+
		`"layers":[{"mediaType":%q,"digest":%q,"size":%d}]}`,
		manifestType, config, q.upstream.PushBlob(q.tb, repository, about), len(about), layer, blob, len(content))
	return q.manifest(repository, tag, manifestType, document), blob
}

// manifest pushes a manifest to the upstream registry, and returns its digest. An empty tag means no tag.
func (q *fixture) manifest(repository, tag, mediaType, document string) string {
	q.tb.Helper()
	if tag == "" {
		tag = awstest.Digest([]byte(document))
	}
	return q.upstream.PushManifest(q.tb, awstest.Manifest{
		Repository: repository, Reference: tag, MediaType: mediaType, Content: []byte(document),
	})
}

func (q *fixture) image(repository, tag string) (manifest, blob string) {
	q.tb.Helper()
	return q.artifact(repository, tag, imageConfig, layerType)
}

func (q *fixture) chart(repository, tag string) (manifest, blob string) {
	q.tb.Helper()
	return q.artifact(repository, tag, chartConfig, chartContent)
}

// checkNoUpstreamDetails fails the test if a response reveals the upstream registry.
func (q *fixture) checkNoUpstreamDetails(a webtest.Response) {
	q.tb.Helper()
	text := fmt.Sprint(a.Header, string(a.Body))
	for _, secret := range []string{q.upstream.Address, q.upstream.Password,
		strings.TrimPrefix(q.upstream.Basic(), "Basic ")} {
		if strings.Contains(text, secret) {
			q.tb.Errorf("%v reveals the upstream registry: %v", a, a.Header)
		}
	}
}
