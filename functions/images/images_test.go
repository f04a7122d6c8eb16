package main

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portside/shared/credentials"
	"portside/shared/images/imagesecr"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

const bothChallenges = `Bearer realm="https://example.com/v2/token",service="example.com", Basic realm="https://example.com/v2/token"`

func TestChallengeForClients(t *testing.T) {
	q := newFixture(t)
	for _, target := range []string{"/v2", "/v2/", "/v2/_catalog", "/v2/acme/api/manifests/latest", "/v2/../etc",
		"/v2/nothing"} {
		q.anonymous().Get(target).WantStatus(http.StatusUnauthorized).WantValue("errors.0.code", "UNAUTHORIZED").
			WantHeader("WWW-Authenticate", bothChallenges).WantHeader("Docker-Distribution-Api-Version", "registry/2.0")
	}
	for _, target := range []string{"/v2", "/v2/"} {
		q.withScopes("read:docker-images").Get(target).WantStatus(http.StatusOK).
			WantHeader("Docker-Distribution-Api-Version", "registry/2.0")
	}
	q.withToken("pst_000000000000_000000000000000000000000000000000000").Get("/v2/").WantStatus(http.StatusUnauthorized)
	token := q.issue(credentials.AccessToken, "read:docker-images").Reveal()
	q.anonymous().With("Authorization", "Bearer "+token).Get("/v2/").WantStatus(http.StatusOK)
	q.withToken(q.issue(credentials.Password, "read:docker-images").Reveal()).Get("/v2/").WantStatus(http.StatusOK)
	q.anonymous().With("X-API-Key", token).Get("/v2/").WantStatus(http.StatusUnauthorized)
}

func TestUnknownPathsGetProblemDetails(t *testing.T) {
	c := newFixture(t).anonymous()
	for _, target := range []string{"/nothing", "/v1", "/v1/nothing", "/v3", "//", "//example.com/", "/portal/../etc/"} {
		c.Get(target).WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND")
	}
	c.Get("/portal/").WantStatus(http.StatusFound).WantHeader("Location", "/portal")
	c.Get("/portal%20x/?a=b%20c").WantStatus(http.StatusFound).WantHeader("Location", "/portal%20x?a=b%20c")
	c.Post("/portal/", "{}").WantStatus(http.StatusNotFound)
}

func TestPullImage(t *testing.T) {
	q := newFixture(t)
	manifest, blob := q.image("acme/api", "1.2.0")
	c := q.withScopes("read:docker-images")
	byTag := c.Get("/v2/acme/api/manifests/1.2.0").WantStatus(http.StatusOK)
	byTag.WantHeader("Docker-Content-Digest", manifest).WantHeader("Content-Type", manifestType)
	if awstest.Digest(byTag.Body) != manifest {
		t.Errorf("the manifest is not the one that was pushed: %s", byTag.Body)
	}
	c.Get("/v2/acme/api/manifests/"+manifest).WantStatus(http.StatusOK).WantHeader("Docker-Content-Digest", manifest)
	c.Do(http.MethodHead, "/v2/acme/api/manifests/1.2.0", "").WantStatus(http.StatusOK).
		WantHeader("Docker-Content-Digest", manifest)

	redirect := c.Get("/v2/acme/api/blobs/" + blob).WantStatus(http.StatusTemporaryRedirect)
	q.checkNoUpstreamDetails(redirect)
	if got := fetch(t, redirect.Header.Get("Location")); got != "the content of acme/api:1.2.0" {
		t.Errorf("the redirect goes to %q", got)
	}
	q.checkNoUpstreamDetails(c.Do(http.MethodHead, "/v2/acme/api/blobs/"+blob, "").WantStatus(http.StatusOK))
}

// TestHeadOfBlobs compares the size in a response to HEAD with the blob's, around the largest one that a function can
// return. API Gateway computes the size from the body, so it is right or the request is refused.
func TestHeadOfBlobs(t *testing.T) {
	q := newFixture(t)
	c := q.withScopes("read:docker-images")
	for _, size := range []int{0, 1, imagesecr.MaxBody, imagesecr.MaxBody + 1} {
		blob := q.upstream.PushBlob(t, "acme/api", bytes.Repeat([]byte("x"), size))
		head := c.Do(http.MethodHead, "/v2/acme/api/blobs/"+blob, "")
		if size > imagesecr.MaxBody {
			head.WantStatus(http.StatusMethodNotAllowed).WantHeader("Allow", "GET")
			continue
		}
		head.WantStatus(http.StatusOK).WantHeader("Docker-Content-Digest", blob).
			WantHeader("Content-Length", strconv.Itoa(size))
	}
	c.Do(http.MethodHead, "/v2/acme/api/blobs/sha256:"+strings.Repeat("0", 64), "").WantStatus(http.StatusNotFound)
}

// fetch follows a redirect as clients do: without the credential.
func fetch(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", address, response.Status, err)
	}
	return string(body)
}

func TestClientThatAcceptsAnyTypeGetsManifest(t *testing.T) {
	q := newFixture(t)
	q.image("acme/api", "1")
	c := q.withScopes("read:docker-images")
	for _, accept := range []string{"", "*/*", "text/html,*/*", "*/*;q=0.8", "application/json, */*"} {
		c.With("Accept", accept).Get("/v2/acme/api/manifests/1").WantStatus(http.StatusOK)
	}
}

func TestPullImageIndex(t *testing.T) {
	q := newFixture(t)
	manifest, _ := q.image("acme/api", "amd64")
	index := `{"schemaVersion":2,"mediaType":"` + indexType + `","manifests":[{"mediaType":"` + manifestType +
		`","digest":"` + manifest + `","size":3,"platform":{"os":"linux","architecture":"amd64"}}]}`
	digest := q.upstream.PushManifest(t, awstest.Manifest{
		Repository: "acme/api", Reference: "latest", MediaType: indexType, Content: []byte(index),
	})
	c := q.withScopes("read:docker-images:acme/*").With("Accept", indexType)
	c.Get("/v2/acme/api/manifests/latest").WantStatus(http.StatusOK).WantHeader("Docker-Content-Digest", digest).
		WantHeader("Content-Type", indexType)
}

//proves:docs/security.md
func TestScopesLimitImages(t *testing.T) {
	q := newFixture(t)
	_, blob := q.image("acme/api", "1")
	q.image("other/api", "1")
	narrow := q.withScopes("read:docker-images:acme/*")
	narrow.Get("/v2/acme/api/manifests/1").WantStatus(http.StatusOK)
	for _, target := range []string{
		"/v2/other/api/manifests/1", "/v2/other/api/tags/list", "/v2/other/api/blobs/" + blob, "/v2/nothing/manifests/1", "/v2/acme/manifests/1",
	} {
		narrow.Get(target).WantStatus(http.StatusForbidden).WantValue("errors.0.code", "DENIED")
	}
	narrow.Get("/v2/_catalog").WantStatus(http.StatusOK).WantValue("repositories", []any{"acme/api"})
	q.withScopes("read:docker-images").Get("/v2/_catalog").WantStatus(http.StatusOK).
		WantValue("repositories", []any{"acme/api", "other/api"})
	q.withScopes("read:helm-charts").Get("/v2/_catalog").WantStatus(http.StatusOK).WantValue("repositories", []any{})
}

func TestChartScopeGivesAccessToChartsOnly(t *testing.T) {
	q := newFixture(t)
	manifest, blob := q.chart("charts/product", "1.0.0")
	_, layer := q.image("acme/api", "1")
	c := q.withScopes("read:helm-charts")
	c.Get("/v2/charts/product/blobs/" + blob).WantStatus(http.StatusTemporaryRedirect)
	c.Get("/v2/charts/product/tags/list").WantStatus(http.StatusOK).WantValue("tags", []any{"1.0.0"})
	c.Do(http.MethodHead, "/v2/charts/product/manifests/1.0.0", "").WantStatus(http.StatusOK).
		WantHeader("Docker-Content-Digest", manifest)
	for _, target := range []string{"/v2/acme/api/manifests/1", "/v2/acme/api/tags/list", "/v2/acme/api/blobs/" + layer} {
		c.Get(target).WantStatus(http.StatusForbidden).WantValue("errors.0.code", "DENIED")
	}
	q.withScopes("read:docker-images").Get("/v2/charts/product/manifests/1.0.0").WantStatus(http.StatusOK)
	q.withScopes("read:helm-charts:other").Get("/v2/charts/product/manifests/1.0.0").WantStatus(http.StatusForbidden)
	c.Get("/v2/charts/product/manifests/9").WantStatus(http.StatusNotFound).WantValue("errors.0.code", "MANIFEST_UNKNOWN")
	for _, target := range []string{ // existing and missing images
		"/v2/acme/api/manifests/9", "/v2/acme/none/manifests/1", "/v2/acme/none/tags/list", "/v2/acme/none/tags/list?n=0",
		"/v2/acme/api/tags/list?last=0", "/v2/acme/api/tags/list?last=zzz", "/v2/acme/api/tags/list?n=0",
		"/v2/acme/none/referrers/" + manifest,
	} {
		c.Get(target).WantStatus(http.StatusForbidden).WantValue("errors.0.code", "DENIED")
	}
}

// A chart without a tag is for callers who may fetch all charts.
func TestChartsWithoutTags(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("chart charts/* *")
	q.chart("charts/product", "1.0.0")
	manifest, blob := q.chart("charts/product", "")
	staff := q.withScopes("read:helm-charts")
	for _, c := range []webtest.Client{staff, q.member("read:helm-charts")} {
		c.Get("/v2/charts/product/manifests/" + manifest).WantStatus(http.StatusOK)
		c.Get("/v2/charts/product/blobs/" + blob).WantStatus(http.StatusTemporaryRedirect)
	}
	q.entitle("chart charts/* ^1.0.0")
	c := q.member("read:helm-charts")
	c.Get("/v2/charts/product/manifests/" + manifest).WantStatus(http.StatusNotFound)
	c.Get("/v2/charts/product/blobs/" + blob).WantStatus(http.StatusForbidden)
}

func TestListTagsPages(t *testing.T) {
	q := newFixture(t)
	for _, tag := range []string{"1.0", "1.1", "1.2", "latest"} {
		q.image("acme/api", tag)
	}
	c := q.withScopes("read:docker-images")
	got, target := []any{}, "/v2/acme/api/tags/list?n=3"
	for target != "" {
		page := c.Get(target).WantStatus(http.StatusOK).WantValue("name", "acme/api")
		got = append(got, page.JSON("tags").([]any)...)
		q.checkNoUpstreamDetails(page)
		target = next(t, page)
	}
	if !slices.Equal(got, []any{"1.0", "1.1", "1.2", "latest"}) {
		t.Errorf("got the pages %v", got)
	}
	for _, query := range []string{"n=-1", "n=x", "n=1.5", "last=%00", "last=" + strings.Repeat("a", 2000)} {
		c.Get("/v2/acme/api/tags/list?"+query).WantStatus(http.StatusBadRequest).
			WantValue("errors.0.code", "PAGINATION_NUMBER_INVALID")
		c.Get("/v2/_catalog?" + query).WantStatus(http.StatusBadRequest)
	}
	c.Get("/v2/acme/api/tags/list?n=99999999").WantStatus(http.StatusOK)
}

// next returns the address of the next page, which must be on this host.
func next(t *testing.T, page webtest.Response) string {
	t.Helper()
	link := page.Header.Get("Link")
	if link == "" {
		return ""
	}
	address, rest, found := strings.Cut(strings.TrimPrefix(link, "<"), ">")
	if !found || !strings.HasPrefix(address, "/v2/") || !strings.Contains(rest, `rel="next"`) {
		t.Fatalf("Link: %s", link)
	}
	return address
}

func TestListRepositoriesPages(t *testing.T) {
	q := newFixture(t)
	for _, name := range []string{"acme/api", "acme/web", "other/api", "acme/zoo"} {
		q.image(name, "1")
	}
	for scope, want := range map[string][]any{
		"read:docker-images":        {"acme/api", "acme/web", "acme/zoo", "other/api"},
		"read:docker-images:acme/*": {"acme/api", "acme/web", "acme/zoo"},
	} {
		c := q.withScopes(scope)
		got, target := []any{}, "/v2/_catalog?n=1"
		for target != "" {
			page := c.Get(target).WantStatus(http.StatusOK)
			q.checkNoUpstreamDetails(page)
			got = append(got, page.JSON("repositories").([]any)...)
			target = next(t, page)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s sees %v", scope, got)
		}
		c.Get("/v2/_catalog?n=0").WantStatus(http.StatusOK).WantValue("repositories", []any{})
	}
}

func TestMissingTargets(t *testing.T) {
	q := newFixture(t)
	q.image("acme/api", "1")
	c := q.withScopes("read:docker-images")
	nowhere := "sha256:" + strings.Repeat("0", 64)
	for target, code := range map[string]string{
		"/v2/acme/api/manifests/2":                         "MANIFEST_UNKNOWN",
		"/v2/acme/api/manifests/" + nowhere:                "MANIFEST_UNKNOWN",
		"/v2/acme/api/blobs/" + nowhere:                    "BLOB_UNKNOWN",
		"/v2/acme/api":                                     "UNSUPPORTED",
		"/v2/acme/api/manifests/1/":                        "UNSUPPORTED",
		"/v2/acme/api/blobs/uploads/":                      "UNSUPPORTED",
		"/v2/nothing/blobs/" + nowhere:                     "BLOB_UNKNOWN",
		"/v2/acme/../acme/api/manifests/1":                 "NAME_INVALID",
		"/v2/Acme/manifests/1":                             "NAME_INVALID",
		"/v2/acme/api/blobs/sha256:1":                      "DIGEST_INVALID",
		"/v2/acme/api/manifests/sha256:1":                  "DIGEST_INVALID",
		"/v2/acme/api/manifests/%20":                       "MANIFEST_UNKNOWN",
		"/v2/" + strings.Repeat("a/", 200) + "b/tags/list": "NAME_INVALID",
	} {
		answer := c.Get(target)
		if answer.Status != http.StatusNotFound && answer.Status != http.StatusBadRequest {
			t.Errorf("%v", answer)
		}
		answer.WantValue("errors.0.code", code)
		q.checkNoUpstreamDetails(answer)
	}
}

func TestReferrersFallBackToTag(t *testing.T) {
	q := newFixture(t)
	manifest, _ := q.image("acme/api", "1")
	product, _ := q.chart("charts/product", "1.0.0")
	target := "/v2/acme/api/referrers/" + manifest
	c := q.withScopes("read:docker-images")
	c.Get(target).WantStatus(http.StatusOK).WantHeader("Content-Type", indexType).WantValue("schemaVersion", 2).
		WantValue("manifests", []any{})
	referrer := func(artifactType string) string {
		return `{"mediaType":"` + manifestType + `","artifactType":"` + artifactType + `","digest":"` + manifest + `","size":3}`
	}
	q.upstream.PushManifest(t, awstest.Manifest{
		Repository: "acme/api", Reference: strings.Replace(manifest, ":", "-", 1), MediaType: indexType,
		Content: []byte(`{"schemaVersion":2,"mediaType":"` + indexType + `","manifests":[` +
			referrer("example/sbom") + "," + referrer("example/sig") + `]}`),
	})
	c.Get(target).WantStatus(http.StatusOK).WantValue("manifests.1.artifactType", "example/sig").
		WantHeader("OCI-Filters-Applied", "")
	only := c.Get(target+"?artifactType=example/sig").WantStatus(http.StatusOK).
		WantHeader("OCI-Filters-Applied", "artifactType")
	only.WantValue("manifests.0.artifactType", "example/sig").WantValue("manifests.1", nil)
	charts := q.withScopes("read:helm-charts")
	charts.Get(target).WantStatus(http.StatusForbidden)
	charts.Get("/v2/charts/product/referrers/"+product).WantStatus(http.StatusOK).WantValue("manifests", []any{})
}

func TestOtherMethodsAreRejected(t *testing.T) {
	q := newFixture(t)
	q.image("acme/api", "1")
	c := q.withScopes("read:docker-images")
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		for _, target := range []string{"/v2/", "/v2/acme/api/manifests/1", "/v2/acme/api/blobs/uploads/", "/v2/x"} {
			c.Do(method, target, "").WantStatus(http.StatusMethodNotAllowed).WantValue("errors.0.code", "UNSUPPORTED").
				WantValue("errors.0.message", "This registry is read-only. The vendor pushes to the registry behind it.").
				WantHeader("Allow", "GET, HEAD")
		}
	}
}

func TestBlobRanges(t *testing.T) {
	q := newFixture(t)
	_, blob := q.image("acme/api", "1")
	c := q.withScopes("read:docker-images")
	huge := "bytes=" + strings.Repeat("0-1,", 5000) + "0-1"
	for _, part := range []string{"bytes=0-3", huge, "bytes=-", "lines=1-2", "bytes=900-"} {
		redirect := c.With("Range", part).Get("/v2/acme/api/blobs/" + blob).WantStatus(http.StatusTemporaryRedirect)
		q.checkNoUpstreamDetails(redirect)
	}
}
