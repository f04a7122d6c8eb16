package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"sync"
)

// Tree is a tree of files that refer to each other by relative addresses, such as the modules of a web application. The tree
// has one version, a hash of all its files, which is a part of every address: a browser never mixes files of two releases.
type Tree struct {
	version string
	files   map[string]*treeFile
}

type treeFile struct {
	mediaType string
	content   []byte
	gzipped   func() []byte // compresses once, at the first request
}

// ReadTree reads all files below the root of a file system.
func ReadTree(fsys fs.FS) (*Tree, error) {
	tree := &Tree{files: map[string]*treeFile{}}
	sum := sha256.New()
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		mediaType, known := mediaTypes[path.Ext(name)]
		if !known {
			return fmt.Errorf("%s: unknown media type", name)
		}
		content, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		sum.Write(fmt.Appendf(nil, "%s\x00%d\x00", name, len(content)))
		sum.Write(content)
		tree.files[name] = &treeFile{mediaType, content, sync.OnceValue(func() []byte { return compress(content) })}
		return nil
	})
	tree.version = hex.EncodeToString(sum.Sum(nil)[:8])
	if err != nil {
		return nil, fmt.Errorf("assets: %w", err)
	}
	return tree, nil
}

// Version returns the version of the tree.
func (t *Tree) Version() string { return t.version }

// Content returns a file, or false if the tree does not have it.
func (t *Tree) Content(name string) ([]byte, bool) {
	file, found := t.files[name]
	if !found {
		return nil, false
	}
	return file.content, true
}

// File returns the handler that sends a file of a version, or false if the tree has another version or no such file. Files of
// another version would not fit those that the page has loaded.
func (t *Tree) File(version, name string) (http.Handler, bool) {
	file, found := t.files[name]
	return file, found && version == t.version
}

// ServeHTTP sends the file. It may be cached forever, because its address has the version.
func (file *treeFile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", file.mediaType)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Vary", "Accept-Encoding")
	content := file.content
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		header.Set("Content-Encoding", "gzip")
		content = file.gzipped()
	}
	_, _ = io.Copy(w, bytes.NewReader(content)) // the client may have disconnected
}

func compress(content []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // fails only for an unknown level
	_, _ = w.Write(content)                                 // a bytes.Buffer takes everything
	_ = w.Close()
	return out.Bytes()
}
