package assets_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"portside/shared/web/assets"
)

const script = "addEventListener('load', () => {})\n"

func tree(tb testing.TB) fstest.MapFS {
	tb.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(script)); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return fstest.MapFS{"a/plain.js": {Data: []byte(script)}, "a/compressed.js.gz": {Data: packed.Bytes()}}
}

func read(tb testing.TB) assets.Files {
	tb.Helper()
	files, err := assets.Read(tree(tb), "a/plain.js", "a/compressed.js")
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

func get(tb testing.TB, file assets.File, target string, header ...string) *httptest.ResponseRecorder {
	tb.Helper()
	r := httptest.NewRequestWithContext(tb.Context(), http.MethodGet, target, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	file.ServeHTTP(w, r)
	return w
}

func TestTextsHaveACharset(t *testing.T) {
	for name, want := range map[string]string{
		"a.css": "text/css; charset=utf-8", "a.html": "text/html; charset=utf-8", "a.js": "text/javascript; charset=utf-8",
		"a.svg": "image/svg+xml; charset=utf-8", "a.json": "application/json", "a.png": "image/png",
	} {
		if got := get(t, assets.New(name, []byte("x")), "/"+name).Header().Get("Content-Type"); got != want {
			t.Errorf("%s has the type %q, want %q", name, got, want)
		}
	}
}

func TestFileIsDecompressedUnlessTheClientAcceptsGzip(t *testing.T) {
	files := read(t)
	for accept, want := range map[string]string{
		"": "", "gzip": "gzip", "br, GZIP;q=0.5": "gzip", "gzip;q=0": "", "gzip; q=0.000, br": "", "x-gzip": "gzip", "gzip;q=1": "gzip",
	} {
		w := get(t, files["compressed.js"], "/compressed.js", "Accept-Encoding", accept)
		if got := w.Header().Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: Content-Encoding is %q, want %q", accept, got, want)
		}
		body := io.Reader(w.Body)
		if want == "gzip" {
			unpacked, err := gzip.NewReader(body)
			if err != nil {
				t.Fatal(err)
			}
			body = unpacked
		}
		content, err := io.ReadAll(body)
		if err != nil || string(content) != script {
			t.Errorf("Accept-Encoding %q: content %q, %v", accept, content, err)
		}
		if got := w.Header().Get("Vary"); got != "Accept-Encoding" {
			t.Errorf("Vary is %q", got)
		}
	}
}

func TestAddressWithVersionIsCachedForever(t *testing.T) {
	files := read(t)
	pages := fstest.MapFS{"page.html": {Data: []byte(`{{plain.js}}`)}}
	address, err := files.Page(pages, "page.html")
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"/" + string(address): "public, max-age=31536000, immutable",
		"/plain.js":           "public, no-cache",
		"/plain.js?v=old":     "public, no-cache",
	} {
		w := get(t, files["plain.js"], target)
		if got := w.Header().Get("Cache-Control"); w.Code != http.StatusOK || got != want {
			t.Errorf("%s: %d with Cache-Control %q, want %q", target, w.Code, got, want)
		}
		if got := w.Header().Get("Content-Type"); got != "text/javascript; charset=utf-8" {
			t.Errorf("%s: Content-Type %q", target, got)
		}
	}
}

func TestUnchangedFileGets304(t *testing.T) {
	for name, file := range read(t) {
		tag := get(t, file, "/"+name).Header().Get("ETag")
		w := get(t, file, "/"+name, "If-None-Match", `"other", `+tag)
		if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
			t.Errorf("%s: %d with %d bytes for the tag %s", name, w.Code, w.Body.Len(), tag)
		}
	}
}

func TestVersionDependsOnContent(t *testing.T) {
	a, b := assets.New("a.css", []byte("a")), assets.New("a.css", []byte("b"))
	if get(t, a, "/").Header().Get("ETag") == get(t, b, "/").Header().Get("ETag") {
		t.Error("files with different content have the same ETag")
	}
}

func TestMissingFileIsAnError(t *testing.T) {
	if _, err := assets.Read(tree(t), "a/none.js"); err == nil {
		t.Error("reading a missing file succeeded")
	}
	pages := fstest.MapFS{"page.html": {Data: []byte(`{{none.js}}`)}}
	if _, err := read(t).Page(pages, "page.html"); err == nil {
		t.Error("a page that names a missing file was accepted")
	}
}
