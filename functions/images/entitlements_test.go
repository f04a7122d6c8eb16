package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/entitlementlists"
	"portside/shared/dynamo/items"
	"portside/shared/images/imagesdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/pagetest"
	"portside/shared/testkit/webtest"
)

// The customer of the tests, and one of its users.
const (
	customer = "0199cccc-0000-7000-8000-000000000001"
	member   = "0199cccc-0000-7000-8000-000000000002"
)

// company adds the customer without entitlements.
func (q *fixture) company() {
	q.tb.Helper()
	q.write(q.table.Customers.Add(customer, customerstates.State{}))
}

// entitle replaces the entitlements of the customer. Each is a text such as "image acme/* ^1.0.0".
func (q *fixture) entitle(texts ...string) {
	q.tb.Helper()
	var set entitlement.Set
	for _, text := range texts {
		var kind, pattern, constraint string
		if _, err := fmt.Sscan(text, &kind, &pattern, &constraint); err != nil {
			q.tb.Fatal(err)
		}
		versions, err := constraints.Parse(constraint)
		if err != nil {
			q.tb.Fatal(err)
		}
		set = append(set, entitlement.Entitlement{Artifact: entitlement.Artifact(kind), Repository: pattern,
			Versions: versions})
	}
	q.replaceEntitlements(set)
}

func (q *fixture) replaceEntitlements(set entitlement.Set) {
	q.tb.Helper()
	before, exists, err := entitlementlists.Get(q.tb.Context(), items.In(q.client, q.table.Name()), customer)
	if err != nil || !exists {
		q.tb.Fatal(exists, err)
	}
	q.write(entitlementlists.Set(q.table.Name(), customer, entitlementlists.List{Version: before.Version + 1, All: set})...)
}

// member returns a client that sends a new token of a user of the customer.
func (q *fixture) member(scopes ...string) webtest.Client {
	q.tb.Helper()
	secret := credentials.Mint(credentials.AccessToken)
	q.write(q.table.Writes.Issue(credentials.Credential{
		ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Scopes: scopes, Name: "test", CreatedAt: q.now,
		Owner:     credentials.Owner{ID: member, CustomerID: customer, Role: principal.User, Active: true},
		ExpiresAt: q.now.AddDate(0, 0, 90),
	})...)
	return q.withToken(secret.Reveal())
}

// memberInPortal returns a client that sends a new API key of the user who has the tokens of member.
func (q *fixture) memberInPortal() webtest.Client {
	q.tb.Helper()
	key := credentials.Mint(credentials.APIKey)
	q.write(q.table.Writes.Issue(credentials.Credential{
		ID: key.ID(), Kind: credentials.APIKey, Hash: key.Hash(), Name: "test", CreatedAt: q.now,
		Owner: credentials.Owner{ID: member, CustomerID: customer, Role: principal.Manager, Active: true},
	})...)
	return q.anonymous().With("X-API-Key", key.Reveal())
}

// same fails the test unless all paths get the same 404 with the code. The last one is of something that does not
// exist.
func same(t *testing.T, c webtest.Client, code string, paths ...string) {
	t.Helper()
	want := c.Get(paths[len(paths)-1])
	for _, path := range paths {
		got := c.Get(path).WantStatus(http.StatusNotFound).WantValue("errors.0.code", code)
		if !bytes.Equal(got.Body, want.Body) {
			t.Errorf("%s: %s, but %s", path, got.Body, want.Body)
		}
	}
}

// index pushes an index of images for platforms under a tag of acme/api.
func (q *fixture) index(tag string, manifests ...string) string {
	q.tb.Helper()
	listed := make([]string, len(manifests))
	for i, digest := range manifests {
		listed[i] = `{"mediaType":"` + manifestType + `","digest":"` + digest + `","size":3,"platform":{"os":"linux","architecture":"a` +
			fmt.Sprint(i) + `"}}`
	}
	return q.manifest("acme/api", tag, indexType,
		`{"schemaVersion":2,"mediaType":"`+indexType+`","manifests":[`+strings.Join(listed, ",")+`]}`)
}

// metered counts the calls that the function makes from now on.
func (q *fixture) metered() *awstest.Meter {
	q.tb.Helper()
	client, meter := awstest.Metered(q.client)
	q.table = credentialsdynamo.New(client, q.table.Name(), awstest.Table(q.tb, q.client, "RequestCountsTable"))
	q.gateway.auth = credentials.NewAuthenticator(q.table.Requests, 0, q.clock) // does not count requests of users
	q.gateway.indexer.Versions = imagesdynamo.New(client, awstest.Table(q.tb, q.client, "ImageVersionsTable"), q.clock)
	return meter
}

// counted counts the requests to the registry from now on.
func (q *fixture) counted() *atomic.Int64 {
	q.tb.Helper()
	address, err := url.Parse("http://" + q.upstream.Address)
	if err != nil {
		q.tb.Fatal(err)
	}
	var requests atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(address)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		proxy.ServeHTTP(w, r)
	}))
	q.tb.Cleanup(server.Close)
	q.upstream.Address = strings.TrimPrefix(server.URL, "http://")
	client, _ := q.upstream.ECR(q.tb, q.clock)
	q.setRegistry(client)
	return &requests
}

const nowhere = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

//proves:docs/security.md
func TestEntitlementsLimitVersions(t *testing.T) {
	q := newFixture(t)
	q.company()
	one, oneBlob := q.image("acme/api", "1.0.0")
	two, twoBlob := q.image("acme/api", "2.0.0")
	q.image("acme/api", "latest")
	q.image("other/api", "1.0.0")
	c := q.member("read:docker-images")

	q.entitle("image acme/* ^1.0.0")
	c.Get("/v2/_catalog").WantStatus(http.StatusOK).WantValue("repositories", []any{"acme/api"})
	c.Get("/v2/acme/api/tags/list").WantStatus(http.StatusOK).WantValue("name", "acme/api").
		WantValue("tags", []any{"1.0.0"})
	for _, tag := range []string{"2.0.0", "latest"} {
		same(t, c, "MANIFEST_UNKNOWN", "/v2/acme/api/manifests/"+tag, "/v2/acme/api/manifests/9.9.9")
	}
	same(t, c, "MANIFEST_UNKNOWN", "/v2/acme/api/manifests/"+two, "/v2/acme/api/manifests/"+nowhere)
	c.Get("/v2/acme/api/blobs/" + oneBlob).WantStatus(http.StatusTemporaryRedirect) // before its manifest
	for _, rest := range []string{"manifests/1.0.0", "manifests/" + one, "tags/list", "blobs/" + oneBlob,
		"referrers/" + one} {
		same(t, c, "NAME_UNKNOWN", "/v2/other/api/"+rest, "/v2/none/api/"+rest)
	}

	c.Do(http.MethodHead, "/v2/acme/api/manifests/1.0.0", "").WantStatus(http.StatusOK).
		WantHeader("Docker-Content-Digest", one)
	c.Get("/v2/acme/api/manifests/" + one).WantStatus(http.StatusOK)
	c.Get("/v2/acme/api/blobs/" + oneBlob).WantStatus(http.StatusTemporaryRedirect)
	same(t, c, "BLOB_UNKNOWN", "/v2/acme/api/blobs/"+twoBlob, "/v2/acme/api/blobs/"+nowhere)

	// A change takes effect with the next request, also for images that the client has fetched before.
	q.entitle("image acme/* ^2.0.0")
	same(t, c, "MANIFEST_UNKNOWN", "/v2/acme/api/manifests/"+one, "/v2/acme/api/manifests/"+nowhere)
	same(t, c, "BLOB_UNKNOWN", "/v2/acme/api/blobs/"+oneBlob, "/v2/acme/api/blobs/"+nowhere)
	c.Get("/v2/acme/api/tags/list").WantValue("tags", []any{"2.0.0"})
	q.entitle()
	same(t, c, "NAME_UNKNOWN", "/v2/acme/api/manifests/2.0.0", "/v2/none/api/manifests/2.0.0")
	c.Get("/v2/_catalog").WantValue("repositories", []any{})
	q.entitle("image * *")
	c.Get("/v2/acme/api/blobs/" + twoBlob).WantStatus(http.StatusTemporaryRedirect)
	c.Get("/v2/_catalog").WantValue("repositories", []any{"acme/api", "other/api"})
}

// An entitlement narrows a scope, and a scope an entitlement.
//
//proves:docs/security.md
func TestScopesNarrowEntitlements(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.image("acme/api", "1.0.0")
	q.image("acme/web", "1.0.0")
	q.chart("charts/product", "1.0.0")
	q.entitle("image * ^1.0.0")
	narrow := q.member("read:docker-images:acme/api")
	narrow.Get("/v2/acme/api/manifests/1.0.0").WantStatus(http.StatusOK)
	narrow.Get("/v2/acme/web/manifests/1.0.0").WantStatus(http.StatusForbidden).WantValue("errors.0.code", "DENIED")
	charts := q.member("read:helm-charts")
	charts.Get("/v2/charts/product/manifests/1.0.0").WantStatus(http.StatusOK)
	charts.Get("/v2/acme/api/manifests/1.0.0").WantStatus(http.StatusForbidden).WantValue("errors.0.code", "DENIED")
	charts.Get("/v2/charts/product/tags/list").WantValue("tags", []any{"1.0.0"})

	// Staff with the same scope is not limited.
	q.withScopes("read:docker-images:acme/web").Get("/v2/acme/web/manifests/1.0.0").WantStatus(http.StatusOK)
}

// A digest is reached without its tag if a permitted tag leads to it, directly or through an index.
func TestDigestsBehindPermittedTags(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("image acme/api ^1.0.0")
	amd, amdBlob := q.image("acme/api", "amd64-1")
	arm, _ := q.image("acme/api", "arm64-1")
	other, otherBlob := q.image("acme/api", "amd64-2")
	one := q.index("1.0.0", amd, arm)
	two := q.index("2.0.0", other)
	c := q.member("read:docker-images").With("Accept", manifestType+","+indexType)
	c.Get("/v2/acme/api/manifests/" + amd).WantStatus(http.StatusOK)
	c.Get("/v2/acme/api/blobs/" + amdBlob).WantStatus(http.StatusTemporaryRedirect)
	c.Get("/v2/acme/api/manifests/" + one).WantStatus(http.StatusOK)
	c.Get("/v2/acme/api/manifests/" + arm).WantStatus(http.StatusOK)
	for _, digest := range []string{two, other} {
		same(t, c, "MANIFEST_UNKNOWN", "/v2/acme/api/manifests/"+digest, "/v2/acme/api/manifests/"+nowhere)
	}
	same(t, c, "BLOB_UNKNOWN", "/v2/acme/api/blobs/"+otherBlob, "/v2/acme/api/blobs/"+nowhere)

	// Another credential needs no manifest.
	second := q.member("read:docker-images")
	second.Get("/v2/acme/api/blobs/" + amdBlob).WantStatus(http.StatusTemporaryRedirect)

	// A tag that is pushed later leads to the digest after a minute.
	q.index("1.1.0", other)
	q.now = q.now.Add(indexedLife)
	c.Get("/v2/acme/api/manifests/" + other).WantStatus(http.StatusOK)
	c.Get("/v2/acme/api/blobs/" + otherBlob).WantStatus(http.StatusTemporaryRedirect)
}

// Requests for random digests cause few requests to the registry.
func TestSearchesForDigestsAreKept(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("image acme/api ^1.0.0")
	for i := range 30 {
		q.image("acme/api", fmt.Sprintf("1.0.%d", i))
	}
	hidden := make([]string, 10)
	for i := range hidden {
		hidden[i], _ = q.image("acme/api", fmt.Sprintf("2.0.%d", i))
	}
	requests := q.counted()
	c := q.member("read:docker-images")
	for i := range 20 {
		c.Get(fmt.Sprintf("/v2/acme/api/referrers/sha256:%064x", i)).WantStatus(http.StatusNotFound)
		c.Get(fmt.Sprintf("/v2/acme/api/manifests/sha256-%064x.sig", i)).WantStatus(http.StatusNotFound)
	}
	if n := requests.Swap(0); n > 41 {
		t.Errorf("40 digests that do not exist made %d requests to the registry, want one for each", n)
	}
	c.Get("/v2/acme/api/referrers/" + hidden[0]).WantStatus(http.StatusNotFound)
	if n := requests.Swap(0); n < 30 || n > 33 {
		t.Errorf("the first search made %d requests to the registry, want one for each tag", n)
	}
	for _, digest := range hidden[1:] {
		c.Get("/v2/acme/api/referrers/" + digest).WantStatus(http.StatusNotFound)
	}
	if n := requests.Load(); n > 10 {
		t.Errorf("9 more searches made %d requests to the registry", n)
	}
}

// A caller who may fetch only charts causes no requests about a chart whose tags the index knows.
func TestKnownChartsCauseNoRequests(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("chart charts/product ^1.0.0")
	q.chart("charts/product", "1.0.0")
	_, hidden := q.chart("charts/product", "2.0.0")
	requests := q.counted()
	c := q.member("read:docker-images")
	c.Get("/v2/charts/product/manifests/1.0.0").WantStatus(http.StatusOK)
	c.Get("/v2/charts/product/blobs/" + hidden).WantStatus(http.StatusNotFound)
	requests.Store(0)
	c.Get("/v2/charts/product/blobs/" + hidden).WantStatus(http.StatusNotFound)
	if n := requests.Load(); n > 0 {
		t.Errorf("a digest of a known version made %d requests to the registry", n)
	}
}

// A caller who may fetch a manifest may also fetch its attachments.
func TestAttachmentsFollowTheirManifest(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("image acme/api ^1.0.0")
	one, _ := q.image("acme/api", "1.0.0")
	two, _ := q.image("acme/api", "2.0.0")
	tag := func(digest string) string { return strings.Replace(digest, ":", "-", 1) + ".sig" }
	signature, signatureBlob := q.image("acme/api", tag(one))
	q.image("acme/api", tag(two))
	q.index(strings.Replace(one, ":", "-", 1), signature)
	c := q.member("read:docker-images").With("Accept", manifestType+","+indexType)
	c.Get("/v2/acme/api/manifests/" + tag(one)).WantStatus(http.StatusOK)
	c.Get("/v2/acme/api/blobs/" + signatureBlob).WantStatus(http.StatusTemporaryRedirect)
	same(t, c, "MANIFEST_UNKNOWN", "/v2/acme/api/manifests/"+tag(two), "/v2/acme/api/manifests/"+tag(nowhere))
	fresh := q.member("read:docker-images")
	fresh.Get("/v2/acme/api/referrers/"+one).WantStatus(http.StatusOK).WantValue("manifests.0.digest", signature)
	fresh.Get("/v2/acme/api/manifests/" + signature).WantStatus(http.StatusOK)
	same(t, c, "MANIFEST_UNKNOWN", "/v2/acme/api/referrers/"+two, "/v2/acme/api/referrers/"+nowhere)
	c.Get("/v2/acme/api/tags/list").WantValue("tags", []any{"1.0.0"})
}

// An entitlement for charts does not show whether a repository has images.
//
//proves:docs/security.md
func TestEntitlementsForChartsHideImages(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("chart * ^1.0.0", "chart charts/* ^1.0.0")
	_, chartBlob := q.chart("charts/product", "1.0.0")
	q.chart("charts/product", "2.0.0")
	image, imageBlob := q.image("acme/api", "1.0.0")
	for _, c := range []webtest.Client{q.member("read:docker-images"), q.member("read:docker-images", "read:helm-charts")} {
		c.Get("/v2/_catalog").WantValue("repositories", []any{"charts/product"})
		c.Get("/v2/charts/product/tags/list").WantValue("tags", []any{"1.0.0"})
		c.Get("/v2/charts/product/manifests/1.0.0").WantStatus(http.StatusOK)
		c.Get("/v2/charts/product/blobs/" + chartBlob).WantStatus(http.StatusTemporaryRedirect)
		same(t, c, "MANIFEST_UNKNOWN", "/v2/charts/product/manifests/2.0.0", "/v2/charts/product/manifests/9.9.9")
		same(t, c, "MANIFEST_UNKNOWN", "/v2/acme/api/manifests/1.0.0", "/v2/none/api/manifests/1.0.0")
		same(t, c, "MANIFEST_UNKNOWN", "/v2/acme/api/manifests/"+image, "/v2/none/api/manifests/"+nowhere)
		same(t, c, "BLOB_UNKNOWN", "/v2/acme/api/blobs/"+imageBlob, "/v2/none/api/blobs/"+nowhere)
		same(t, c, "NAME_UNKNOWN", "/v2/acme/api/tags/list", "/v2/none/api/tags/list")
		same(t, c, "MANIFEST_UNKNOWN", "/v2/acme/api/referrers/"+image, "/v2/none/api/referrers/"+nowhere)
	}
}

// The tag of a signature sorts before those of versions with a v.
func TestSignedChartsAreListed(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("chart charts/* ^1.0.0")
	manifest, _ := q.chart("charts/product", "v1.0.0")
	q.image("charts/product", strings.Replace(manifest, ":", "-", 1)+".sig")
	for _, c := range []webtest.Client{q.member("read:docker-images"), q.member("read:helm-charts")} {
		c.Get("/v2/charts/product/tags/list").WantStatus(http.StatusOK).WantValue("tags", []any{"v1.0.0"})
	}
	q.withScopes("read:helm-charts").Get("/v2/charts/product/tags/list").WantStatus(http.StatusOK)
}

func TestLimitedTagsHavePages(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("image acme/api ^1.0.0")
	for _, tag := range []string{"1.0.0", "1.1.0", "1.2.0", "2.0.0", "latest"} {
		q.image("acme/api", tag)
	}
	c := q.member("read:docker-images")
	got, target := []any{}, "/v2/acme/api/tags/list?n=2"
	for target != "" {
		page := c.Get(target).WantStatus(http.StatusOK)
		got = append(got, page.JSON("tags").([]any)...)
		target = next(t, page)
	}
	if !slices.Equal(got, []any{"1.0.0", "1.1.0", "1.2.0"}) {
		t.Errorf("got the pages %v", got)
	}
}

func TestEntitlementsHaveAPeriod(t *testing.T) {
	q := newFixture(t)
	q.company()
	_, blob := q.image("acme/api", "1.0.0")
	q.replaceEntitlements(entitlement.Set{{
		Artifact: entitlement.Image, Repository: "acme/api", Versions: entitlement.AllVersions(),
		From: q.now.Add(time.Hour), Until: q.now.Add(2 * time.Hour),
	}})
	c := q.member("read:docker-images")
	c.Get("/v2/acme/api/manifests/1.0.0").WantStatus(http.StatusNotFound)
	q.now = q.now.Add(time.Hour)
	c.Get("/v2/acme/api/manifests/1.0.0").WantStatus(http.StatusOK)
	c.Get("/v2/acme/api/blobs/" + blob).WantStatus(http.StatusTemporaryRedirect)
	q.now = q.now.Add(time.Hour)
	c.Get("/v2/acme/api/blobs/" + blob).WantStatus(http.StatusNotFound)
}

// People of a customer see in the portal what their credentials may pull within the entitlements.
//
//proves:docs/security.md
func TestPeopleSeeEntitledImages(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("image acme/* ^1.0.0", "chart charts/* ^1.0.0")
	one, _ := q.image("acme/api", "1.0.0")
	two, _ := q.image("acme/api", "2.0.0")
	q.image("other/api", "1.0.0")
	q.chart("charts/product", "1.0.0")
	q.chart("charts/product", "2.0.0")
	q.member("read:docker-images")
	c := q.memberInPortal()
	if got := pages(c, "/v1/images", "repository"); !slices.Equal(got, []any{"acme/api", "charts/product"}) {
		t.Errorf("sees %v", got)
	}
	for _, repository := range []string{"acme/api", "charts/product"} {
		if got := pages(c, "/v1/images/tags?repository="+repository, "tag"); !slices.Equal(got, []any{"1.0.0"}) {
			t.Errorf("sees the tags %v of %s", got, repository)
		}
	}
	c.Get("/v1/images/tags?repository=other/api").WantStatus(http.StatusNotFound)
	for reference, status := range map[string]int{"1.0.0": 200, one: 200, "2.0.0": 404, two: 404, nowhere: 404} {
		c.Get(manifests + "acme/api&reference=" + reference).WantStatus(status)
	}
	c.Get(manifests + "charts/product&reference=1.0.0").WantStatus(http.StatusOK)
	c.Get(manifests + "charts/product&reference=2.0.0").WantStatus(http.StatusNotFound)
}

// A cursor can be read, so it must not have the name of a hidden tag, which the registry may use as the start of its
// next page.
func TestCursorsOfTagsNameNoHiddenTag(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("image acme/api ^1.0.0")
	q.member("read:docker-images")
	q.replaceUpstream(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "/manifests/"):
			w.Header().Set("Docker-Content-Digest", nowhere)
		case r.URL.Query().Get("last") == "":
			w.Header().Set("Link", "<"+r.URL.Path+`?last=2.0.0-secret>; rel="next"`)
			_, _ = w.Write([]byte(`{"name":"acme/api","tags":["1.0.0","2.0.0-secret"]}`))
		default:
			_, _ = w.Write([]byte(`{"name":"acme/api","tags":["v1.1.0","v1.2.0","v3.0.0"]}`))
		}
	})
	c := q.memberInPortal()
	const path = "/v1/images/tags?limit=1&repository=acme/api"
	if got := pages(c, path, "tag"); !slices.Equal(got, []any{"1.0.0", "v1.1.0", "v1.2.0"}) {
		t.Errorf("sees the tags %v", got)
	}
	for target := path; target != ""; {
		page := c.Get(target).WantStatus(http.StatusOK)
		cursor, _ := page.JSON("pagination.next").(string)
		if cursor == "" {
			break
		}
		if position := pagetest.Position(t, cursor); strings.Contains(position, "secret") {
			t.Errorf("the cursor says %s", position)
		}
		target = path + "&cursor=" + cursor
		secret := pagetest.Forge(t, cursor, `{"l":"2.0.0-secret"}`)
		c.Get(path + "&cursor=" + secret).WantStatus(http.StatusBadRequest)
	}
}

// A request of the registry reads the entitlements only after a change. A digest takes one read more, and two at first.
func TestEntitlementsCostOneRead(t *testing.T) {
	q := newFixture(t)
	q.company()
	q.entitle("image acme/api ^1.0.0")
	manifest, blob := q.image("acme/api", "1.0.0")
	meter := q.metered()
	c := q.member("read:docker-images")
	c.Get("/v2/acme/api/manifests/1.0.0").WantStatus(http.StatusOK)
	c.Get("/v2/acme/api/manifests/" + manifest).WantStatus(http.StatusOK)
	for path, want := range map[string]int{"manifests/1.0.0": 1, "manifests/" + manifest: 2, "blobs/" + blob: 2,
		"tags/list": 1} {
		meter.Reset()
		c.Get("/v2/acme/api/" + path)
		if meter.Calls() != want || meter.ReadUnits() > float64(want+1) || meter.WriteUnits() != 0 {
			t.Errorf("%s: %d calls, %v read units, %v write units", path, meter.Calls(), meter.ReadUnits(), meter.WriteUnits())
		}
	}
}
