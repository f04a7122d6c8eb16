package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1"
)

// withLogin returns a client that sends the login in the way of container tools.
func (m *customerStack) withLogin(t *testing.T, l login) client {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(l.name, l.password)
	return m.anonymous(t).With("Authorization", r.Header.Get("Authorization"))
}

// sendOCI sends a request and checks the properties of every response of the registry.
func (m *customerStack) sendOCI(c client, method, target string) response {
	c.t.Helper()
	a, err := c.Send(method, target, "")
	if err != nil {
		c.t.Fatal(err)
	}
	m.checkNoLeak(c.t, a.Request(), headerAndBody(a))
	checkRequestID(c.t, a)
	a.WantHeader("Docker-Distribution-Api-Version", "registry/2.0")
	if a.Status == http.StatusUnauthorized {
		a.WantHeader("WWW-Authenticate", `Basic realm="Portside"`)
	}
	if a.Status >= http.StatusBadRequest && method != http.MethodHead {
		a.WantRegistryError()
	}
	return a
}

// headerAndBody returns the header and body of a response as sent.
func headerAndBody(a response) []byte {
	var all bytes.Buffer
	_ = a.Header.Write(&all)
	all.Write(a.Body)
	return all.Bytes()
}

// bigBlob returns the layer that is larger than a function's payload limit.
func (m *customerStack) bigBlob(t *testing.T) v1.Descriptor {
	t.Helper()
	manifest, err := m.images.big.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	return manifest.Layers[0]
}

// redirectTarget returns the target of a redirect, which must be S3.
func (m *customerStack) redirectTarget(t *testing.T, a response) string {
	t.Helper()
	link, err := url.Parse(a.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	if "http://"+link.Host != m.info.S3 || len(a.Body) > 1<<10 {
		t.Errorf("%s redirects to %s with a body of %d bytes, want S3 at %s", a.Request(), link.Host, len(a.Body), m.info.S3)
	}
	return link.String()
}

// fetch requests a presigned link.
func fetch(t *testing.T, method, link, part string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, link, nil)
	if err != nil {
		t.Fatal(err)
	}
	if part != "" {
		r.Header.Set("Range", part)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

func testBlobs(t *testing.T, m *customerStack) {
	c, blob := m.withLogin(t, m.createToken(t, "read:docker-images")), m.bigBlob(t)
	at := "/v2/acme/big/blobs/" + blob.Digest.String()
	link := m.redirectTarget(t, m.sendOCI(c, http.MethodGet, at).WantStatus(http.StatusTemporaryRedirect))
	whole, err := io.ReadAll(fetch(t, http.MethodGet, link, "").Body)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(whole); hex.EncodeToString(sum[:]) != blob.Digest.Hex || len(whole) < bigLayer {
		t.Errorf("the blob has %d bytes with the digest %x", len(whole), sum)
	}

	const from, to = 5_000_000, 5_000_999
	ranged := m.sendOCI(c.With("Range", "bytes=5000000-5000999"), http.MethodGet, at)
	link = m.redirectTarget(t, ranged.WantStatus(http.StatusTemporaryRedirect))
	partial := fetch(t, http.MethodGet, link, "bytes=5000000-5000999")
	part, err := io.ReadAll(partial.Body)
	if err != nil || partial.StatusCode != http.StatusPartialContent || !bytes.Equal(part, whole[from:to+1]) {
		t.Errorf("a range: %s with %d bytes, %v", partial.Status, len(part), err)
	}
	if want := fmt.Sprintf("bytes %d-%d/%d", from, to, len(whole)); partial.Header.Get("Content-Range") != want {
		t.Errorf("Content-Range: %q, want %q", partial.Header.Get("Content-Range"), want)
	}
	many := "bytes=" + strings.Repeat("0-1,", 1500) + "0-1"
	m.sendOCI(c.With("Range", many), http.MethodGet, at).WantStatus(http.StatusTemporaryRedirect)
}

// testHeadRequests checks the sizes and digests in responses to HEAD, on which containerd and oras
// depend.
func testHeadRequests(t *testing.T, m *customerStack) {
	c := m.withLogin(t, m.createToken(t, "read:docker-images"))
	for image, raw := range map[string]interface {
		digester
		RawManifest() ([]byte, error)
	}{"acme/api": m.images.api, "acme/multi": m.images.multi, "acme/big": m.images.big} {
		want, err := raw.RawManifest()
		if err != nil {
			t.Fatal(err)
		}
		digest := digestOf(t, raw)
		for _, reference := range []string{"1.0", digest} {
			at := "/v2/" + image + "/manifests/" + reference
			head := m.sendOCI(c, http.MethodHead, at).WantStatus(http.StatusOK).
				WantHeader("Content-Length", strconv.Itoa(len(want))).WantHeader("Docker-Content-Digest", digest)
			get := m.sendOCI(c, http.MethodGet, at).WantStatus(http.StatusOK).
				WantHeader("Content-Length", strconv.Itoa(len(want))).WantHeader("Docker-Content-Digest", digest).
				WantHeader("Content-Type", head.Header.Get("Content-Type"))
			if !bytes.Equal(get.Body, want) || len(head.Body) > 0 {
				t.Errorf("%s: %d bytes, HEAD %d, want %d", get.Request(), len(get.Body), len(head.Body), len(want))
			}
		}
		m.sendOCI(c, http.MethodHead, "/v2/"+image+"/manifests/none").WantStatus(http.StatusNotFound)
	}
	blob := m.bigBlob(t)
	head := m.sendOCI(c, http.MethodHead, "/v2/acme/big/blobs/"+blob.Digest.String())
	size := head.Header.Get("Content-Length")
	if head.Status == http.StatusTemporaryRedirect {
		size = fetch(t, http.MethodHead, m.redirectTarget(t, head), "").Header.Get("Content-Length")
	}
	if size != strconv.FormatInt(blob.Size, 10) {
		t.Errorf("HEAD returns a size of %s bytes, want %d", size, blob.Size)
	}
}

// testDisconnects disconnects clients during the request, before the response, and during the
// response.
func testDisconnects(t *testing.T, m *customerStack) {
	l := m.createToken(t, "read:docker-images")
	c, blob := m.withLogin(t, l), m.bigBlob(t)
	at := "/v2/acme/big/blobs/" + blob.Digest.String()
	request := "GET %s HTTP/1.1\r\nHost: " + m.host() + "\r\nAuthorization: " + c.Header.Get("Authorization") + "\r\n\r\n"
	for range 10 {
		for _, target := range []string{"/v2/acme/api/manifests/1.0", at} {
			whole := fmt.Sprintf(request, target)
			for _, sent := range []string{whole[:len(whole)-4], whole} {
				conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", m.host())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.WriteString(conn, sent); err != nil {
					t.Error(err)
				}
				_ = conn.Close()
			}
		}
		link := m.redirectTarget(t, m.sendOCI(c, http.MethodGet, at))
		half := fetch(t, http.MethodGet, link, "")
		if _, err := io.CopyN(io.Discard, half.Body, blob.Size/2); err != nil {
			t.Error(err)
		}
		half.Body.Close()
	}
	m.machine(t, l).skopeoInspect(t).wantExit(t, 0)
	link := m.redirectTarget(t, m.sendOCI(c, http.MethodGet, at))
	if n, err := io.Copy(io.Discard, fetch(t, http.MethodGet, link, "").Body); n != blob.Size {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// testUpstreamIsHidden sends many kinds of requests. sendOCI and checkNoLeak look for the
// upstream's address and password in the responses.
func testUpstreamIsHidden(t *testing.T, m *customerStack) {
	images := m.createToken(t, "read:docker-images")
	for _, c := range []client{m.anonymous(t), m.withLogin(t, login{"AWS", "wrong"}), m.anonymous(t).With("Authorization", "Bearer nothing")} {
		m.sendAllRequests(c, func(a response) { a.WantStatus(http.StatusUnauthorized) })
	}
	for _, c := range []client{
		m.withLogin(t, images), m.anonymous(t).With("Authorization", "Bearer "+images.password),
		m.withLogin(t, m.createToken(t, "read:docker-images:acme/*")), m.withLogin(t, m.createToken(t, "read:helm-charts")),
	} {
		m.sendAllRequests(c, func(a response) {
			if a.Status >= http.StatusInternalServerError || a.Status == http.StatusUnauthorized {
				t.Errorf("%s: status %d: %s", a.Request(), a.Status, a.Body)
			}
			if a.Method != http.MethodGet && a.Method != http.MethodHead {
				a.WantStatus(http.StatusMethodNotAllowed).WantHeader("Allow", "GET, HEAD")
			}
		})
	}
	m.sendHostileHeaders(m.withLogin(t, images))
}

func (m *customerStack) sendAllRequests(c client, check func(response)) {
	c.t.Helper()
	charts := []string{
		"/charts/index.yaml", "/charts/anchor-1.0.0.tgz", "/charts/beacon-0.3.0.tgz.prov", "/charts/none-1.0.0.tgz", "/charts/..%2findex.yaml",
	}
	for _, method := range []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	} {
		for _, target := range m.targets(c.t) {
			check(m.sendOCI(c, method, target))
		}
		for _, target := range charts {
			a := c.Do(method, target, "")
			m.checkNoLeak(c.t, a.Request(), headerAndBody(a))
		}
	}
}

// targets returns valid and invalid request targets.
func (m *customerStack) targets(t *testing.T) []string {
	t.Helper()
	none := "sha256:" + strings.Repeat("0", 64)
	return []string{
		"/v2", "/v2/", "/v2/_catalog", "/v2/_catalog?n=1", "/v2/_catalog?n=2&last=acme%2fapi", "/v2/_catalog?n=-1", "/v2/_catalog?n=x",
		"/v2/acme/api/tags/list", "/v2/acme/api/tags/list?n=1", "/v2/acme/api/tags/list?n=1&last=1.0", "/v2/acme/none/tags/list",
		"/v2/acme/api/manifests/1.0", "/v2/acme/api/manifests/none", "/v2/acme/none/manifests/1.0", "/v2/acme/api/manifests/" + none,
		"/v2/acme/api/manifests/" + digestOf(t, m.images.api), "/v2/acme/multi/manifests/1.0", "/v2/charts/compass/manifests/2.0.0",
		"/v2/acme/api/manifests/-bad", "/v2/acme/api/manifests/sha256:short", "/v2/acme/api/manifests/md5:" + strings.Repeat("0", 32),
		"/v2/acme/big/blobs/" + m.bigBlob(t).Digest.String(), "/v2/acme/api/blobs/" + none, "/v2/acme/api/blobs/none",
		"/v2/acme/api/blobs/uploads/", "/v2/acme/api/blobs/uploads/1234", "/v2/acme/api/referrers/" + digestOf(t, m.images.api),
		"/v2/" + strings.Repeat("a/", 200) + "a/tags/list", "/v2/UPPER/tags/list", "/v2/acme%2fapi/manifests/1.0",
		"/v2/acme/../acme/api/manifests/1.0", "/v2/acme/%2e%2e/acme/api/manifests/1.0", "/v2/..%2f..%2fv1/users", "/v2/%00/tags/list",
		"/v2/acme/api/manifests/%ff", "/v2//tags/list", "/v2/acme//api/tags/list", "/v2/acme/api/", "/v2/acme/api/nothing/1.0", "/v2/token",
	}
}

// sendHostileHeaders sends headers that a proxy must neither forward nor trust.
func (m *customerStack) sendHostileHeaders(c client) {
	c.t.Helper()
	targets := []string{
		"/v2/", "/v2/acme/api/manifests/1.0", "/v2/acme/api/tags/list?n=1", "/v2/acme/big/blobs/" + m.bigBlob(c.t).Digest.String(),
	}
	for name, value := range map[string]string{
		"Accept": strings.Repeat("application/vnd.oci.image.index.v1+json,", 100), "X-Forwarded-Host": "evil.example.com",
		"X-Forwarded-Proto": "https", "Forwarded": "host=evil.example.com", "Range": "bytes=9-1", "Connection": "close",
		"Expect": "100-continue", "If-None-Match": `"` + digestOf(c.t, m.images.api) + `"`, "Proxy-Authorization": "Basic QVdTOng=",
		"Origin": "https://evil.example.com",
	} {
		for _, target := range targets {
			a := m.sendOCI(c.With(name, value), http.MethodGet, target)
			if a.Status >= http.StatusBadRequest || strings.Contains(a.Header.Get("Location")+a.Header.Get("Link"), "evil") {
				c.t.Errorf("%s with %s: status %d, %v", a.Request(), name, a.Status, a.Header)
			}
		}
	}
}
