package main

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/images"
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
	c.Get("/v2/acme/api/manifests/1.2.0").WantStatus(http.StatusOK)
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

// TestAPullIsOneRecord sends the requests of clients that pull an image for several platforms, or check for updates.
func TestAPullIsOneRecord(t *testing.T) {
	q := newFixture(t)
	list, platform := q.pushIndex("acme/api", "2")
	node := q.withScopes("read:docker-images")
	another, get, head := q.withScopes("read:docker-images"), http.MethodGet, http.MethodHead
	crane := node.With("User-Agent", "crane")
	type request struct {
		client    webtest.Client
		method    string
		reference string
	}
	for name, test := range map[string]struct {
		requests []request
		want     []string
	}{
		"by tag":      {[]request{{node, get, "2"}, {node, get, list}, {node, get, platform}}, []string{"pull 2"}},
		"by digest":   {[]request{{node, head, list}, {node, get, list}, {node, get, platform}, {node, get, list}}, []string{"pull " + list}},
		"another key": {[]request{{node, get, "2"}, {another, get, platform}}, []string{"pull 2", "pull " + platform}},

		"another client":         {[]request{{node, get, "2"}, {crane, get, platform}}, []string{"pull 2", "pull " + platform}},
		"a tag after its digest": {[]request{{node, get, list}, {node, get, "2"}}, []string{"pull " + list, "pull 2"}},
		"the manifest first":     {[]request{{node, get, platform}, {node, get, list}}, []string{"pull " + platform, "pull " + list}},

		"checks":            {[]request{{node, head, "2"}, {node, head, "2"}, {node, head, "2"}}, []string{"check 2", "check 2", "check 2"}},
		"a digest of a tag": {[]request{{node, head, list}, {node, head, platform}}, nil},
		"checked, then pulled by tag": {
			[]request{{node, head, "2"}, {node, get, "2"}, {node, get, platform}}, []string{"check 2", "pull 2"},
		},
		"checked, then pulled by digest": {
			[]request{{node, head, "2"}, {node, get, list}, {node, get, platform}, {node, get, list}}, []string{"check 2", "pull 2"},
		},
		"pulled twice": {
			[]request{{node, head, "2"}, {node, get, list}, {node, head, "2"}, {node, get, list}}, []string{"check 2", "pull 2"},
		},
		"checked by another client": {[]request{{crane, head, "2"}, {node, get, list}}, []string{"check 2", "pull " + list}},
		"pulled by another client":  {[]request{{node, get, "2"}, {crane, head, "2"}}, []string{"pull 2", "check 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			q.now = q.now.Add(time.Hour)
			lines := testkit.CaptureLogs(t)
			for _, r := range test.requests {
				r.client.With("Accept", "*/*").Do(r.method, "/v2/acme/api/manifests/"+r.reference, "").WantStatus(http.StatusOK)
			}
			if got := summaries(loggedPulls(t, lines)); fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("logged %v, want %v", got, test.want)
			}
			if records := bytes.Count(lines.Bytes(), []byte("\n")); records != len(test.want) {
				t.Errorf("%d records: %s", records, lines)
			}
		})
	}
}

// summaries returns a short description of each log line.
func summaries(found []pulls.Pull) []string {
	var all []string
	for _, p := range found {
		all = append(all, map[bool]string{true: "check ", false: "pull "}[p.IsCheck]+p.Reference)
	}
	return all
}

// TestACheckIsNoPartOfALaterPull pulls a digest more than a minute after the check of its tag.
func TestACheckIsNoPartOfALaterPull(t *testing.T) {
	q := newFixture(t)
	manifest, _ := q.image("acme/api", "2")
	lines := testkit.CaptureLogs(t)
	c := q.withScopes("read:docker-images")
	c.Do(http.MethodHead, "/v2/acme/api/manifests/2", "").WantStatus(http.StatusOK)
	q.now = q.now.Add(time.Minute)
	c.Get("/v2/acme/api/manifests/" + manifest).WantStatus(http.StatusOK)
	if got := summaries(loggedPulls(t, lines)); !slices.Equal(got, []string{"check 2", "pull " + manifest}) {
		t.Errorf("logged %v", got)
	}
}

// attestation is the annotation with which BuildKit marks its statements in an index.
const attestation = `{"vnd.docker.reference.type":"attestation-manifest"}`

// TestAttachmentsAreNoPulls requests all kinds of attachments, in the forms of several tools, by tag and by digest.
func TestAttachmentsAreNoPulls(t *testing.T) {
	q := newFixture(t)
	image, _ := q.image("acme/api", "1")
	hex := strings.TrimPrefix(image, "sha256:")
	const simpleSigning = "application/vnd.dev.cosign.simplesigning.v1+json"
	const empty, bundle = "application/vnd.oci.empty.v1+json", "application/vnd.dev.sigstore.bundle.v0.3+json"
	subject := fmt.Sprintf(`,"subject":{"mediaType":%q,"digest":%q,"size":3}`, manifestType, image)
	push := func(tag, mediaType, body string) string {
		content := fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,%s}`, mediaType, body)
		return q.upstream.PushManifest(t, awstest.Manifest{
			Repository: "acme/api", Reference: tag, MediaType: mediaType, Content: []byte(content),
		})
	}
	blob := q.upstream.PushBlob(t, "acme/api", []byte("{}"))
	made := func(config, layer, more string) string {
		return fmt.Sprintf(`"config":{"mediaType":%q,"digest":%q,"size":2},"layers":[{"mediaType":%q,"digest":%q,"size":2}]%s`,
			config, blob, layer, blob, more)
	}
	listed := func(more string) string {
		return fmt.Sprintf(`"manifests":[{"mediaType":%q,"digest":%q,"size":3%s}]`, manifestType, image, more)
	}
	references := map[string]string{ // by their descriptions
		"signature of Cosign":        push("sha256-"+hex+".sig", manifestType, made(imageConfig, simpleSigning, "")),
		"attestation of Cosign":      push("sha256-"+hex+".att", manifestType, made(imageConfig, "application/vnd.dsse.envelope.v1+json", "")),
		"SBOM of Cosign":             push("sha256-"+hex+".sbom", manifestType, made(imageConfig, "text/spdx+json", "")),
		"referrers under a tag":      push("sha256-"+hex, indexType, listed(`,"artifactType":"`+bundle+`"`)),
		"bundle of Sigstore":         push("bundle", manifestType, made(empty, bundle, `,"artifactType":"`+bundle+`"`+subject)),
		"image with a subject":       push("subject", manifestType, made(imageConfig, layerType, subject)),
		"index with a subject":       push("index", indexType, listed("")+subject),
		"attestation of BuildKit":    push("buildkit", manifestType, made(imageConfig, "application/vnd.in-toto+json", "")),
		"index of attestations":      push("statements", indexType, listed(`,"annotations":`+attestation)),
		"artifact by its type":       push("typed", manifestType, made(empty, layerType, `,"artifactType":"application/example"`)),
		"artifact by its config":     push("configured", manifestType, made("application/vnd.cncf.flux.config.v1+json", layerType, "")),
		"index with a type":          push("collection", indexType, listed("")+`,"artifactType":"application/example"`),
		"tag of Cosign":              "sha256-" + hex + ".sig",
		"tag of an attestation":      "sha256-" + hex + ".att",
		"tag of an SBOM":             "sha256-" + hex + ".sbom",
		"tag of referrers":           "sha256-" + hex,
		"tag of a bundle":            "bundle",
		"tag of image with subject":  "subject",
		"tag of index with a type":   "collection",
		"tag of a Flux's repository": "configured",
	}
	lines := testkit.CaptureLogs(t)
	c := q.withScopes("read:docker-images").With("Accept", "*/*")
	for name, reference := range references {
		for _, method := range []string{http.MethodHead, http.MethodGet} {
			c.Do(method, "/v2/acme/api/manifests/"+reference, "").WantStatus(http.StatusOK)
			if found := loggedPulls(t, lines); len(found) > 0 {
				t.Errorf("%s %s is logged: %+v", method, name, found)
				lines.Reset()
			}
		}
	}
	c.Get("/v2/acme/api/referrers/" + image)
	c.Get("/v2/acme/api/manifests/" + image).WantStatus(http.StatusOK)
	if got := summaries(loggedPulls(t, lines)); !slices.Equal(got, []string{"pull " + image}) {
		t.Errorf("logged %v", got)
	}
}

// TestImagesAndChartsArePulls requests images and charts with unusual manifests.
func TestImagesAndChartsArePulls(t *testing.T) {
	const image = `{"config":{"mediaType":"` + imageConfig + `","digest":"d"}`
	for name, manifest := range map[string]string{
		"Docker": `{"config":{"mediaType":"application/vnd.docker.container.image.v1+json","digest":"d"},` +
			`"layers":[{"mediaType":"application/vnd.docker.image.rootfs.diff.tar.gzip"}]}`,
		"zstd":              image + `,"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+zstd"}]}`,
		"an unusual layer":  image + `,"layers":[{"mediaType":"x"},{"mediaType":"` + layerType + `"}]}`,
		"no layers":         image + `}`,
		"an index":          `{"manifests":[{"digest":"d"},{"digest":"e","annotations":` + attestation + `}]}`,
		"an empty index":    `{"manifests":[]}`,
		"an index of crane": `{"manifests":[{"digest":"d","artifactType":"application/vnd.docker.container.image.v1+json"}]}`,
		"a list of charts":  `{"manifests":[{"digest":"d","artifactType":"` + chartConfig + `"}]}`,
		"an old manifest":   `{"schemaVersion":1,"fsLayers":[]}`,
		"a chart":           `{"config":{"mediaType":"` + chartConfig + `","digest":"d"},"layers":[{"mediaType":"` + chartContent + `"}]}`,
		"a chart of a type": `{"artifactType":"` + chartConfig + `","config":{"mediaType":"` + chartConfig + `","digest":"d"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			document, err := images.ParseDocument([]byte(manifest))
			if err != nil || isAttachment(document) {
				t.Errorf("%s counts as an attachment, %v", name, err)
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
