package assets_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"portside/shared/web/assets"
)

func TestHashDependsOnEveryFile(t *testing.T) {
	hashes := map[string]string{}
	for name, files := range map[string]fstest.MapFS{
		"first":           {"core/a.js": {Data: []byte("1")}, "b.js": {Data: []byte("1")}},
		"another content": {"core/a.js": {Data: []byte("1")}, "b.js": {Data: []byte("2")}},
		"another name":    {"core/a.js": {Data: []byte("1")}, "c.js": {Data: []byte("1")}},
		"one file less":   {"core/a.js": {Data: []byte("1")}},
	} {
		hash, err := assets.HashFiles(files)
		if other, exists := hashes[hash]; exists || err != nil {
			t.Errorf("%q and %q have the same hash, error %v", name, other, err)
		}
		hashes[hash] = name
	}
}

func TestTreeServesItsFiles(t *testing.T) {
	tree := assets.NewTree(fstest.MapFS{"vendor/b.js": {Data: []byte(script)}, "vendor/c.unknown": {}}, "v1")
	for encoding, want := range map[string]string{"": "", "gzip": "gzip"} {
		file, found := tree.File(tree.Version(), "vendor/b.js")
		if !found {
			t.Fatal("the tree does not have the file")
		}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		request.Header.Set("Accept-Encoding", encoding)
		reply := httptest.NewRecorder()
		file.ServeHTTP(reply, request)
		if got := reply.Header().Get("Content-Encoding"); got != want || reply.Body.Len() == 0 {
			t.Errorf("%d bytes with the encoding %q, want %q", reply.Body.Len(), got, want)
		}
	}
	if _, found := tree.File("another", "vendor/b.js"); found {
		t.Error("the tree has files of another version")
	}
	for _, name := range []string{"vendor/c.js", "vendor/c.unknown", "../vendor/b.js", "/vendor/b.js", "vendor", ""} {
		if _, found := tree.File(tree.Version(), name); found {
			t.Errorf("the tree has the file %q", name)
		}
	}
}
