package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"portside/shared/dynamo/items"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/testclient/scale"
)

// The media types of Docker.
const (
	dockerManifest = "application/vnd.docker.distribution.manifest.v2+json"
	dockerList     = "application/vnd.docker.distribution.manifest.list.v2+json"
	dockerConfig   = "application/vnd.docker.container.image.v1+json"
	dockerLayer    = "application/vnd.docker.image.rootfs.diff.tar.gzip"
)

// dockerImage pushes an image in the format of Docker, without a tag. It returns the digests of the manifest and its
// layer.
func (q *fixture) dockerImage(repository, architecture string) (manifest, layer string) {
	q.tb.Helper()
	config := q.upstream.PushBlob(q.tb, repository, []byte(`{"architecture":"`+architecture+`","os":"linux"}`))
	layer = q.upstream.PushBlob(q.tb, repository, []byte("a layer for "+architecture))
	return q.manifest(repository, "", dockerManifest, fmt.Sprintf(
		`{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":%q,"digest":%q,"size":9},"layers":[{"mediaType":%q,"digest":%q,"size":9}]}`,
		dockerManifest, dockerConfig, config, dockerLayer, layer)), layer
}

// list pushes a list of manifests for amd64 and arm64 under the tag 1.0.0.
func (q *fixture) list(repository, listType, mediaType string, manifests ...string) string {
	q.tb.Helper()
	listed := make([]string, len(manifests))
	for i, digest := range manifests {
		listed[i] = fmt.Sprintf(`{"mediaType":%q,"digest":%q,"size":9,"platform":{"os":"linux","architecture":%q}}`,
			mediaType, digest, []string{"amd64", "arm64"}[i])
	}
	return q.manifest(repository, "1.0.0", listType,
		fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"manifests":[%s]}`, listType, strings.Join(listed, ",")))
}

// numbersItem is the key of the item with the number of the next version of a repository.
func numbersItem(repository string) map[string]types.AttributeValue {
	return items.Key("repository#"+repository, "numbers")
}

// usedNumbers returns how many numbers the index has given to versions of a repository.
func (q *fixture) usedNumbers(repository string) int {
	q.tb.Helper()
	out, err := q.client.GetItem(q.tb.Context(),
		&dynamodb.GetItemInput{TableName: &q.versions, Key: numbersItem(repository)})
	if err != nil {
		q.tb.Fatal(err)
	}
	next, _ := out.Item["next"].(*types.AttributeValueMemberN)
	if next == nil {
		return 0
	}
	used, err := strconv.Atoi(next.Value)
	if err != nil {
		q.tb.Fatal(err)
	}
	return used
}

// published is a repository with a version for two platforms, and the paths of everything in it.
type published struct {
	repository string
	paths      []string
}

// TestAcceptedTypesChangeNoIndex requests tags with random media types. The registry then converts what a tag leads to,
// or chooses one platform. Other customers still reach everything to which the tag leads, and the requests use up no
// numbers.
//
//proves:docs/security.md
func TestAcceptedTypesChangeNoIndex(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("image acme/* ^1.0.0")
	amd, amdLayer := q.dockerImage("acme/docker", "amd64")
	arm, armLayer := q.dockerImage("acme/docker", "arm64")
	list := q.list("acme/docker", dockerList, dockerManifest, amd, arm)
	one, oneLayer := q.image("acme/oci", "amd64")
	two, twoLayer := q.image("acme/oci", "arm64")
	index := q.list("acme/oci", indexType, manifestType, one, two)
	all := []published{
		{"acme/docker", []string{"manifests/" + list, "manifests/" + amd, "manifests/" + arm, "blobs/" + amdLayer, "blobs/" + armLayer}},
		{"acme/oci", []string{"manifests/" + index, "manifests/" + one, "manifests/" + two, "blobs/" + oneLayer, "blobs/" + twoLayer}},
	}
	client, neighbor := q.member("read:docker-images"), q.member("read:docker-images").
		With("Accept", strings.Join(manifestTypes, ","))
	rapid.Check(scale.ChecksOf(t, 4), func(t *rapid.T) {
		t.Repeat(map[string]func(*rapid.T){"request": func(t *rapid.T) {
			p := rapid.SampledFrom(all).Draw(t, "repository")
			mediaTypes := append([]string{"text/html", "application/vnd.docker.*"}, manifestTypes...)
			accept := rapid.SliceOfN(rapid.SampledFrom(mediaTypes), 1, 3).Draw(t, "accept")
			separator := rapid.SampledFrom([]string{",", ", ", ";q=0.5, "}).Draw(t, "separator")
			method := rapid.SampledFrom([]string{http.MethodGet, http.MethodHead}).Draw(t, "method")
			q.now = q.now.Add(indexedLife)
			q.wantConsistent(client.With("Accept", strings.Join(accept, separator)), method, p.repository)
			for _, path := range p.paths {
				if got := neighbor.Get("/v2/" + p.repository + "/" + path).Status; got != http.StatusOK &&
					got != http.StatusTemporaryRedirect {
					t.Fatalf("%s: status %d after a request that accepts %q", path, got, accept)
				}
			}
			if used := q.usedNumbers(p.repository); used != 1 {
				t.Fatalf("one version of %s has used up %d numbers", p.repository, used)
			}
		}})
	})
	client.With("Accept", dockerManifest).Get("/v2/acme/docker/manifests/1.0.0").WantStatus(http.StatusOK).
		WantHeader("Content-Type", dockerManifest).WantHeader("Docker-Content-Digest", amd)
	client.With("Accept", dockerManifest+", "+dockerList).Get("/v2/acme/docker/manifests/1.0.0").WantStatus(http.StatusOK).
		WantHeader("Content-Type", dockerList).WantHeader("Docker-Content-Digest", list)
}

// wantConsistent requests a tag. If the client gets a manifest, it also gets it by the digest that the answer says.
func (q *fixture) wantConsistent(c webtest.Client, method, repository string) {
	q.tb.Helper()
	answer := c.Do(method, "/v2/"+repository+"/manifests/1.0.0", "")
	if answer.Status != http.StatusOK {
		answer.WantStatus(http.StatusNotFound)
		return
	}
	digest := answer.Header.Get("Docker-Content-Digest")
	c.Get("/v2/"+repository+"/manifests/"+digest).WantStatus(http.StatusOK).WantHeader("Docker-Content-Digest", digest)
}

// Tags of a repository that has used up its numbers are still served. The digests of its new versions do not exist, and
// the log says why once.
//
//proves:docs/security.md
func TestFullIndexServesTags(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("image acme/api ^1.0.0")
	old, oldBlob := q.image("acme/api", "1.0.0")
	c := q.member("read:docker-images")
	c.Get("/v2/acme/api/manifests/1.0.0").WantStatus(http.StatusOK)
	item := numbersItem("acme/api")
	item["next"] = items.Number(1_000_000)
	if _, err := q.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &q.versions, Item: item}); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		q.image("acme/api", fmt.Sprintf("1.1.%d", i))
	}
	added, addedBlob := q.image("acme/api", "1.2.0")
	q.now = q.now.Add(indexedLife)
	lines := testkit.CaptureLogs(t)
	same(t, c, "MANIFEST_UNKNOWN", "/v2/acme/api/manifests/"+added, "/v2/acme/api/manifests/"+nowhere)
	c.Get("/v2/acme/api/manifests/1.2.0").WantStatus(http.StatusOK).WantHeader("Docker-Content-Digest", added)
	c.Do(http.MethodHead, "/v2/acme/api/manifests/1.1.0", "").WantStatus(http.StatusOK)
	same(t, c, "BLOB_UNKNOWN", "/v2/acme/api/blobs/"+addedBlob, "/v2/acme/api/blobs/"+nowhere)
	c.Get("/v2/acme/api/manifests/" + old).WantStatus(http.StatusOK)
	c.Get("/v2/acme/api/blobs/" + oldBlob).WantStatus(http.StatusTemporaryRedirect)
	errors := 0
	for line := range strings.Lines(lines.String()) {
		var record struct{ Level, Repository string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		if record.Level == "ERROR" && record.Repository == "acme/api" {
			errors++
		}
	}
	if errors != 1 {
		t.Errorf("%d lines of the log are errors about the repository: %s", errors, lines.String())
	}
}

// A digest that the caller may not fetch gets the same answer as a digest that does not exist. This includes digests
// that are not manifests, for which the registry fails.
//
//proves:docs/security.md
func TestDigestsOfOtherKindsDoNotExist(t *testing.T) {
	for name, entitlements := range map[string][]string{
		"images":              {"image acme/api ^1.0.0"},
		"images and charts":   {"image acme/api ^1.0.0", "chart acme/api *"},
		"charts":              {"chart acme/api ^1.0.0"},
		"all versions charts": {"chart acme/api *"},
	} {
		t.Run(name, func(t *testing.T) {
			q := newFixture(t)
			q.company()
			q.entitle(entitlements...)
			q.image("acme/api", "1.0.0")
			manifest, layer := q.image("acme/api", "2.0.0")
			config := awstest.Digest([]byte(`{"for":"acme/api:2.0.0"}`))
			q.withScopes("read:docker-images").Get("/v2/acme/api/blobs/" + config).WantStatus(http.StatusTemporaryRedirect)
			c := q.member("read:docker-images")
			for range 2 { // before and after the tags are in the index
				for _, path := range []string{"manifests/", "referrers/"} {
					same(t, c, "MANIFEST_UNKNOWN", "/v2/acme/api/"+path+config, "/v2/acme/api/"+path+layer,
						"/v2/acme/api/"+path+nowhere)
				}
				tag := func(digest string) string {
					return "/v2/acme/api/manifests/" + strings.Replace(digest, ":", "-", 1) + ".sig"
				}
				same(t, c, "MANIFEST_UNKNOWN", tag(config), tag(layer), tag(nowhere))
				same(t, c, "BLOB_UNKNOWN", "/v2/acme/api/blobs/"+manifest, "/v2/acme/api/blobs/"+nowhere)
				portal := q.memberInPortal()
				want := portal.Get(manifests + "acme/api&reference=" + nowhere).Status
				for _, digest := range []string{config, layer} {
					portal.Get(manifests + "acme/api&reference=" + digest).WantStatus(want)
				}
			}
		})
	}
}
