package distribution

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// visitDemo runs `make demo` on a stack, and returns it with a tab of a manager of the vendor.
func visitDemo(t *testing.T, p *e2etest.Stack) (shop, *browser.Page) {
	t.Helper()
	p.Operator.Demo(t)
	return onShelf(p), p.Portal.VisitAsNew(t, "staff", "manager")
}

// readDigests returns the complete digests of the page, which shows them shortened.
const readDigests = `[...document.querySelectorAll("main code[title]")].map(c => c.title)`

func TestChartPages(t *testing.T) {
	m, page := visitDemo(t, e2etest.Start(t)) // other tests do not pull there
	customer := m.WithLogin(t, m.Operator.DemoLogin(t))
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
	e2etest.WantCopied(t, page, older, func() {
		page.Within(browser.Row("1.0.0")).Click(browser.Button("Copy: " + older[:len("sha256:")+12] + "…"))
	})
	page.Click(browser.Link("1.1.0"))
	page.WaitURL("/portal/charts/hello/1.1.0")
	page.WaitFor(browser.Heading("hello 1.1.0"))
	if got := page.Value("Digest of the archive"); got != newest {
		t.Errorf("the version has the digest %s, want %s", got, newest)
	}
	e2etest.WantCopied(t, page, newest, func() { page.Click(browser.Button("Copy: Digest of the archive")) })
	page.WaitText("helm pull vendor/hello --version 1.1.0 --verify")
	values := e2etest.FromRepository(t, "local", "demo", "chart", "hello", "values.yaml")
	page.Click(browser.Role("tab", "values.yaml"))
	if got := browser.Eval[string](page, `document.querySelector("[role=tabpanel] code").textContent`); got != values {
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

func TestImagePages(t *testing.T) {
	m, page := visitDemo(t, e2etest.Start(t)) // other tests do not pull there
	customer := m.WithLogin(t, m.Operator.DemoLogin(t))
	const indexType = "application/vnd.oci.image.index.v1+json"
	manifest := customer.With("Accept", indexType).Get("/v2/acme/hello/manifests/1.1.0").WantStatus(http.StatusOK)
	digest := manifest.Header.Get("Docker-Content-Digest")
	page.Open("/portal/images")
	page.Click(browser.Link("acme/hello"))
	page.WaitURL("/portal/images/acme%2Fhello")
	page.WaitFor(browser.Link("1.0.0"))
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
		if entry := manifest.JSON("manifests").([]any)[i].(map[string]any); !slices.Contains(shown,
			entry["digest"].(string)) {
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

// TestPullPages pulls an image and finds the pull.
func TestPullPages(t *testing.T) {
	m, page := visitDemo(t, e2etest.Shared(t))
	repository := m.Name("acme") + "/app"
	m.push(t, repository+":1.1.0", randomImage(t, "amd64", 1<<10, 1))
	_, key := m.Users.Create(t, "puller", "manager")
	token := m.As(t, key).Post("/api/v1/tokens", `{"name":"cluster","scopes":["read:docker-images"]}`).
		WantStatus(http.StatusCreated)
	m.WithToken(t, token.Text("data.token")).Get("/v2/" + repository + "/manifests/1.1.0").WantStatus(http.StatusOK)
	e2etest.Await(t, "the record of a pull", func() bool {
		page.Open("/portal/images/" + url.PathEscape(repository))
		e2etest.Ready(page)
		return page.Count(browser.Row("Go-http-client")) == 1
	})
	page.Click(browser.Link("All pulls"))
	page.WaitURL("/portal/pulls?repository=" + url.QueryEscape(repository))
	page.Within(browser.Row(repository + ":1.1.0")).WaitText("cluster")
	page.Within(browser.Row(repository + ":1.1.0")).WaitText("127.0.0.1")
	page.Select("Kind", "Charts")
	page.Click(browser.Button("Find"))
	page.WaitText("No pulls found")
}

func TestPagesWithoutAccess(t *testing.T) {
	m, _ := visitDemo(t, e2etest.Shared(t))
	page := m.Portal.VisitAsNew(t, "nobody", "user")
	page.Open("/portal/charts")
	page.WaitText("You cannot pull any chart yet")
	page.Open("/portal/images")
	page.WaitText("You cannot pull any image yet")
	for _, path := range []string{"/v1/charts/hello", "/v1/charts/hello/1.1.0", "/v1/images/tags",
		"/v1/images/manifests"} {
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
name: NAME
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

//proves:docs/security.md
func TestHostileChart(t *testing.T) {
	m, page := visitDemo(t, e2etest.Shared(t))
	name := m.Name("hostile")
	long := strings.Repeat("W", 10_000)
	m.publish(t, name+"-1.0.0.tgz", e2etest.PackChart(t,
		name+"/Chart.yaml", strings.NewReplacer("LONG", long, "NAME", name).
			Replace(hostileChart), name+"/values.yaml", "a: 1 # \u202Ehidden\n",
		name+"/README.md", "# Title\n<script>alert(7)</script>\n[click](javascript:alert(8))\n"))
	root := m.Admin(t)
	e2etest.Await(t, "the hostile chart in the index", func() bool {
		return root.Get("/v1/charts/"+name).Status == http.StatusOK
	})
	for _, path := range []string{"/portal/charts?q=" + name, "/portal/charts/" + name,
		"/portal/charts/" + name + "/1.0.0"} {
		page.Open(path)
		m.Portal.CheckPage(t, page, path)
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
	if elements := browser.Eval[int](page,
		`document.querySelectorAll("main img, main script, main b, main iframe").length`); elements != 0 {
		t.Errorf("the page has %d elements of the chart's author", elements)
	}
}
