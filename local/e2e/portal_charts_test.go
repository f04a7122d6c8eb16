package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portside/local/browser"
)

// TestPortalCharts compares the pages of charts, images and pulls with what their clients get, after `make demo`.
func TestPortalCharts(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	m := &customerStack{testStack: p, dir: t.TempDir(), upstream: strings.TrimPrefix(p.info.Registry, "http://")}
	p.createUser(t, "manager@example.com", "manager")
	page := p.visitAs(t, "manager@example.com")
	t.Run("nothing published", func(*testing.T) { testNothingPublished(page) })
	m.runDemo(t)
	customer := m.withLogin(t, m.demoLogin(t))
	if err := os.Remove(filepath.Join(p.data, "demo-token")); err != nil { // a file with a secret
		t.Fatal(err)
	}
	t.Run("charts", func(t *testing.T) { testChartPages(t, page, customer) })
	t.Run("images", func(t *testing.T) { testImagePages(t, page, customer) })
	t.Run("signature and SBOM", func(t *testing.T) { testAttachments(t, m, page) })
	t.Run("pulls", func(t *testing.T) { testPullPages(t, page) })
	t.Run("no access", func(t *testing.T) { testPagesWithoutAccess(t, p) })
	t.Run("hostile chart", func(t *testing.T) { testHostileChart(t, m, page) })
	p.checkNoSecretsLeaked(t)
}

func testNothingPublished(page *browser.Page) {
	page.Open("/portal/charts")
	page.WaitText("No charts yet")
	page.WaitText("make demo")
	page.Open("/portal/images")
	page.WaitText("No images yet")
}

// readDigests returns the complete digests of the page, which shows them shortened.
const readDigests = `[...document.querySelectorAll("main code[title]")].map(c => c.title)`

func testChartPages(t *testing.T, page *browser.Page, customer client) {
	index := customer.Get("/charts/index.yaml").WantStatus(http.StatusOK)
	newest, older := "sha256:"+index.Text("entries.hello.0.digest"), "sha256:"+index.Text("entries.hello.1.digest")
	page.Open("/portal/charts")
	page.WaitText("1 chart")
	page.Within(browser.Row("1.1.0")).Click(browser.Link("hello"))
	page.WaitURL("/portal/charts/hello")
	page.WaitFor(browser.Row("1.0.0"))
	if got := browser.Eval[[]string](page, readDigests); !slices.Equal(got, []string{newest, older}) {
		t.Errorf("the page has the digests %v, the index %s and %s", got, newest, older)
	}
	page.Within(browser.Row("1.0.0")).Click(browser.Button("Copy: " + older[:len("sha256:")+12] + "…"))
	wantCopied(t, page, older)
	page.Click(browser.Link("1.1.0"))
	page.WaitURL("/portal/charts/hello/1.1.0")
	page.WaitFor(browser.Heading("hello 1.1.0"))
	if got := page.Value("Digest of the archive"); got != newest {
		t.Errorf("the version has the digest %s, want %s", got, newest)
	}
	page.Click(browser.Button("Copy: Digest of the archive"))
	wantCopied(t, page, newest)
	page.WaitText("helm pull vendor/hello --version 1.1.0 --verify")
	values, err := os.ReadFile(filepath.Join(repository, "local", "demo", "chart", "hello", "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	page.Click(browser.Role("tab", "values.yaml"))
	if got := browser.Eval[string](page, `document.querySelector("[role=tabpanel] code").textContent`); got != string(values) {
		t.Errorf("values.yaml is shown as\n%s", got)
	}
	page.Click(browser.Role("tab", "Provenance"))
	page.WaitText("-----BEGIN PGP SIGNED MESSAGE-----")

	page.Open("/portal/charts?q=nothing")
	page.WaitText("No results")
	page.Fill("Part of the name", "ell")
	page.Press("Enter")
	page.WaitURL("/portal/charts?q=ell")
	page.WaitFor(browser.Link("hello"))
}

func testImagePages(t *testing.T, page *browser.Page, customer client) {
	const indexType = "application/vnd.oci.image.index.v1+json"
	manifest := customer.With("Accept", indexType).Get("/v2/acme/hello/manifests/1.1.0").WantStatus(http.StatusOK)
	digest := manifest.Header.Get("Docker-Content-Digest")
	page.Open("/portal/images")
	page.Click(browser.Link("acme/hello"))
	page.WaitURL("/portal/images/acme%2Fhello")
	page.WaitFor(browser.Row("1.0.0"))
	if got := browser.Eval[[]string](page, readDigests); !slices.Contains(got, digest) {
		t.Errorf("the tags have the digests %v, want also %s", got, digest)
	}
	page.Click(browser.Link("1.1.0"))
	page.WaitFor(browser.Heading("acme/hello:1.1.0"))
	if got := page.Value("Digest of the manifest"); got != digest {
		t.Errorf("the image has the digest %s, want %s", got, digest)
	}
	shown := browser.Eval[[]string](page, readDigests)
	for i := range manifest.List("manifests") {
		if entry := manifest.JSON("manifests").([]any)[i].(map[string]any); !slices.Contains(shown, entry["digest"].(string)) {
			t.Errorf("the platforms have the digests %v, want also %v", shown, entry["digest"])
		}
	}
	for _, tool := range []struct{ tab, command string }{
		{"Docker", "docker pull "}, {"Podman", "podman pull "}, {"skopeo", "skopeo inspect "}, {"crane", " manifest "}, {"ORAS", "oras copy "},
		{"Kubernetes", "image: "},
	} {
		page.Click(browser.Role("tab", tool.tab))
		page.WaitText(tool.command)
		page.WaitText("/acme/hello")
	}
	page.Click(browser.Link("linux/arm64"))
	page.WaitText("org.opencontainers.image.title:")
	page.Open("/portal/images/charts%2Fhello/1.1.0")
	page.WaitText("Helm chart")
	page.WaitText("helm pull oci://")
}

// testPullPages finds the pull of testImagePages.
func testPullPages(t *testing.T, page *browser.Page) {
	await(t, "the record of a pull", func() bool {
		page.Open("/portal/images/acme%2Fhello")
		ready(page)
		return page.Count(browser.Row("Go-http-client")) == 1
	})
	page.Click(browser.Link("All pulls"))
	page.WaitURL("/portal/pulls?repository=acme%2Fhello")
	page.Within(browser.Row("acme/hello:1.1.0")).WaitText("demo")
	page.Within(browser.Row("acme/hello:1.1.0")).WaitText("127.0.0.1")
	page.Select("Kind", "Charts")
	page.Click(browser.Button("Find"))
	page.WaitText("No pulls found")
}

func testPagesWithoutAccess(t *testing.T, p *testStack) {
	p.createUser(t, "nobody@example.com", "user")
	page := p.visitAs(t, "nobody@example.com")
	page.Open("/portal/charts")
	page.WaitText("You cannot pull any chart yet")
	page.Open("/portal/images")
	page.WaitText("You cannot pull any image yet")
	for _, path := range []string{"/v1/charts/hello", "/v1/charts/hello/1.1.0", "/v1/images/tags", "/v1/images/manifests"} {
		page.Allow("404 GET " + path)
	}
	for _, path := range []string{"/portal/charts/hello", "/portal/charts/hello/1.1.0", "/portal/charts/unknown"} {
		page.Allow("404 GET /v1/charts/unknown")
		page.Open(path)
		page.WaitText("There is no such chart")
	}
	for _, path := range []string{"/portal/images/acme%2Fhello", "/portal/images/acme%2Fhello/1.1.0"} {
		page.Open(path)
		page.WaitText("There is no such repository")
	}
}

// hostileChart is a chart whose author attacks the reader of its page.
const hostileChart = `apiVersion: v2
name: hostile
version: 1.0.0
description: "<img src=x onerror=alert(1)>{{constructor}}${alert(1)}"
home: "javascript:alert(1)"
icon: "https://tracker.example.com/pixel.png"
sources:
- "javascript:alert(2)"
- "data:text/html,<script>alert(3)</script>"
- "https://safe.example.com/<b>"
- "https://user:pass@evil.example.com/"
maintainers:
- {name: "<script>alert(4)</script>", email: "a@example.com?subject=<b>", url: "javascript:alert(5)"}
- {name: "LONG", url: "javascript:alert(6)"}
annotations:
  direction: "safe\u202Egpj.exe"
`

func testHostileChart(t *testing.T, m *customerStack, page *browser.Page) {
	long := strings.Repeat("W", 10_000)
	m.publish(t, "hostile-1.0.0.tgz", packChart(t,
		"hostile/Chart.yaml", strings.ReplaceAll(hostileChart, "LONG", long), "hostile/values.yaml", "a: 1 # \u202Ehidden\n",
		"hostile/README.md", "# Title\n<script>alert(7)</script>\n[click](javascript:alert(8))\n"))
	root := m.admin(t)
	await(t, "the hostile chart in the index", func() bool {
		return root.Get("/v1/charts/hostile").Status == http.StatusOK
	})
	for _, path := range []string{"/portal/charts", "/portal/charts/hostile", "/portal/charts/hostile/1.0.0"} {
		page.Open(path)
		checkPage(t, m.testStack, page, path)
	}
	page.WaitText("<img src=x onerror=alert(1)>{{constructor}}${alert(1)}")
	page.WaitText("<script>alert(4)</script>")
	page.WaitText("safe\uFFFDgpj.exe")
	page.WaitText("<script>alert(7)</script>")
	page.Click(browser.Role("tab", "values.yaml"))
	page.WaitText("This text contains invisible characters")
	links := browser.Eval[[]string](page, `[...document.querySelectorAll("main a")].map(a => a.protocol + a.host)
		.filter(address => !address.endsWith(location.host))`)
	if want := []string{"https:safe.example.com", "mailto:"}; !slices.Equal(links, want) {
		t.Errorf("the page has links to %q, want %q", links, want)
	}
	if elements := browser.Eval[int](page, `document.querySelectorAll("main img, main script, main b, main iframe").length`); elements != 0 {
		t.Errorf("the page has %d elements of the chart's author", elements)
	}
}

// packChart packs files as helm does. The arguments are names and contents in turn.
func packChart(t *testing.T, files ...string) string {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	for i := 0; i < len(files); i += 2 {
		header := &tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg}
		if err := out.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}
