package distribution

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

	"portside/local/e2e/e2etest"
)

// bigBlob returns the layer that is larger than a function's payload limit.
func (m shop) bigBlob(t *testing.T) v1.Descriptor {
	t.Helper()
	manifest, err := m.images.big.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	return manifest.Layers[0]
}

// redirectTarget returns the target of a redirect, which must be S3.
func (m shop) redirectTarget(t *testing.T, a e2etest.Response) string {
	t.Helper()
	link, err := url.Parse(a.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	if "http://"+link.Host != m.Info.S3 || len(a.Body) > 1<<10 {
		t.Errorf("%s redirects to %s with a body of %d bytes, want S3 at %s", a.Request(), link.Host, len(a.Body), m.Info.S3)
	}
	return link.String()
}

//proves:docs/security.md
func TestBlobsComeFromS3(t *testing.T) {
	m := newShop(t)
	c, blob := m.WithLogin(t, m.createToken(t, "read:docker-images")), m.bigBlob(t)
	at := "/v2/harbor/big/blobs/" + blob.Digest.String()
	link := m.redirectTarget(t, m.SendOCI(c, http.MethodGet, at).WantStatus(http.StatusTemporaryRedirect))
	whole, err := io.ReadAll(e2etest.Fetch(t, http.MethodGet, link, "").Body)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(whole); hex.EncodeToString(sum[:]) != blob.Digest.Hex || len(whole) < bigLayer {
		t.Errorf("the blob has %d bytes with the digest %x", len(whole), sum)
	}

	const from, to = 5_000_000, 5_000_999
	ranged := m.SendOCI(c.With("Range", "bytes=5000000-5000999"), http.MethodGet, at)
	link = m.redirectTarget(t, ranged.WantStatus(http.StatusTemporaryRedirect))
	partial := e2etest.Fetch(t, http.MethodGet, link, "bytes=5000000-5000999")
	part, err := io.ReadAll(partial.Body)
	if err != nil || partial.StatusCode != http.StatusPartialContent || !bytes.Equal(part, whole[from:to+1]) {
		t.Errorf("a range: %s with %d bytes, %v", partial.Status, len(part), err)
	}
	if want := fmt.Sprintf("bytes %d-%d/%d", from, to, len(whole)); partial.Header.Get("Content-Range") != want {
		t.Errorf("Content-Range: %q, want %q", partial.Header.Get("Content-Range"), want)
	}
	many := "bytes=" + strings.Repeat("0-1,", 1500) + "0-1"
	m.SendOCI(c.With("Range", many), http.MethodGet, at).WantStatus(http.StatusTemporaryRedirect)
}

// TestHeadRequests checks the sizes and digests in responses to HEAD, on which containerd and oras
// depend.
func TestHeadRequests(t *testing.T) {
	m := newShop(t)
	c := m.WithLogin(t, m.createToken(t, "read:docker-images"))
	for image, raw := range map[string]interface {
		digester
		RawManifest() ([]byte, error)
	}{"harbor/api": m.images.api, "harbor/multi": m.images.multi, "harbor/big": m.images.big} {
		want, err := raw.RawManifest()
		if err != nil {
			t.Fatal(err)
		}
		digest := digestOf(t, raw)
		for _, reference := range []string{"1.0", digest} {
			at := "/v2/" + image + "/manifests/" + reference
			head := m.SendOCI(c, http.MethodHead, at).WantStatus(http.StatusOK).
				WantHeader("Content-Length", strconv.Itoa(len(want))).WantHeader("Docker-Content-Digest", digest)
			get := m.SendOCI(c, http.MethodGet, at).WantStatus(http.StatusOK).
				WantHeader("Content-Length", strconv.Itoa(len(want))).WantHeader("Docker-Content-Digest", digest).
				WantHeader("Content-Type", head.Header.Get("Content-Type"))
			if !bytes.Equal(get.Body, want) || len(head.Body) > 0 {
				t.Errorf("%s: %d bytes, HEAD %d, want %d", get.Request(), len(get.Body), len(head.Body), len(want))
			}
		}
		m.SendOCI(c, http.MethodHead, "/v2/"+image+"/manifests/none").WantStatus(http.StatusNotFound)
	}
	config, err := m.images.api.RawConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	name, err := m.images.api.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	m.SendOCI(c, http.MethodHead, "/v2/harbor/api/blobs/"+name.String()).WantStatus(http.StatusOK).
		WantHeader("Content-Length", strconv.Itoa(len(config)))

	at := "/v2/harbor/big/blobs/" + m.bigBlob(t).Digest.String()
	m.SendOCI(c, http.MethodHead, at).WantStatus(http.StatusMethodNotAllowed).WantHeader("Allow", "GET")
	first := e2etest.Fetch(t, http.MethodGet, m.redirectTarget(t, m.SendOCI(c, http.MethodGet, at)), "bytes=0-0")
	if size := first.Header.Get("Content-Range"); size != fmt.Sprintf("bytes 0-0/%d", m.bigBlob(t).Size) {
		t.Errorf("the first byte is %s", size)
	}
}

// TestClientsDisconnect disconnects clients during the request, before the response, and during the
// response.
func TestClientsDisconnect(t *testing.T) {
	m := newShop(t)
	l := m.createToken(t, "read:docker-images")
	c, blob := m.WithLogin(t, l), m.bigBlob(t)
	at := "/v2/harbor/big/blobs/" + blob.Digest.String()
	request := "GET %s HTTP/1.1\r\nHost: " + m.Host() + "\r\nAuthorization: " + c.Header.Get("Authorization") + "\r\n\r\n"
	for range 10 {
		for _, target := range []string{"/v2/harbor/api/manifests/1.0", at} {
			whole := fmt.Sprintf(request, target)
			for _, sent := range []string{whole[:len(whole)-4], whole} {
				conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", m.Host())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.WriteString(conn, sent); err != nil {
					t.Error(err)
				}
				_ = conn.Close()
			}
		}
		link := m.redirectTarget(t, m.SendOCI(c, http.MethodGet, at))
		half := e2etest.Fetch(t, http.MethodGet, link, "")
		if _, err := io.CopyN(io.Discard, half.Body, blob.Size/2); err != nil {
			t.Error(err)
		}
		half.Body.Close()
	}
	m.machine(t, l).skopeoInspect(t).WantExit(t, 0)
	link := m.redirectTarget(t, m.SendOCI(c, http.MethodGet, at))
	if n, err := io.Copy(io.Discard, e2etest.Fetch(t, http.MethodGet, link, "").Body); n != blob.Size {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// TestUpstreamIsHidden sends many kinds of requests. sendOCI and checkNoLeak look for the
// upstream's address and password in the responses.
//
//proves:docs/security.md
func TestUpstreamIsHidden(t *testing.T) {
	m := newShop(t)
	images := m.createToken(t, "read:docker-images")
	for _, c := range []e2etest.Client{m.Anonymous(t), m.WithLogin(t, login("AWS", "wrong")), m.WithToken(t, "nothing")} {
		m.sendAllRequests(t, c, func(a e2etest.Response) { a.WantStatus(http.StatusUnauthorized) })
	}
	for _, c := range []e2etest.Client{
		m.WithLogin(t, images), m.WithToken(t, images.Password),
		m.WithLogin(t, m.createToken(t, "read:docker-images:harbor/*")), m.WithLogin(t, m.createToken(t, "read:helm-charts")),
	} {
		m.sendAllRequests(t, c, func(a e2etest.Response) {
			if a.Status >= http.StatusInternalServerError || a.Status == http.StatusUnauthorized {
				t.Errorf("%s: status %d: %s", a.Request(), a.Status, a.Body)
			}
			if a.Method != http.MethodGet && a.Method != http.MethodHead {
				a.WantStatus(http.StatusMethodNotAllowed).WantHeader("Allow", "GET, HEAD")
			}
		})
	}
	m.sendHostileHeaders(t, m.WithLogin(t, images))
}

func (m shop) sendAllRequests(t *testing.T, c e2etest.Client, check func(e2etest.Response)) {
	t.Helper()
	charts := []string{
		"/charts/index.yaml", "/charts/anchor-1.0.0.tgz", "/charts/beacon-0.3.0.tgz.prov", "/charts/none-1.0.0.tgz", "/charts/..%2findex.yaml",
	}
	for _, method := range []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	} {
		for _, target := range m.targets(t) {
			check(m.SendOCI(c, method, target))
		}
		for _, target := range charts {
			a := c.Do(method, target, "")
			m.CheckNoLeak(t, a.Request(), e2etest.HeaderAndBody(a))
		}
	}
}

// targets returns valid and invalid request targets.
func (m shop) targets(t *testing.T) []string {
	t.Helper()
	none := "sha256:" + strings.Repeat("0", 64)
	return []string{
		"/v2", "/v2/", "/v2/_catalog", "/v2/_catalog?n=1", "/v2/_catalog?n=2&last=acme%2fapi", "/v2/_catalog?n=-1", "/v2/_catalog?n=x",
		"/v2/harbor/api/tags/list", "/v2/harbor/api/tags/list?n=1", "/v2/harbor/api/tags/list?n=1&last=1.0", "/v2/acme/none/tags/list",
		"/v2/harbor/api/manifests/1.0", "/v2/harbor/api/manifests/none", "/v2/acme/none/manifests/1.0",
		"/v2/harbor/api/manifests/" + none,
		"/v2/harbor/api/manifests/" + digestOf(t, m.images.api), "/v2/harbor/multi/manifests/1.0", "/v2/charts/compass/manifests/2.0.0",
		"/v2/harbor/api/manifests/-bad", "/v2/harbor/api/manifests/sha256:short",
		"/v2/harbor/api/manifests/md5:" + strings.Repeat("0", 32),
		"/v2/harbor/big/blobs/" + m.bigBlob(t).Digest.String(), "/v2/harbor/api/blobs/" + none, "/v2/harbor/api/blobs/none",
		"/v2/harbor/api/blobs/uploads/", "/v2/harbor/api/blobs/uploads/1234",
		"/v2/harbor/api/referrers/" + digestOf(t, m.images.api),
		"/v2/" + strings.Repeat("a/", 200) + "a/tags/list", "/v2/UPPER/tags/list", "/v2/acme%2fapi/manifests/1.0",
		"/v2/acme/../harbor/api/manifests/1.0", "/v2/acme/%2e%2e/harbor/api/manifests/1.0", "/v2/..%2f..%2fv1/users", "/v2/%00/tags/list",
		"/v2/harbor/api/manifests/%ff", "/v2//tags/list", "/v2/acme//api/tags/list", "/v2/harbor/api/", "/v2/harbor/api/nothing/1.0", "/v2/tokens",
	}
}

// sendHostileHeaders sends headers that a proxy must neither forward nor trust.
func (m shop) sendHostileHeaders(t *testing.T, c e2etest.Client) {
	t.Helper()
	targets := []string{
		"/v2/", "/v2/harbor/api/manifests/1.0", "/v2/harbor/api/tags/list?n=1", "/v2/harbor/big/blobs/" + m.bigBlob(t).
			Digest.String(),
	}
	for name, value := range map[string]string{
		"Accept": strings.Repeat("application/vnd.oci.image.index.v1+json,", 100), "X-Forwarded-Host": "evil.example.com",
		"X-Forwarded-Proto": "https", "Forwarded": "host=evil.example.com", "Range": "bytes=9-1", "Connection": "close",
		"Expect": "100-continue", "If-None-Match": `"` + digestOf(t, m.images.api) + `"`, "Proxy-Authorization": "Basic QVdTOng=",
		"Origin": "https://evil.example.com",
	} {
		for _, target := range targets {
			a := m.SendOCI(c.With(name, value), http.MethodGet, target)
			if a.Status >= http.StatusBadRequest || strings.Contains(a.Header.Get("Location")+a.Header.Get("Link"), "evil") {
				t.Errorf("%s with %s: status %d, %v", a.Request(), name, a.Status, a.Header)
			}
		}
	}
}
