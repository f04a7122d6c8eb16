package assets_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"portside/shared/web/assets"
)

func readTree(tb testing.TB, files fstest.MapFS, known map[string]string) *assets.Tree {
	tb.Helper()
	tree, err := assets.ReadTree(files, known)
	if err != nil {
		tb.Fatal(err)
	}
	return tree
}

func TestVersionDependsOnEveryFile(t *testing.T) {
	files := func(script, library string) fstest.MapFS {
		return fstest.MapFS{"core/a.js": {Data: []byte(script)}, "vendor/b.js": {Data: []byte(library)}}
	}
	known := func(hash string) map[string]string { return map[string]string{"vendor/b.js": hash} }
	versions := map[string]string{}
	for name, tree := range map[string]*assets.Tree{
		"first":               readTree(t, files("1", "1"), nil),
		"another script":      readTree(t, files("2", "1"), nil),
		"another library":     readTree(t, files("1", "2"), nil),
		"known hash":          readTree(t, files("1", "1"), known("x")),
		"another known hash":  readTree(t, files("1", "1"), known("y")),
		"known, other script": readTree(t, files("2", "1"), known("x")),
	} {
		if other, exists := versions[tree.Version()]; exists {
			t.Errorf("%q and %q have the same version", name, other)
		}
		versions[tree.Version()] = name
	}
}

func TestTreeServesFilesWithKnownHashes(t *testing.T) {
	tree := readTree(t, fstest.MapFS{"vendor/b.js": {Data: []byte(script)}}, map[string]string{"vendor/b.js": "x"})
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
}
