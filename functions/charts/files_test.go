package main

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"portside/shared/pulls"
	"portside/shared/testkit/webtest"
)

// follow fetches a link without a credential.
func (h *fixture) follow(method, link string) ([]byte, http.Header) {
	h.tb.Helper()
	r, err := http.NewRequestWithContext(h.tb.Context(), method, link, nil)
	if err != nil {
		h.tb.Fatal(err)
	}
	return fetch(h.tb, r, http.StatusOK)
}

func fetch(tb testing.TB, r *http.Request, status int) ([]byte, http.Header) {
	tb.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatal(err)
	}
	if response.StatusCode != status {
		tb.Fatalf("%s %s: status %d, want %d: %s", r.Method, r.URL, response.StatusCode, status, body)
	}
	return body, response.Header
}

// TestClientFollowsRedirectWithoutCredential uses an unmodified HTTP client with a password.
func TestClientFollowsRedirectWithoutCredential(t *testing.T) {
	h := newFixture(t)
	server := httptest.NewServer(h.handler())
	defer server.Close()
	token := h.token("read:helm-charts")
	h.put("charts/product-1.0.0.tgz.prov", []byte("-----BEGIN PGP SIGNED MESSAGE-----"))
	h.publish("product", "1.0.0", "\x1f\x8b archive one")
	h.publish("product", "1.0.0-rc.1+b.7", "\x1f\x8b archive two")
	for file, want := range map[string]struct{ contents, mediaType string }{
		"product-1.0.0.tgz":          {"\x1f\x8b archive one", "application/gzip"},
		"product-1.0.0-rc.1+b.7.tgz": {"\x1f\x8b archive two", "application/gzip"},
		"product-1.0.0.tgz.prov":     {"-----BEGIN PGP SIGNED MESSAGE-----", "text/plain; charset=utf-8"},
	} {
		t.Run(file, func(t *testing.T) {
			for method, contents := range map[string]string{http.MethodGet: want.contents, http.MethodHead: ""} {
				r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/charts/"+file, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.SetBasicAuth("helm", token.Reveal())
				body, header := fetch(t, r, http.StatusOK)
				if string(body) != contents || header.Get("Content-Type") != want.mediaType {
					t.Errorf("%s %s: %q of %s, want %q", method, file, body, header.Get("Content-Type"), contents)
				}
				if name := header.Get("Content-Disposition"); name != "attachment; filename="+file {
					t.Errorf("%s %s: Content-Disposition is %q", method, file, name)
				}
			}
		})
	}
}

//proves:docs/security.md
func TestLinkExpiresAndOpensOneFile(t *testing.T) {
	h := newFixture(t)
	h.publish("product", "1.0.0", "one")
	h.publish("other", "1.0.0", "two")
	answer := h.withAllCharts().Get(archivePath).WantStatus(302).WantHeader("Cache-Control", "no-store").
		WantHeader("Content-Length", "0")
	if len(answer.Body) != 0 {
		t.Errorf("the redirect has a body: %q", answer.Body)
	}
	link := answer.Header.Get("Location")
	parsed, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	life, err := time.ParseDuration(parsed.Query().Get("X-Amz-Expires") + "s")
	if err != nil || life <= 0 || life > 5*time.Minute {
		t.Errorf("the link is valid for %v (%v), want at most 5 minutes", life, err)
	}
	for _, changed := range []string{
		strings.Replace(link, "product-1.0.0", "other-1.0.0", 1),
		strings.Replace(link, "archives/product-1.0.0.tgz", "index.yaml", 1),
		strings.Replace(link, "X-Amz-Expires=300", "X-Amz-Expires=3000", 1),
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, changed, nil)
		if err != nil || changed == link {
			t.Fatal(err, changed)
		}
		fetch(t, r, http.StatusForbidden)
	}
}

//proves:docs/security.md
func TestUnlistedFilesAreNotServed(t *testing.T) {
	h := newFixture(t)
	for _, key := range []string{
		"charts/bad-1.0.0.tgz", "charts/bad-1.0.0.tgz.prov", "rejected/bad-1.0.0.tgz", "rejected/bad-1.0.0.tgz.reason.txt",
		"archives/bad-1.0.0.tgz", "archives/product.tgz",
	} {
		h.put(key, []byte("bad"))
	}
	h.list(strings.Repeat("a", 600), "1.0.0", "no name of a chart is as long")
	h.publish("product", "1.0.0", "good")
	helm := h.withAllCharts()
	for _, path := range []string{
		"bad-1.0.0.tgz", "bad-1.0.0.tgz.prov", "bad-1.0.0.tgz.reason.txt", "product.tgz", // none of them is listed
		"product-1.0.0.tgz.prov", // does not exist
		"product-1.0.0.tgz.prov.prov", "product-1.0.0", "product-1.0.0.tar.gz", "product-1.0.1.tgz", "index.yaml.tgz", "index.yaml.prov",
		"Product-1.0.0.tgz", "product-1.0.0.TGZ", "INDEX.YAML", "index.yml", "index.json", ".tgz", "-.tgz", "-1.tgz", "product-.tgz",
		"rejected/bad-1.0.0.tgz", "archives/product-1.0.0.tgz", "rejected%2Fbad-1.0.0.tgz", "..%2Farchives%2Fproduct-1.0.0.tgz",
		"product-1.0.0.tgz%00", "%00", "product-1.0.0.tgz%0d%0aX:%20y", "product-1.0.0.tgz/", "..%5cproduct-1.0.0.tgz", "%2e%2e", "..",
		"./product-1.0.0.tgz", "%ff-1.tgz", "%20product-1.0.0.tgz", "product%2D1.0.0.tgz.tgz", "*", "é-1.0.0.tgz", "product-1.0.0.tgz;a",
		strings.Repeat("a", 300) + "-1.0.0.tgz", strings.Repeat("a", 600) + "-1.0.0.tgz",
		strings.Repeat("a-1", 3000) + ".tgz", "",
	} {
		helm.Get("/charts/"+path).WantStatus(404).WantValue("code", "NOT_FOUND").WantHeader("Location", "")
	}
	helm.Get("/charts").WantStatus(404)
	helm.Get("/charts/product%2D1.0.0.tgz").WantStatus(302) // the same name, escaped
}

func TestOtherMethodsAreRejected(t *testing.T) {
	helm := newFixture(t).withAllCharts()
	for _, path := range []string{indexPath, archivePath, archivePath + ".prov"} {
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch,
			http.MethodOptions, "PROPFIND"} {
			helm.Do(method, path, "").WantStatus(405).WantHeader("Allow", "GET, HEAD").WantValue("code", "METHOD_NOT_ALLOWED")
		}
	}
}

func FuzzFile(f *testing.F) {
	h := newFixture(f)
	h.limit = 0
	h.publish("product", "1.0.0", "one")
	handler := h.handler()
	token, narrowed := h.token("read:helm-charts"), h.token("read:helm-charts:product")
	for _, file := range []string{"product-1.0.0.tgz", "index.yaml", "../x", "\x00", "a%2fb", "-1-1-1.tgz.prov"} {
		f.Add(file, false)
		f.Add(file, true)
	}
	f.Fuzz(func(t *testing.T, file string, whole bool) {
		secret := narrowed
		if whole {
			secret = token
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/charts/", nil)
		r.URL.Path, r.RequestURI = "/charts/"+file, ""
		r.SetBasicAuth("x", secret.Reveal())
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		served := file == "product-1.0.0.tgz" && w.Code == 302 || file == "index.yaml" && w.Code == 200
		refused := w.Code == 404 || w.Code == 403 && !whole
		if !served && !refused {
			t.Errorf("%q: status %d: %s", file, w.Code, w.Body)
		}
	})
}

// logged returns the pulls that f logs.
func logged(tb testing.TB, f func()) []pulls.Pull {
	tb.Helper()
	var lines bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&lines, nil)))
	defer slog.SetDefault(before)
	f()
	var all []pulls.Pull
	for line := range bytes.Lines(lines.Bytes()) {
		pull, is, err := pulls.Read(line)
		if err != nil {
			tb.Errorf("%v: %s", err, line)
		}
		if is {
			all = append(all, pull)
		}
	}
	return all
}

func TestPullsAreLogged(t *testing.T) {
	h := newFixture(t)
	v := h.publish("product", "1.0.0", "one")
	h.put("charts/product-1.0.0.tgz.prov", []byte("signed"))
	token := h.token("read:helm-charts")
	helm := h.withToken(token).With("User-Agent", "Helm/3.22.0")
	got := logged(t, func() { helm.Get(archivePath).WantStatus(302) })
	want := []pulls.Pull{{
		At: h.now, Kind: pulls.Chart, Repository: "product", Reference: "1.0.0", Digest: "sha256:" + v.Digest,
		CredentialID: token.ID(), OwnerID: owner, Address: "192.0.2.1", Client: "Helm/3.22.0", // the address of httptest
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("logged (-want +got):\n%s", diff)
	}
	none := logged(t, func() {
		helm.Get(indexPath).WantStatus(200)
		helm.Do(http.MethodHead, archivePath, "").WantStatus(302)
		helm.Get(archivePath + ".prov").WantStatus(302)
		helm.Get("/charts/product-2.0.0.tgz").WantStatus(404)
		h.withToken(h.token("read:docker-images")).Get(archivePath).WantStatus(403)
		h.anonymous().Get(archivePath).WantStatus(401)
	})
	if len(none) != 0 {
		t.Errorf("other requests were logged as pulls: %+v", none)
	}
}

// TestResponsesContainNoS3Keys searches all responses for the keys of S3. Only presigned links contain the access key,
// and no response contains the secret key.
func TestResponsesContainNoS3Keys(t *testing.T) {
	h := newFixture(t)
	h.publish("product", "1.0.0", "one")
	keys, err := h.files.Options().Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	helm := h.withAllCharts()
	for _, answer := range []webtest.Response{
		helm.Get(indexPath), helm.Get(archivePath), helm.Do(http.MethodHead, archivePath, ""),
		helm.Get("/charts/none-1.0.0.tgz"),
		h.anonymous().Get(archivePath), h.withoutS3().Get(indexPath), h.withoutS3().Get(archivePath),
	} {
		link := answer.Header.Get("Location")
		answer.Header.Del("Location")
		all := reply(t, answer)
		if strings.Contains(all+link, keys.SecretAccessKey) || strings.Contains(all, "X-Amz") ||
			strings.Contains(all, h.bucket) {
			t.Errorf("a response reveals keys or the location of S3: %s", all)
		}
	}
}

// withoutS3 returns a client of a function that cannot reach S3.
func (h *fixture) withoutS3() webtest.Client {
	h.tb.Helper()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	cut := *h
	cut.files = s3.New(h.files.Options(), func(o *s3.Options) { o.BaseEndpoint = aws.String(gone.URL) })
	return cut.withAllCharts()
}

func TestS3OutageGets503(t *testing.T) {
	h := newFixture(t)
	h.publish("product", "1.0.0", "one")
	for _, path := range []string{indexPath, archivePath, archivePath + ".prov"} {
		h.withoutS3().Get(path).WantStatus(503).WantValue("code", "UNAVAILABLE").WantHeader("Retry-After", "1").
			WantHeader("ETag", "")
	}
}
