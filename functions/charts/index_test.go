package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"portside/shared/charts"
	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
)

const indexPath = "/charts/index.yaml"

func TestIndexIsEmptyAtFirst(t *testing.T) {
	helm := newFixture(t).withAllCharts()
	empty := helm.Get(indexPath).WantStatus(200).WantHeader("Content-Type", "application/yaml").
		WantValue("apiVersion", "v1")
	if entries, ok := empty.JSON("entries").(map[string]any); !ok || len(entries) != 0 {
		t.Errorf("the empty index lists %v", empty.JSON("entries"))
	}
	helm.With("If-None-Match", empty.Header.Get("ETag")).Get(indexPath).WantStatus(304)
}

func TestIndexShowsNewCharts(t *testing.T) {
	h := newFixture(t)
	helm := h.withAllCharts()
	helm.Get(indexPath).WantStatus(200)
	h.publish("product", "1.0.0", "one")
	first := helm.Get(indexPath).WantStatus(200).WantValue("entries.product.0.version", "1.0.0").
		WantHeader("Cache-Control", "private, no-cache").WantHeader("Vary", "Accept-Encoding, Authorization")
	h.publish("product", "1.1.0", "two")
	known := helm.With("If-None-Match", first.Header.Get("ETag"))
	second := known.Get(indexPath).WantStatus(200).WantValue("entries.product.0.version", "1.1.0").
		WantValue("entries.product.1.version", "1.0.0")
	if second.Header.Get("ETag") == first.Header.Get("ETag") {
		t.Error("a changed index has the same ETag")
	}
	known.With("If-None-Match", second.Header.Get("ETag")).Get(indexPath).WantStatus(304)
	if again := h.withAllCharts().Get(indexPath).WantStatus(200); again.Header.Get("ETag") != second.Header.Get("ETag") {
		t.Error("another process has a different ETag for the same index")
	}
}

func TestUnchangedIndexGets304(t *testing.T) {
	h := newFixture(t)
	h.publish("product", "1.0.0", "one")
	helm := h.withAllCharts()
	tag := helm.Get(indexPath).Header.Get("ETag")
	for condition, status := range map[string]int{
		tag: 304, "W/" + tag: 304, `"other", ` + tag: 304, "*": 304,
		`"other"`: 200, strings.Trim(tag, `"`): 200, "": 200, ",,": 200,
	} {
		response := helm.With("If-None-Match", condition).Get(indexPath).WantStatus(status)
		response.WantHeader("ETag", tag).WantHeader("Cache-Control", "private, no-cache").
			WantHeader("Vary", "Accept-Encoding, Authorization")
		if status == 304 && len(response.Body) > 0 {
			t.Errorf("a 304 has a body of %d bytes", len(response.Body))
		}
	}
}

func TestHeadOfTheIndex(t *testing.T) {
	h := newFixture(t)
	h.publish("product", "1.0.0", "one")
	helm := h.withAllCharts()
	get := helm.Get(indexPath).WantStatus(200)
	head := helm.Do(http.MethodHead, indexPath, "").WantStatus(200)
	// API Gateway computes the length from the body and does not send it.
	if !bytes.Equal(head.Body, get.Body) || head.Header.Get("Content-Length") != strconv.Itoa(len(get.Body)) {
		t.Errorf("HEAD has %d bytes and Content-Length %s; GET has %d bytes",
			len(head.Body), head.Header.Get("Content-Length"), len(get.Body))
	}
	head.WantHeader("ETag", get.Header.Get("ETag")).WantHeader("Content-Type", "application/yaml")
}

func TestIndexInGzip(t *testing.T) {
	h := newFixture(t)
	helm := h.withAllCharts()
	packing := helm.With("Accept-Encoding", "br, gzip")
	packing.Get(indexPath).WantStatus(200).WantHeader("Content-Encoding", "") // too small to compress
	for i := range 10 {
		h.list("product", fmt.Sprintf("1.%d.0", i), "same")
	}
	h.putIndex()
	plain := helm.Get(indexPath).WantStatus(200).WantHeader("Content-Encoding", "")
	packed := packing.Get(indexPath).WantStatus(200).WantHeader("Content-Encoding", "gzip").
		WantHeader("Content-Type", "application/yaml").WantHeader("Vary", "Accept-Encoding, Authorization")
	if got := unpack(t, packed); !bytes.Equal(got, plain.Body) {
		t.Errorf("the decompressed index has %d bytes, want %d", len(got), len(plain.Body))
	}
	packed.WantHeader("Content-Length", strconv.Itoa(len(packed.Body)))
	tag, other := packed.Header.Get("ETag"), plain.Header.Get("ETag")
	if tag == other {
		t.Error("the compressed and the plain index have the same strong ETag")
	}
	packing.With("If-None-Match", tag).Get(indexPath).WantStatus(304).WantHeader("ETag", tag)
	packing.With("If-None-Match", "W/"+tag).Get(indexPath).WantStatus(304)
	packing.With("If-None-Match", other).Get(indexPath).WantStatus(200)
	packing.With("If-None-Match", other+", "+tag).Get(indexPath).WantStatus(304).WantHeader("ETag", tag)
	helm.With("Accept-Encoding", "gzip;q=0, *").Get(indexPath).WantHeader("Content-Encoding", "")
}

func unpack(tb testing.TB, response webtest.Response) []byte {
	tb.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(response.Body))
	if err != nil {
		tb.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// publishLargeCharts adds charts of 1 MB each to the index, which gzip cannot compress.
func (h *fixture) publishLargeCharts(names ...string) {
	h.tb.Helper()
	source := rand.NewChaCha8([32]byte{1})
	for _, name := range names {
		v := h.list(name, "1.0.0", "much")
		text := make([]byte, 3<<18)
		_, _ = source.Read(text) // never fails
		v.Metadata = fmt.Appendf(nil, `{"apiVersion":"v2","description":"%x","name":%q,"version":"1.0.0"}`, text, name)
		if _, err := h.listed.Set(v); err != nil {
			h.tb.Fatal(err)
		}
	}
	h.putIndex()
}

func TestLargeIndexIsRedirectedToS3(t *testing.T) {
	h := newFixture(t)
	h.publishLargeCharts("a", "b", "c")
	whole := h.withAllCharts()
	redirected := whole.Get(indexPath).WantStatus(302).WantHeader("Cache-Control", "no-store").
		WantHeader("Content-Length", "0").WantHeader("ETag", "")
	want, err := h.listed.Encode(h.now)
	if err != nil {
		t.Fatal(err)
	}
	got, header := h.follow(http.MethodGet, redirected.Header.Get("Location"))
	if !bytes.Equal(got, want) || header.Get("Content-Type") != "application/yaml" {
		t.Errorf("the redirect returns %d bytes of %s, want the index of %d bytes", len(got), header.Get("Content-Type"),
			len(want))
	}
	head := whole.Do(http.MethodHead, indexPath, "").WantStatus(302)
	if _, header := h.follow(http.MethodHead,
		head.Header.Get("Location")); header.Get("Content-Length") != strconv.Itoa(len(want)) {
		t.Errorf("HEAD has Content-Length %s, want %d", header.Get("Content-Length"), len(want))
	}
	packed := whole.With("Accept-Encoding", "gzip").Get(indexPath).WantStatus(200)
	if !bytes.Equal(unpack(t, packed), want) {
		t.Error("the decompressed index is different")
	}
	two := h.withToken(h.token("read:helm-charts:a", "read:helm-charts:b"))
	if got := two.Get(indexPath).WantStatus(200).WantValue("entries.c", nil); len(got.Body) > maxSentBytes {
		t.Errorf("%d bytes were sent", len(got.Body))
	}
	three := h.withToken(h.token("read:helm-charts:a", "read:helm-charts:b", "read:helm-charts:c"))
	three.Get(indexPath).WantStatus(503).WantValue("code", "UNAVAILABLE").WantHeader("X-Should-Retry", "false").
		WantHeader("Location", "")
	three.With("Accept-Encoding", "gzip").Get(indexPath).WantStatus(200)
}

//proves:docs/security.md
func TestCorruptIndexGets500(t *testing.T) {
	h := newFixture(t)
	for _, damage := range []string{"{", "null", "garbage", `{"entries":{"ok":7}}`} {
		h.put(charts.IndexKey, []byte(damage))
		for _, token := range []credentials.Secret{h.token("read:helm-charts"), h.token("read:helm-charts:product")} {
			for _, path := range []string{indexPath, "/charts/product-1.0.0.tgz", "/charts/product-1.0.0.tgz.prov"} {
				h.withToken(token).Get(path).WantStatus(503).WantValue("code", "UNAVAILABLE").WantHeader("Retry-After", "1").
					WantHeader("ETag", "").
					WantHeader("Location", "")
			}
		}
	}
}
