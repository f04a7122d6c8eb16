package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"portside/shared/pulls"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

// loggedPulls returns the pulls among the lines of a log.
func loggedPulls(t *testing.T, lines *bytes.Buffer) []pulls.Pull {
	t.Helper()
	var found []pulls.Pull
	for line := range bytes.Lines(lines.Bytes()) {
		if pull, is, err := pulls.Read(line); err != nil {
			t.Error(err)
		} else if is {
			found = append(found, pull)
		}
	}
	return found
}

func TestPullsAreLogged(t *testing.T) {
	q := newFixture(t)
	manifest, blob := q.image("acme/api", "1.2.0")
	_, _ = q.chart("charts/product", "1.0.0")
	lines := testkit.CaptureLogs(t)
	c := q.withScopes("read:docker-images").With("User-Agent", "containerd/2.1")
	c.Get("/v2/acme/api/manifests/" + manifest).WantStatus(http.StatusOK)
	c.Do(http.MethodHead, "/v2/acme/api/manifests/1.2.0", "").WantStatus(http.StatusOK)
	c.Get("/v2/acme/api/blobs/" + blob).WantStatus(http.StatusTemporaryRedirect)
	c.Get("/v2/acme/api/manifests/9").WantStatus(http.StatusNotFound)
	c.Get("/v2/acme/api/tags/list").WantStatus(http.StatusOK)
	c.Get("/v2/charts/product/manifests/1.0.0").WantStatus(http.StatusOK)
	found := loggedPulls(t, lines)
	if len(found) != 3 {
		t.Fatalf("%d pulls: %+v", len(found), found)
	}
	byDigest, image, chart := found[0], found[1], found[2]
	if byDigest.Reference != manifest || byDigest.Digest != manifest {
		t.Errorf("got %+v", byDigest)
	}
	want := pulls.Pull{
		At: q.now, Kind: pulls.Image, Repository: "acme/api", Reference: "1.2.0", Digest: manifest,
		CredentialID: image.CredentialID, OwnerID: owner, Address: "192.0.2.1", Client: "containerd/2.1",
	}
	if image != want || image.CredentialID == "" {
		t.Errorf("got %+v, want %+v", image, want)
	}
	if chart.Kind != pulls.Chart || chart.Repository != "charts/product" || chart.Reference != "1.0.0" {
		t.Errorf("got %+v", chart)
	}
	if strings.Contains(lines.String(), q.upstream.Password) || strings.Contains(lines.String(), "pst_") {
		t.Error("the log contains a secret")
	}
}

// pushIndex pushes an image for one platform, and returns the digests of its list of manifests and of its manifest.
func (q *fixture) pushIndex(repository, tag string) (list, platform string) {
	q.tb.Helper()
	platform, _ = q.image(repository, tag+"-amd64")
	content := fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"manifests":[{"mediaType":%q,"digest":%q,"size":3,`+
		`"platform":{"os":"linux","architecture":"amd64"}}]}`, indexType, manifestType, platform)
	return q.upstream.PushManifest(q.tb, awstest.Manifest{
		Repository: repository, Reference: tag, MediaType: indexType, Content: []byte(content),
	}), platform
}

// TestAPullIsOneRecord sends the requests of clients that pull an image for several platforms.
func TestAPullIsOneRecord(t *testing.T) {
	q := newFixture(t)
	list, platform := q.pushIndex("acme/api", "2")
	node := q.withScopes("read:docker-images")
	another, get, head := q.withScopes("read:docker-images"), http.MethodGet, http.MethodHead
	type request struct {
		client    webtest.Client
		method    string
		reference string
	}
	for name, test := range map[string]struct {
		requests []request
		want     []string
	}{
		"by tag":      {[]request{{node, head, "2"}, {node, get, "2"}, {node, get, list}, {node, get, platform}}, []string{"2"}},
		"by digest":   {[]request{{node, head, list}, {node, get, list}, {node, get, platform}, {node, get, list}}, []string{list}},
		"another key": {[]request{{node, get, "2"}, {another, get, platform}}, []string{"2", platform}},
		"another client": {
			[]request{{node, get, "2"}, {node.With("User-Agent", "crane"), get, platform}}, []string{"2", platform},
		},
		"a tag after its digest": {[]request{{node, get, list}, {node, get, "2"}}, []string{list, "2"}},
		"the manifest first":     {[]request{{node, get, platform}, {node, get, list}}, []string{platform, list}},
	} {
		t.Run(name, func(t *testing.T) {
			q.now = q.now.Add(time.Hour)
			lines := testkit.CaptureLogs(t)
			for _, r := range test.requests {
				r.client.With("Accept", "*/*").Do(r.method, "/v2/acme/api/manifests/"+r.reference, "").WantStatus(http.StatusOK)
			}
			var got []string
			for _, p := range loggedPulls(t, lines) {
				got = append(got, p.Reference)
			}
			if fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("logged pulls of %v, want %v", got, test.want)
			}
			if records := bytes.Count(lines.Bytes(), []byte("\n")); records != len(test.want) {
				t.Errorf("%d records: %s", records, lines)
			}
		})
	}
}

func TestAPartIsAPullAfterAMinute(t *testing.T) {
	q := newFixture(t)
	list, platform := q.pushIndex("acme/api", "2")
	lines := testkit.CaptureLogs(t)
	c := q.withScopes("read:docker-images").With("Accept", "*/*")
	c.Get("/v2/acme/api/manifests/2").WantStatus(http.StatusOK)
	q.now = q.now.Add(time.Minute)
	c.Get("/v2/acme/api/manifests/" + platform).WantStatus(http.StatusOK)
	c.Get("/v2/acme/api/manifests/" + list).WantStatus(http.StatusOK)
	if found := loggedPulls(t, lines); len(found) != 3 {
		t.Errorf("%d pulls, want 3: %+v", len(found), found)
	}
}

// TestManifestsAreKept counts the requests that reach the upstream registry.
func TestManifestsAreKept(t *testing.T) {
	q := newFixture(t)
	const content = `{"schemaVersion":2}`
	digest, fetched := awstest.Digest([]byte(content)), 0
	c := q.withUpstream(func(w http.ResponseWriter, _ *http.Request) {
		fetched++
		w.Header().Set("Content-Type", manifestType)
		_, _ = w.Write([]byte(content))
	})
	fetch := func(c webtest.Client, reference string, want int) {
		t.Helper()
		c.Get("/v2/acme/api/manifests/"+reference).WantStatus(http.StatusOK).WantHeader("Docker-Content-Digest", digest)
		if fetched != want {
			t.Errorf("%s: %d requests reached the registry, want %d", reference, fetched, want)
		}
	}
	fetch(c, "1", 1)
	fetch(c, digest, 1)
	fetch(c, "1", 2) // a tag can move
	fetch(c.With("Accept", indexType), digest, 3)
	q.withScopes("read:docker-images:other/*").Get("/v2/acme/api/manifests/" + digest).WantStatus(http.StatusForbidden)
	q.now = q.now.Add(5 * time.Minute)
	fetch(q.withScopes("read:docker-images"), digest, 4)
	wrong := "sha256:" + strings.Repeat("0", 64)
	fetch(c, wrong, 5)
	fetch(c, wrong, 6) // content that differs from its digest is not kept under it
}
