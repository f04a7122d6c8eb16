package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/shared/charts"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/pagetest"
	"portside/shared/testkit/webtest"
)

// person returns a client with the API key of a new user with a role.
func (h *fixture) person(id string, role principal.Role) webtest.Client {
	h.tb.Helper()
	key := h.issue(credentials.APIKey, func(c *credentials.Credential) {
		c.Owner, c.Scopes = credentials.Owner{ID: id, Role: role, Active: true}, nil
	})
	return h.anonymous().With("X-API-Key", key.Reveal())
}

// archive packs files of a chart. It does not compress, because the output of compress/gzip may change with Go's
// version.
func archive(tb testing.TB, files ...string) string {
	tb.Helper()
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.NoCompression)
	if err != nil {
		tb.Fatal(err)
	}
	out := tar.NewWriter(zip)
	for i := 0; i < len(files); i += 2 {
		header := &tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg}
		if err := out.WriteHeader(header); err != nil {
			tb.Fatal(err)
		}
		if _, err := out.Write([]byte(files[i+1])); err != nil {
			tb.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		tb.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		tb.Fatal(err)
	}
	return packed.String()
}

// describe publishes a version with metadata, which is a JSON object without its braces.
func (h *fixture) describe(v charts.Version, metadata, contents string) {
	h.tb.Helper()
	v.Metadata = []byte(`{"name":"` + v.Name + `","version":"` + v.Version + `",` + metadata + `}`)
	if _, err := h.listed.Set(v); err != nil {
		h.tb.Fatal(err)
	}
	h.put(charts.ArchivesPrefix+v.File(), []byte(contents))
	h.putIndex()
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

func TestListChartsPages(t *testing.T) {
	h := newFixture(t)
	manager := h.person("manager", principal.Manager)
	manager.Get("/v1/charts").WantStatus(200).WantValue("data", []any{}).WantValue("pagination.total", 0)
	for _, name := range []string{"web", "api", "api-gateway", "zoo"} {
		h.publish(name, "1.0.0", name)
	}
	h.publish("api", "1.10.0", "newer")
	h.publish("api", "1.9.0", "older")
	h.publish("api", "2.0.0-rc.1", "candidate")
	first := manager.Get("/v1/charts?limit=2").WantStatus(200).WantValue("pagination.total", 4).
		WantValue("pagination.hasMore", true).
		WantValue("data.0.version", "1.10.0").WantValue("data.0.versions", 4).
		WantValue("data.0.updatedAt", "2026-03-02T09:00:00Z")
	next, _ := first.JSON("pagination.next").(string)
	second := manager.Get("/v1/charts?limit=2&cursor="+next).WantStatus(200).WantValue("pagination.total", 4).
		WantValue("pagination.hasMore", false).WantValue("pagination.next", nil)
	if got := append(column(first, "name"), column(second, "name")...); !slices.Equal(got,
		[]any{"api", "api-gateway", "web", "zoo"}) {
		t.Errorf("the pages have %v", got)
	}
	found := manager.Get("/v1/charts?q=API").WantStatus(200).WantValue("pagination.total", 2)
	if got := column(found, "name"); !slices.Equal(got, []any{"api", "api-gateway"}) {
		t.Errorf("the filter finds %v", got)
	}
	h.publish("Rapid-API", "1.0.0", "upper case")
	found = manager.Get("/v1/charts?q=api").WantStatus(200).WantValue("pagination.total", 3)
	if got := column(found, "name"); !slices.Equal(got, []any{"Rapid-API", "api", "api-gateway"}) {
		t.Errorf("the filter finds %v", got)
	}
	for _, query := range []string{"limit=0", "limit=101", "q=", "cursor=", "page=1",
		"cursor=" + strings.Repeat("a", 4097)} {
		manager.Get("/v1/charts?" + query).WantStatus(400)
	}
}

func TestListChartVersionsPages(t *testing.T) {
	h := newFixture(t)
	for i := range 25 {
		h.publish("product", fmt.Sprintf("1.%d.0", i), strings.Repeat("x", i+1))
	}
	h.put("charts/product-1.24.0.tgz.prov", []byte("signed"))
	manager := h.person("manager", principal.Manager)
	first := manager.Get("/v1/charts/product").WantStatus(200).WantValue("pagination.total", 25).
		WantValue("data.0.version", "1.24.0").
		WantValue("data.0.size", 25).WantValue("data.0.signed", true).WantValue("data.1.signed", false).
		WantValue("data.0.createdAt", "2026-03-02T09:00:00Z")
	digest, _ := first.JSON("data.0.digest").(string)
	if !strings.HasPrefix(digest, "sha256:") || len(digest) != len("sha256:")+64 {
		t.Errorf("the digest is %s", digest)
	}
	next := first.Text("pagination.next")
	second := manager.Get("/v1/charts/product?cursor="+next).WantStatus(200).WantValue("pagination.next", nil)
	if got := column(second, "version"); !slices.Equal(got, []any{"1.4.0", "1.3.0", "1.2.0", "1.1.0", "1.0.0"}) {
		t.Errorf("the second page has %v", got)
	}
	removed := pagetest.Forge(t, next, "1.4.7")
	manager.Get("/v1/charts/product?cursor="+removed).WantStatus(200).WantValue("data.0.version", "1.4.0")
	manager.Get("/v1/charts/nothing").WantStatus(404)
	manager.Get("/v1/charts/product/9.9.9").WantStatus(404)
}

func TestGetChartVersion(t *testing.T) {
	h := newFixture(t)
	long := strings.Repeat("value: 1\n", 20_000)
	v := h.list("product", "1.0.0+build.1", "")
	h.describe(v, `"appVersion":"4.1","description":"Runs it.","home":"https://example.com","icon":"https://example.com/icon.svg",
		"keywords":["a"],"maintainers":[{"name":"Ada","email":"ada@example.com"},null],"annotations":{"k":"v"},
		"dependencies":[{"name":"db","version":"^1","repository":"https://charts.example.com"}]`,
		archive(t, "product/Chart.yaml", "name: product\n", "product/values.yaml", long,
			"product/charts/db/values.yaml", "no",
			"product/charts/db/README.md", "no", "product/Readme.MD", "# Product\xff\n", "product/values.schema.json", "{}"))
	manager := h.person("manager", principal.Manager)
	got := manager.Get("/v1/charts/product/1.0.0+build.1").WantStatus(200)
	for path, want := range map[string]any{
		"name": "product", "version": "1.0.0+build.1", "appVersion": "4.1", "description": "Runs it.", "icon": "https://example.com/icon.svg",
		"home": "https://example.com", "keywords": []any{"a"}, "sources": []any{}, "maintainers.0.name": "Ada", "maintainers.1.name": "",
		"annotations.k": "v", "dependencies.0.name": "db", "readme.text": "# Product\uFFFD\n", "readme.cut": false, "schema.text": "{}",
		"values.text": long[:charts.MaxTextBytes], "values.size": len(long), "values.cut": true, "provenance": nil,
		"signed":     false,
		"deprecated": false,
	} {
		got.WantValue("data."+path, want)
	}
	h.put("charts/product-1.0.0+build.1.tgz.prov", []byte("-----BEGIN"))
	manager.Get("/v1/charts/product/1.0.0+build.1").WantStatus(200).WantValue("data.provenance.text", "-----BEGIN").
		WantValue("data.signed", true)
	h.describe(h.list("bare", "1.0.0", ""), `"icon":"javascript:alert(1)"`, archive(t, "bare/Chart.yaml", "name: bare\n"))
	manager.Get("/v1/charts/bare/1.0.0").WantStatus(200).WantValue("data.readme", nil).WantValue("data.values", nil).
		WantValue("data.icon", nil).WantValue("data.annotations", map[string]any{})
}

// TestHostileTextsFitIntoResponses uses texts of which JSON escapes each byte.
func TestHostileTextsFitIntoResponses(t *testing.T) {
	h := newFixture(t)
	control := strings.Repeat("\x01", 200<<10)
	for i := range 100 {
		v := h.list(fmt.Sprintf("chart%02d", i), "1.0.0", "")
		h.describe(v, `"description":"`+strings.Repeat("\u202e<b>", 5000)+`","icon":"https://e/`+strings.Repeat("i",
			10_000)+`"`,
			archive(t, "c/values.yaml", control, "c/README.md", control, "c/values.schema.json", control))
	}
	h.put("charts/chart00-1.0.0.tgz.prov", []byte(control))
	manager := h.person("manager", principal.Manager)
	const most = 6 << 20
	for _, path := range []string{"/v1/charts?limit=100", "/v1/charts/chart00/1.0.0"} {
		if response := manager.Get(path).WantStatus(200); len(response.Body) > most*6/7 {
			t.Errorf("%s has %d bytes", path, len(response.Body))
		}
	}
	manager.Get("/v1/charts").WantValue("data.0.icon", nil)
}

//proves:docs/security.md
func TestPeopleSeeWhatTheirCredentialsMayFetch(t *testing.T) {
	h := newFixture(t)
	h.publish("product", "1.0.0", archive(t))
	h.publish("secret", "1.0.0", archive(t))
	user := h.person(owner, principal.User)
	paths := []string{"/v1/charts", "/v1/charts?q=se", "/v1/charts/secret", "/v1/charts/secret/1.0.0",
		"/v1/charts/nothing/1.0.0"}
	before := map[string]string{}
	h.token("read:helm-charts:product")
	user.Get("/v1/charts").WantStatus(200).WantValue("data.0.name", "product").WantValue("pagination.total", 1)
	user.Get("/v1/charts/product").WantStatus(200)
	user.Get("/v1/charts/product/1.0.0").WantStatus(200)
	for _, path := range paths {
		before[path] = reply(t, user.Get(path))
	}
	h.publish("secret", "2.0.0", archive(t))
	h.publish("secret-2", "2.0.0", archive(t))
	h.publish("nothing", "1.0.0", archive(t))
	for _, path := range paths {
		if after := reply(t, user.Get(path)); after != before[path] {
			t.Errorf("%s: the response after publishing is\n%s\nand was before\n%s", path, after, before[path])
		}
	}
	for _, path := range paths[2:] {
		user.Get(path).WantStatus(http.StatusNotFound)
	}
	password := h.issue(credentials.Password, func(c *credentials.Credential) { c.Scopes = []string{"read:helm-charts"} })
	user.Get("/v1/charts").WantValue("pagination.total", 4)
	h.revoke(password)
	user.Get("/v1/charts").WantValue("pagination.total", 1)
	h.token("read:docker-images:secret")
	user.Get("/v1/charts/secret").WantStatus(http.StatusNotFound)
	h.person("other", principal.Viewer).Get("/v1/charts").WantStatus(200).WantValue("data", []any{}).
		WantValue("pagination.total", 0)
	h.anonymous().Get("/v1/charts").WantStatus(http.StatusUnauthorized)
	h.withAllCharts().Get("/v1/charts").WantStatus(http.StatusUnauthorized)
}
