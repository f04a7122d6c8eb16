package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

// key creates an API key of a user with a role.
func (q *fixture) key(id string, role principal.Role) credentials.Secret {
	q.tb.Helper()
	key := credentials.Mint(credentials.APIKey)
	q.write(q.table.Writes.Issue(credentials.Credential{
		ID: key.ID(), Kind: credentials.APIKey, Hash: key.Hash(), Name: "test", CreatedAt: q.now,
		Owner: credentials.Owner{ID: id, Role: role, Active: true},
	})...)
	return key
}

// person returns a client with the API key of a user with a role.
func (q *fixture) person(id string, role principal.Role) webtest.Client {
	q.tb.Helper()
	return q.anonymous().With("X-API-Key", q.key(id, role).Reveal())
}

// column returns one field of all items on a page.
func column(response webtest.Response, field string) []any {
	items, _ := response.JSON("data").([]any)
	values := make([]any, len(items))
	for i, item := range items {
		values[i] = item.(map[string]any)[field]
	}
	return values
}

// pages returns one field of the items of all pages.
func pages(c webtest.Client, path, field string) (all []any) {
	for cursor := ""; ; {
		page := c.Get(path + cursor).WantStatus(http.StatusOK)
		all = append(all, column(page, field)...)
		next, more := page.JSON("pagination.next").(string)
		if !more {
			return all
		}
		cursor = "&cursor=" + next
	}
}

func TestListRepositoriesForPeople(t *testing.T) {
	q := newFixture(t)
	manager, user := q.person("manager", principal.Manager), q.person(owner, principal.User)
	manager.Get("/v1/images").WantStatus(200).WantValue("data", []any{}).WantValue("pagination.next", nil)
	for _, name := range []string{"acme/api", "acme/web", "other/api", "zoo"} {
		q.image(name, "1")
	}
	if got := pages(manager, "/v1/images?limit=3", "repository"); !slices.Equal(got,
		[]any{"acme/api", "acme/web", "other/api", "zoo"}) {
		t.Errorf("a manager sees %v", got)
	}
	if got := pages(manager, "/v1/images?limit=1&q=api", "repository"); !slices.Equal(got,
		[]any{"acme/api", "other/api"}) {
		t.Errorf("the filter finds %v", got)
	}
	user.Get("/v1/images").WantStatus(200).WantValue("data", []any{})
	q.issue(credentials.AccessToken, "read:docker-images:acme/*")
	q.issue(credentials.Password, "read:docker-images:zoo", "read:helm-charts")
	if got := pages(user, "/v1/images?limit=1", "repository"); !slices.Equal(got, []any{"acme/api", "acme/web", "zoo"}) {
		t.Errorf("a user sees %v", got)
	}
	for _, query := range []string{
		"limit=0", "limit=101", "cursor=x", "cursor=W10", "q=", "repository=zoo", "cursor=" + strings.Repeat("a", 5000),
	} {
		manager.Get("/v1/images?" + query).WantStatus(http.StatusBadRequest)
	}
	q.anonymous().Get("/v1/images").WantStatus(http.StatusUnauthorized)
	q.withScopes("read:docker-images").Get("/v1/images").WantStatus(http.StatusUnauthorized)
	manager.Post("/v1/images", "{}").WantStatus(http.StatusMethodNotAllowed)
	manager.Get("/v1/images/unknown").WantStatus(http.StatusNotFound)
}

func TestListTagsForPeople(t *testing.T) {
	q := newFixture(t)
	manager := q.person("manager", principal.Manager)
	digests := map[string]string{}
	for _, tag := range []string{"1.0", "1.1", "2.0", "latest"} {
		digests[tag], _ = q.image("acme/api", tag)
	}
	q.image("acme/api", strings.Replace(digests["1.0"], ":", "-", 1)+".sig")
	if got := pages(manager, "/v1/images/tags?repository=acme/api&limit=3", "tag"); !slices.Equal(got,
		[]any{"1.0", "1.1", "2.0", "latest"}) {
		t.Errorf("the pages have %v", got)
	}
	manager.Get("/v1/images/tags?repository=acme/api&q=1.").WantStatus(200).WantValue("data.1.tag", "1.1").
		WantValue("data.1.digest", digests["1.1"]).WantValue("data.1.mediaType", manifestType).WantValue("data.2", nil)
	for _, repository := range []string{"acme/none", "Acme", "acme//api", "..", "_catalog"} {
		manager.Get("/v1/images/tags?repository=" + url.QueryEscape(repository)).WantStatus(http.StatusNotFound)
	}
	manager.Get("/v1/images/tags").WantStatus(http.StatusBadRequest)
}

// indexOf pushes an index of manifests under a tag.
func (q *fixture) indexOf(repository, tag string, manifests ...string) string {
	q.tb.Helper()
	return q.upstream.PushManifest(q.tb, awstest.Manifest{
		Repository: repository, Reference: tag, MediaType: indexType,
		Content: []byte(`{"schemaVersion":2,"mediaType":"` + indexType + `","manifests":[` + strings.Join(manifests,
			",") + `]}`),
	})
}

// built pushes an image with a configuration to acme/api.
func (q *fixture) built(tag, config, more string) string {
	q.tb.Helper()
	const repository = "acme/api"
	layer := q.upstream.PushBlob(q.tb, repository, []byte("content"))
	return q.upstream.PushManifest(q.tb, awstest.Manifest{
		Repository: repository, Reference: tag, MediaType: manifestType,
		Content: fmt.Appendf(nil, `{"schemaVersion":2,"mediaType":%q,%s"config":{"mediaType":%q,"digest":%q,"size":%d},`+
			`"layers":[{"mediaType":%q,"digest":%q,"size":7}]}`,
			manifestType, more, imageConfig, q.upstream.PushBlob(q.tb, repository, []byte(config)), len(config), layerType,
			layer),
	})
}

const manifests = "/v1/images/manifests?repository="

func TestDescribeImage(t *testing.T) {
	q := newFixture(t)
	const config = `{"os":"linux","architecture":"arm64","variant":"v8","created":"2026-03-01T10:00:00Z","config":{"Labels":{"a":"b"}}}`
	digest := q.built("1.0", config, `"annotations":{"x":"y"},`)
	lines := testkit.CaptureLogs(t)
	got := q.person("manager", principal.Manager).Get(manifests + "acme/api&reference=1.0").WantStatus(200)
	for path, want := range map[string]any{
		"repository": "acme/api", "reference": "1.0", "digest": digest, "mediaType": manifestType, "artifactType": nil, "content": "image",
		"size": len(config) + 7, "layers": 1, "createdAt": "2026-03-01T10:00:00Z", "platforms.0.platform": "linux/arm64/v8",
		"platforms.0.digest": digest, "platforms.0.size": len(config) + 7, "annotations.x": "y", "labels.a": "b",
		"attached": []any{},
		"chart":    nil,
	} {
		got.WantValue("data."+path, want)
	}
	q.checkNoUpstreamDetails(got)
	if strings.Contains(lines.String(), `"pull"`) {
		t.Error("describing an image counts as a pull")
	}
}

func TestDescribeIndexWithAttachments(t *testing.T) {
	q := newFixture(t)
	arm := q.built("arm", `{"os":"linux","architecture":"arm64"}`, "")
	amd := q.built("amd", `{"os":"linux","architecture":"amd64"}`, "")
	sbom := q.upstream.PushBlob(t, "acme/api", []byte("statement"))
	statements := q.upstream.PushManifest(t, awstest.Manifest{
		Repository: "acme/api", Reference: "statements", MediaType: manifestType,
		Content: fmt.Appendf(nil, `{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":%q,"digest":%q,"size":9},"layers":[{"mediaType":`+
			`"application/vnd.in-toto+json","digest":%q,"size":9,"annotations":{"in-toto.io/predicate-type":"https://spdx.dev/Document"}}]}`,
			manifestType, imageConfig, sbom, sbom),
	})
	entry := func(digest, more string) string {
		return `{"mediaType":"` + manifestType + `","digest":"` + digest + `","size":300,` + more + `}`
	}
	index := q.indexOf("acme/api", "1.0",
		entry(arm, `"platform":{"os":"linux","architecture":"arm64"}`),
		entry(amd, `"platform":{"os":"linux","architecture":"amd64"}`),
		entry(statements, `"platform":{"os":"unknown","architecture":"unknown"},`+
			`"annotations":{"vnd.docker.reference.type":"attestation-manifest"}`))
	fallback := strings.Replace(index, ":", "-", 1)
	signature := q.built(fallback+".sig", "{}", "")
	notation := q.built("notation", "{ }", "")
	q.indexOf("acme/api", fallback, entry(notation, `"artifactType":"application/vnd.cncf.notary.signature"`))

	got := q.person("manager", principal.Manager).Get(manifests + "acme/api&reference=" + index).WantStatus(200)
	for path, want := range map[string]any{
		"content": "index", "digest": index, "size": nil, "layers": nil, "createdAt": nil, "platforms.0.platform": "linux/arm64",
		"platforms.0.digest": arm, "platforms.0.size": 37 + 7, "platforms.0.layers": 1, "platforms.1.platform": "linux/amd64",
		"platforms.2":        nil,
		"attached.0.purpose": "signature", "attached.0.format": "Notation", "attached.0.digest": notation,
		"attached.0.size":    300,
		"attached.1.purpose": "signature", "attached.1.format": "Cosign", "attached.1.digest": signature,
		"attached.2.purpose": "sbom", "attached.2.format": "SPDX", "attached.2.digest": sbom, "attached.2.size": 9,
		"attached.3": nil,
	} {
		got.WantValue("data."+path, want)
	}
	if size, _ := got.JSON("data.attached.1.size").(float64); size == 0 {
		t.Errorf("the signature has %v bytes", got.JSON("data.attached.1.size"))
	}
	tags := q.person("manager", principal.Manager).Get("/v1/images/tags?repository=acme/api")
	if listed := column(tags, "tag"); !slices.Equal(listed, []any{"1.0", "amd", "arm", "notation", "statements"}) {
		t.Errorf("the tags are %v", listed)
	}
}

func TestDescribeChart(t *testing.T) {
	q := newFixture(t)
	config := `{"name":"product","version":"1.0.0","appVersion":"4.1","description":"Runs it."}`
	blob := q.upstream.PushBlob(t, "charts/product", []byte("archive"))
	about := q.upstream.PushBlob(t, "charts/product", []byte(config))
	digest := q.upstream.PushManifest(t, awstest.Manifest{
		Repository: "charts/product", Reference: "1.0.0", MediaType: manifestType,
		Content: fmt.Appendf(nil, `{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":%q,"digest":%q,"size":%d},"layers":[{"mediaType":%q,`+
			`"digest":%q,"size":7}]}`, manifestType, chartConfig, about, len(config), chartContent, blob),
	})
	user := q.person(owner, principal.User)
	user.Get(manifests + "charts/product&reference=1.0.0").WantStatus(http.StatusNotFound)
	q.issue(credentials.AccessToken, "read:helm-charts")
	user.Get(manifests+"charts/product&reference=1.0.0").WantStatus(200).WantValue("data.content", "chart").
		WantValue("data.chart.name", "product").WantValue("data.chart.appVersion", "4.1").WantValue("data.digest", digest).
		WantValue("data.platforms", []any{}).WantValue("data.layers", 1)
	user.Get("/v1/images/tags?repository=charts/product").WantStatus(200).WantValue("data.0.digest", digest)
}

//proves:docs/security.md
func TestPeopleLearnNothingBeyondTheirCredentials(t *testing.T) {
	q := newFixture(t)
	user := q.person(owner, principal.User)
	q.issue(credentials.AccessToken, "read:helm-charts", "read:docker-images:mine/*")
	q.image("mine/api", "1")
	zeros := "sha256:" + strings.Repeat("0", 64)
	targets := []string{"/v1/images", "/v1/images?q=secret"}
	for _, repository := range []string{"secret/api", "secret/none"} {
		targets = append(targets, "/v1/images/tags?repository="+repository, "/v1/images/tags?q=1&repository="+repository,
			manifests+repository+"&reference=1", manifests+repository+"&reference="+zeros)
	}
	before := map[string]string{}
	for _, target := range targets {
		before[target] = string(user.Get(target).Body)
	}
	digest, _ := q.image("secret/api", "1")
	for _, target := range targets {
		if after := string(user.Get(target).Body); after != before[target] {
			t.Errorf("%s: the response after publishing is\n%s\nand was before\n%s", target, after, before[target])
		}
	}
	for _, target := range targets[2:] {
		user.Get(target).WantStatus(http.StatusNotFound)
	}
	user.Get(manifests + "secret/api&reference=" + digest).WantStatus(http.StatusNotFound)
	user.Get(manifests + "mine/api&reference=1").WantStatus(http.StatusOK)
	user.Get(manifests + "mine/api&reference=2").WantStatus(http.StatusNotFound)
	user.Get(manifests + "mine/api&reference=" + url.QueryEscape("../x")).WantStatus(http.StatusBadRequest)
	user.Get(manifests + "mine/api").WantStatus(http.StatusBadRequest)
}

func TestReadersOfChartsLearnNothingAboutImages(t *testing.T) {
	q := newFixture(t)
	chart, _ := q.chart("acme/mixed", "0.9.0")
	q.image("acme/mixed", "api-1")
	user := q.person(owner, principal.User)
	q.issue(credentials.AccessToken, "read:helm-charts:acme/mixed")
	user.Get("/v1/images/tags?repository=acme/mixed").WantStatus(200).WantValue("data", []any{
		map[string]any{"tag": "0.9.0", "digest": chart, "mediaType": manifestType},
		map[string]any{"tag": "api-1", "digest": nil, "mediaType": nil},
	})
	user.Get(manifests + "acme/mixed&reference=api-1").WantStatus(http.StatusNotFound)
}

func TestListTagsLimitsRequestsToTheRegistry(t *testing.T) {
	q := newFixture(t)
	tags := make([]any, 120)
	for i := range tags {
		tags[i] = fmt.Sprintf("%03d", i)
	}
	list, err := json.Marshal(map[string]any{"tags": tags})
	if err != nil {
		t.Fatal(err)
	}
	var resolved atomic.Int64
	q.withUpstream(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			resolved.Add(1)
			return
		}
		_, _ = w.Write(list)
	})
	const path = "/v1/images/tags?repository=acme/api&limit=100"
	manager := q.person("manager", principal.Manager)
	if got := len(column(manager.Get(path), "tag")); got != maxTags || resolved.Load() != maxTags {
		t.Errorf("a page has %d tags and needs %d requests to the registry, want %d", got, resolved.Load(), maxTags)
	}
	if got := pages(manager, path, "tag"); !slices.Equal(got, tags) {
		t.Errorf("the pages have %v", got)
	}
}

func TestAttestationsLimitRequestsToTheRegistry(t *testing.T) {
	q := newFixture(t)
	entries := make([]string, 500)
	for i := range entries {
		entries[i] = fmt.Sprintf(`{"digest":"sha256:%064x","annotations":{"vnd.docker.reference.type":"attestation-manifest"}}`, i)
	}
	index := `{"mediaType":"` + indexType + `","manifests":[` + strings.Join(entries, ",") + `]}`
	var read atomic.Int64
	q.withUpstream(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/manifests/1"):
			_, _ = w.Write([]byte(index))
		case r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/manifests/sha256:"):
			read.Add(1)
			_, _ = w.Write([]byte(`{"layers":[]}`))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	q.person("manager", principal.Manager).Get(manifests+"acme/api&reference=1").WantStatus(200).
		WantValue("data.attached", []any{})
	if read.Load() != maxAttestations {
		t.Errorf("%d attestation manifests are read, want %d", read.Load(), maxAttestations)
	}
}

// TestHostileManifests uses manifests that registries accept but clients refuse.
//
//proves:docs/security.md
func TestHostileManifests(t *testing.T) {
	q := newFixture(t)
	manager := q.person("manager", principal.Manager)
	annotations := map[string]string{}
	for i := range 150 {
		annotations[fmt.Sprintf("key%03d", i)] = strings.Repeat("\u202e<script>", 300)
	}
	text, err := json.Marshal(annotations)
	if err != nil {
		t.Fatal(err)
	}
	q.built("annotations", `{"os":7,"created":"9999-12-31T23:59:59-23:59","config":{"Labels":7}}`,
		`"annotations":`+string(text)+`,`)
	long := manager.Get(manifests+"acme/api&reference=annotations").WantStatus(200).WantValue("data.createdAt", nil).
		WantValue("data.platforms.0.platform", "unknown")
	if kept, _ := long.JSON("data.annotations").(map[string]any); len(kept) != maxAnnotations || len(long.Body) > 2<<20 {
		t.Errorf("the response has %d bytes and %d annotations", len(long.Body), len(kept))
	}
	for name, manifest := range map[string]string{
		"paths":   `{"mediaType":"` + manifestType + `","config":{"mediaType":"` + imageConfig + `","digest":"../../blobs"}}`,
		"entries": `{"mediaType":"` + indexType + `","manifests":[{"digest":"../x"},{"digest":7},{"digest":"sha256:` + strings.Repeat("0", 64) + `"}]}`,
		"types":   `{"mediaType":7,"config":[],"layers":{},"annotations":{"a":1}}`,
	} {
		q.withUpstream(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/manifests/1") {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			_, _ = w.Write([]byte(manifest))
		})
		response := q.person("manager", principal.Manager).Get(manifests + "acme/api&reference=1")
		if response.Status != http.StatusOK {
			t.Errorf("%s: %v", name, response)
		}
	}
	q.withUpstream(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{")) })
	q.person("manager", principal.Manager).Get(manifests + "acme/api&reference=1").
		WantStatus(http.StatusServiceUnavailable)
}
