// Package assets serves files that are embedded in the binary: the scripts, styles and images of a page, and documents.
//
// Each file has a version, which is a hash of its content. A request with this version may be cached forever, because a
// file with other content has another version. A request without it is revalidated every time and gets 304 if the file
// has not changed. So a browser never mixes the files of two releases and never downloads a file twice.
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
	"time"

	"portside/shared/web/server"
)

// Files maps names to files. The zero value is empty.
type Files map[string]File

// File is one file, plain or compressed.
type File struct {
	mediaType string
	version   string
	content   []byte
	gzipped   bool
}

// Read reads the named files from a tree. If the tree has name.gz instead of name, clients that accept gzip get the
// compressed file, and others get it decompressed.
func Read(tree fs.FS, names ...string) (Files, error) {
	files := make(Files, len(names))
	for _, name := range names {
		content, err := fs.ReadFile(tree, name)
		gzipped := err != nil
		if gzipped {
			if content, err = fs.ReadFile(tree, name+".gz"); err != nil {
				return nil, fmt.Errorf("asset: %w", err)
			}
		}
		files[path.Base(name)] = newFile(name, content, gzipped)
	}
	return files, nil
}

// New returns a file with the content. Its media type follows from the name.
func New(name string, content []byte) File { return newFile(name, content, false) }

func newFile(name string, content []byte, gzipped bool) File {
	sum := sha256.Sum256(content)
	mediaType, known := mediaTypes[path.Ext(name)]
	if !known {
		mediaType = "application/octet-stream"
	}
	return File{mediaType: mediaType, version: hex.EncodeToString(sum[:8]), content: content, gzipped: gzipped}
}

// mediaTypes are listed here because package mime also reads the tables of the machine, and browsers need exact types.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml; charset=utf-8",
}

// Page reads a page from the tree and replaces each {{name}} by the name and version of that file.
func (f Files) Page(tree fs.FS, name string) ([]byte, error) {
	page, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	for name, file := range f {
		page = bytes.ReplaceAll(page, []byte("{{"+name+"}}"), []byte(name+"?v="+file.version))
	}
	if at := bytes.Index(page, []byte("{{")); at >= 0 {
		return nil, fmt.Errorf("page %s: byte %d names a missing file", name, at)
	}
	return page, nil
}

// ServeHTTP sends the file, or 304 if the client has it.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", f.mediaType)
	header.Set("ETag", `W/"`+f.version+`"`) // weak, because it identifies the compressed and the plain file
	header.Set("Cache-Control", "public, no-cache")
	if r.URL.RawQuery == "v="+f.version {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	content := f.content
	if f.gzipped {
		header.Set("Vary", "Accept-Encoding")
		if server.AcceptsGzip(r.Header.Values("Accept-Encoding")) {
			header.Set("Content-Encoding", "gzip")
		} else {
			content = decompress(content)
		}
	}
	r.Header.Del("Range") // a range of the compressed file is useless
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

func decompress(content []byte) []byte {
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		panic("assets: an embedded file is corrupt: " + err.Error())
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		panic("assets: an embedded file is corrupt: " + err.Error())
	}
	return plain
}
