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

	"portside/shared/web/server"
)

// Tree is a tree of files that refer to each other by relative addresses, such as the modules of a web application. The
// tree has one version, which is a part of every address: a browser never mixes files of two releases.
type Tree struct {
	fsys    fs.FS
	version string

	mu    sync.Mutex
	files map[string]*treeFile // those that were requested
}

type treeFile struct {
	mediaType string
	content   []byte
	gzipped   func() []byte // compresses once, at the first request
}

// NewTree returns the tree of all files below the root of a file system. The version must change with every file; see
// [BuildID].
func NewTree(fsys fs.FS, version string) *Tree {
	return &Tree{fsys: fsys, version: version, files: map[string]*treeFile{}}
}

// HashFiles returns a hash of all files below the root of a file system.
func HashFiles(fsys fs.FS) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(fsys, name)
		_, _ = fmt.Fprintf(sum, "%s\x00%d\x00%s", name, len(content), content) // never fails
		return err
	})
	if err != nil {
		return "", fmt.Errorf("assets: %w", err)
	}
	return shorten(sum.Sum(nil)), nil
}

// shorten returns the beginning of a hash as text.
func shorten(sum []byte) string { return hex.EncodeToString(sum[:8]) }

// Version returns the version of the tree.
func (t *Tree) Version() string { return t.version }

// Content returns a file, or false if the tree does not have it.
func (t *Tree) Content(name string) ([]byte, bool) {
	file, found := t.file(name)
	if !found {
		return nil, false
	}
	return file.content, true
}

// File returns the handler that sends a file of a version, or false if the tree has another version or no such file.
// Files of another version would not fit the files that the page has loaded.
func (t *Tree) File(version, name string) (http.Handler, bool) {
	if version != t.version {
		return nil, false
	}
	return t.file(name)
}

// file reads a file at its first request.
func (t *Tree) file(name string) (*treeFile, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if file, isRead := t.files[name]; isRead {
		return file, true
	}
	content, err := fs.ReadFile(t.fsys, name)
	mediaType := mediaTypes[path.Ext(name)]
	if err != nil || mediaType == "" {
		return nil, false
	}
	file := &treeFile{mediaType, content, sync.OnceValue(func() []byte { return compress(content) })}
	t.files[name] = file
	return file, true
}

// ServeHTTP sends the file. It may be cached forever, because its address has the version.
func (file *treeFile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content, header := file.content, w.Header()
	if server.AcceptsGzip(r.Header.Values("Accept-Encoding")) {
		content = file.gzipped()
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("Content-Type", file.mediaType)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Vary", "Accept-Encoding")
	_, _ = io.Copy(w, bytes.NewReader(content)) // the client may have disconnected
}

func compress(content []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // fails only for an unknown level
	_, _ = w.Write(content)                                 // never fails
	_ = w.Close()
	return out.Bytes()
}
