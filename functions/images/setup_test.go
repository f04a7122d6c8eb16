package main

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

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

// owner is whom the credentials act for.
const owner = "0192f3a1-0000-7000-8000-000000000001"

// quay is the images function in front of a real registry and a real database, with a clock that the test holds.
type quay struct {
	tb       testing.TB
	now      time.Time
	client   *dynamodb.Client
	table    *credentialsdynamo.Table
	upstream *awstest.Registry
	logins   *awstest.Count
	gateway  *gateway
}

func newQuay(tb testing.TB) *quay {
	tb.Helper()
	q := &quay{tb: tb, now: time.Date(2026, 3, 2, 9, 0, 30, 0, time.UTC), upstream: awstest.NewRegistry(tb)}
	q.client = awstest.DynamoDB(tb)
	name := awstest.Table(tb, q.client, "CredentialsTable")
	q.table = credentialsdynamo.New(q.client, name)
	registry, logins := q.upstream.ECR(tb, q.clock)
	q.logins = logins
	q.gateway = &gateway{
		auth:     credentials.NewAuthenticator(q.table, 10000, q.clock),
		registry: imagesecr.NewRegistry(imagesecr.New(registry, q.clock)),
		grants:   imagesdynamo.New(q.client, name, q.clock),
		now:      q.clock,
	}
	return q
}

func (q *quay) clock() time.Time { return q.now }

func (q *quay) visitor() webtest.Client { return webtest.New(q.tb, routes(q.gateway)) }

// holder talks to the function with a new token of these scopes, as every client sends it: in place of a password.
func (q *quay) holder(scopes ...string) webtest.Client {
	q.tb.Helper()
	return q.with(q.issue(credentials.AccessToken, scopes...).Reveal())
}

func (q *quay) with(token string) webtest.Client {
	return q.visitor().With("Authorization", basic(token))
}

func basic(token string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte("acme:"+token))
}

func (q *quay) issue(kind credentials.Kind, scopes ...string) credentials.Secret {
	q.tb.Helper()
	secret := credentials.Mint(kind)
	q.write(q.table.Issue(credentials.Credential{
		ID: secret.ID(), Kind: kind, Hash: secret.Hash(), Username: "acme", Scopes: scopes, Name: "test",
		Owner:     credentials.Owner{ID: owner, Role: principal.User, Active: true},
		CreatedAt: q.now, ExpiresAt: q.now.AddDate(0, 0, 90),
	})...)
	return secret
}

func (q *quay) write(writes ...types.TransactWriteItem) {
	q.tb.Helper()
	if err := transactions.Write(q.tb.Context(), q.client, writes); err != nil {
		q.tb.Fatal(err)
	}
}

// artifact pushes a manifest with a configuration and one layer to the upstream registry, and returns the digests.
func (q *quay) artifact(repository, tag, config, layer string) (manifest, blob string) {
	q.tb.Helper()
	about, content := []byte(`{"for":"`+repository+":"+tag+`"}`), []byte("the content of "+repository+":"+tag)
	blob = q.upstream.PushBlob(q.tb, repository, content)
	document := fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":%q,"digest":%q,"size":%d},`+
		`"layers":[{"mediaType":%q,"digest":%q,"size":%d}]}`,
		manifestType, config, q.upstream.PushBlob(q.tb, repository, about), len(about), layer, blob, len(content))
	return q.upstream.PushManifest(q.tb, awstest.Manifest{
		Repository: repository, Reference: tag, MediaType: manifestType, Content: []byte(document),
	}), blob
}

func (q *quay) image(repository, tag string) (manifest, blob string) {
	q.tb.Helper()
	return q.artifact(repository, tag, imageConfig, layerType)
}

func (q *quay) chart(repository, tag string) (manifest, blob string) {
	q.tb.Helper()
	return q.artifact(repository, tag, chartConfig, chartContent)
}

// keepsSecrets fails the test where an answer shows the upstream registry.
func (q *quay) keepsSecrets(a webtest.Response) {
	q.tb.Helper()
	text := fmt.Sprint(a.Header, string(a.Body))
	for _, secret := range []string{q.upstream.Address, q.upstream.Password, strings.TrimPrefix(q.upstream.Basic(), "Basic ")} {
		if strings.Contains(text, secret) {
			q.tb.Errorf("%v shows the upstream registry: %v", a, a.Header)
		}
	}
}
