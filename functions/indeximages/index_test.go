package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/items"
	"portside/shared/images"
	"portside/shared/images/imagesdynamo"
	"portside/shared/images/imagesecr"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

const repository = "acme/api"

// fixture is the function with a real registry and a real database.
type fixture struct {
	t        *testing.T
	now      time.Time
	upstream *awstest.Registry
	client   *dynamodb.Client
	table    string
	handler  handler
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	q := &fixture{t: t, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), upstream: awstest.NewRegistry(t)}
	clock := func() time.Time { return q.now }
	client, _ := q.upstream.ECR(t, clock)
	registry := imagesecr.NewRegistry(imagesecr.New(client, clock), "*")
	q.client = awstest.DynamoDB(t)
	q.table = awstest.Table(t, q.client, "ImageVersionsTable")
	q.handler = handler{registry: registry, now: clock, indexer: images.Indexer{
		Versions: imagesdynamo.New(q.client, q.table, clock),
		Read:     imagesecr.NewManifests(registry, clock).Read,
	}}
	return q
}

// push pushes an image with one layer, and returns its digest and the layer's. An empty tag means no tag.
func (q *fixture) push(tag, layer, subject string) (manifest, blob string) {
	q.t.Helper()
	blob = q.upstream.PushBlob(q.t, repository, []byte(layer))
	if subject != "" {
		subject = fmt.Sprintf(`,"subject":{"mediaType":%q,"digest":%q,"size":2}`, manifestType, subject)
	}
	content := fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":%q,"digest":%q,"size":2},`+
		`"layers":[{"mediaType":%q,"digest":%q,"size":2}]%s}`, manifestType, configType, blob, layerType, blob, subject)
	if tag == "" {
		tag = awstest.Digest([]byte(content))
	}
	return q.upstream.PushManifest(q.t, awstest.Manifest{
		Repository: repository, Reference: tag, MediaType: manifestType, Content: []byte(content),
	}), blob
}

const (
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// event sends the event of a push or deletion. It leaves out an empty tag or digest.
func (q *fixture) event(tag, digest string) {
	q.t.Helper()
	detail, err := json.Marshal(action{Repository: repository, Digest: digest, Tag: tag})
	if err != nil {
		q.t.Fatal(err)
	}
	if err := q.handler.handle(q.t.Context(), event{Detail: detail}); err != nil {
		q.t.Fatal(err)
	}
}

// wantVersions fails the test unless exactly these versions contain the digest. It first advances the clock, so that
// the index sees moved tags.
func (q *fixture) wantVersions(digest string, want ...string) {
	q.t.Helper()
	q.now = q.now.Add(time.Minute)
	found := map[string]bool{}
	_, err := q.handler.indexer.Versions.Any(q.t.Context(), repository, digest, func(v images.Version) bool {
		found[v.Tag] = true
		return false
	})
	for _, tag := range want {
		if !found[tag] {
			q.t.Errorf("%s does not have %s", tag, digest)
		}
	}
	if err != nil || len(found) != len(want) {
		q.t.Errorf("the versions with %s are %v, want %v, %v", digest, found, want, err)
	}
}

//proves:docs/security.md
func TestPushes(t *testing.T) {
	q := newFixture(t)
	one, base := q.push("1.0.0", "base", "")
	q.event("1.0.0", one)
	q.wantVersions(base, "1.0.0")
	q.push("latest", "base", "")
	q.event("latest", one)
	q.wantVersions(base, "1.0.0", "latest")
	two, other := q.push("latest", "other", "")
	q.event("latest", two)
	q.wantVersions(base, "1.0.0")
	q.wantVersions(other, "latest")

	// Repeated, late and reordered events change nothing.
	q.event("latest", one)
	q.event("1.0.0", one)
	q.event("latest", "")
	q.wantVersions(base, "1.0.0")
	q.wantVersions(other, "latest")
}

func TestAttachments(t *testing.T) {
	q := newFixture(t)
	one, _ := q.push("1.0.0", "base", "")
	referrer, sbom := q.push("", "sbom", one)
	signature, payload := q.push(strings.Replace(one, ":", "-", 1)+".sig", "signature", "")
	q.event("", referrer)
	q.event(strings.Replace(one, ":", "-", 1)+".sig", signature)
	q.event("1.0.0", one) // the events of the attachments came first
	q.wantVersions(sbom, "1.0.0")
	q.wantVersions(payload, "1.0.0")
	q.push("1.0.1", "base", "")
	q.event("1.0.1", one)
	q.wantVersions(payload, "1.0.0", "1.0.1")
}

//proves:docs/security.md
func TestDeletions(t *testing.T) {
	q := newFixture(t)
	one, base := q.push("1.0.0", "base", "")
	two, other := q.push("2.0.0", "other", "")
	q.event("1.0.0", one)
	q.event("2.0.0", two)
	q.upstream.Delete(t, repository, "2.0.0")
	q.event("2.0.0", two)
	q.wantVersions(other)
	q.upstream.Delete(t, repository, one)
	q.event("", one)
	q.wantVersions(base)
}

// The daily run indexes the tags whose events were lost.
func TestDailyRun(t *testing.T) {
	q := newFixture(t)
	_, base := q.push("1.0.0", "base", "")
	q.push("latest", "base", "")
	q.push("old", "base", "")
	for _, payload := range []string{`{}`, `{"detail":"{}"}`} {
		var e event
		if err := json.Unmarshal([]byte(payload), &e); err != nil {
			t.Fatal(err)
		}
		if err := q.handler.handle(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		q.wantVersions(base, "1.0.0", "latest", "old")
	}
	_, other := q.push("latest", "other", "")
	q.upstream.Delete(t, repository, "old")
	if err := q.handler.handle(t.Context(), event{}); err != nil {
		t.Fatal(err)
	}
	q.wantVersions(base, "1.0.0")
	q.wantVersions(other, "latest")
}

// The daily run continues after a repository for which the index is full, and fails at its end, so that an alarm
// reports it. Tags of this repository that were deleted are removed.
//
//proves:docs/security.md
func TestFullRepositories(t *testing.T) {
	q := newFixture(t)
	_, base := q.push("9.0.0", "base", "")
	q.event("9.0.0", "")
	if _, err := q.client.PutItem(t.Context(),
		&dynamodb.PutItemInput{TableName: &q.table, Item: items.Encode(map[string]any{
			"pk": "repository#" + repository, "sk": "numbers", "next": 1_000_000,
		})}); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		q.push(fmt.Sprintf("1.0.%d", i), "base", "")
	}
	q.upstream.Delete(t, repository, "9.0.0")
	config := q.upstream.PushBlob(t, "acme/web", nil)
	digest := q.upstream.PushManifest(t, awstest.Manifest{
		Repository: "acme/web", Reference: "1.0.0", MediaType: manifestType,
		Content: fmt.Appendf(nil, `{"schemaVersion":2,"mediaType":%q,"config":{"digest":%q}}`, manifestType, config),
	})
	if err := q.handler.handle(t.Context(), event{}); !errors.Is(err, images.ErrIndexFull) ||
		!strings.Contains(err.Error(), repository) {
		t.Errorf("the daily run: %v", err)
	}
	q.wantVersions(base)
	isFound, err := q.handler.indexer.Versions.Any(t.Context(), "acme/web", digest, func(images.Version) bool { return true })
	if err != nil || !isFound {
		t.Errorf("the version of the next repository: %v, %v", isFound, err)
	}
}

// TestConcurrentEvents sends the events of pushes of one tag at once and repeatedly. The last push counts.
func TestConcurrentEvents(t *testing.T) {
	q := newFixture(t)
	var blobs [4]string
	for i := range blobs {
		_, blobs[i] = q.push("latest", fmt.Sprint("layer ", i), "")
	}
	var running sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		running.Go(func() {
			errs[i] = q.handler.handle(t.Context(), event{Detail: []byte(`{"repository-name":"acme/api","image-tag":"latest"}`)})
		})
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, blob := range blobs[:3] {
		q.wantVersions(blob)
	}
	q.wantVersions(blobs[3], "latest")
}

func TestSampleEvents(t *testing.T) {
	q := newFixture(t)
	webtest.EachSampleEvent(t, "indeximages", func(t *testing.T, _ string, payload []byte) {
		var e event
		if err := json.Unmarshal(payload, &e); err != nil {
			t.Fatal(err)
		}
		if err := q.handler.handle(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	})
}
