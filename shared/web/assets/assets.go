// Package assets serves files that are part of the binary: the scripts, styles and pictures of a page, and documents.
//
// A file has one address, and a version made of its content. Asked for with that version it may be kept for ever, since
// another content has another address; without, it is asked for again each time and answered 304 while it is the same.
// So no browser ever mixes the files of two releases, and none fetches a file twice.
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
	"strings"
	"time"
)

// Files are files by name. The zero value has none.
type Files map[string]File

// File is one file, plain or compressed.
type File struct {
	mediaType string
	version   string
	content   []byte
	gzipped   bool
}

// Read takes the named files from a tree. Where the tree has name.gz and not name, the file is sent as it is compressed to
// whoever accepts that, and unpacked for everybody else.
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

// New returns a file of its own; name is for its media type.
func New(name string, content []byte) File { return newFile(name, content, false) }

func newFile(name string, content []byte, gzipped bool) File {
	sum := sha256.Sum256(content)
	mediaType, known := mediaTypes[path.Ext(name)]
	if !known {
		mediaType = "application/octet-stream"
	}
	return File{mediaType: mediaType, version: hex.EncodeToString(sum[:8]), content: content, gzipped: gzipped}
}

// mediaTypes are written out since package mime asks the machine's own tables, and browsers are strict.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml",
}

// Page returns a page of the tree, in which {{name}} stands for the name of a file with its version.
func (f Files) Page(tree fs.FS, name string) ([]byte, error) {
	page, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	for name, file := range f {
		page = bytes.ReplaceAll(page, []byte("{{"+name+"}}"), []byte(name+"?v="+file.version))
	}
	if at := bytes.Index(page, []byte("{{")); at >= 0 {
		return nil, fmt.Errorf("page %s: byte %d names a file that is not there", name, at)
	}
	return page, nil
}

// ServeHTTP answers with the file, or 304 where the client has it.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", f.mediaType)
	header.Set("ETag", `W/"`+f.version+`"`) // weak: it stands for both forms
	header.Set("Cache-Control", "public, no-cache")
	if r.URL.RawQuery == "v="+f.version {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	content := f.content
	if f.gzipped {
		header.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Get("Accept-Encoding")) {
			header.Set("Content-Encoding", "gzip")
		} else {
			content = unpack(content)
		}
	}
	r.Header.Del("Range") // ranges of a compressed form would help nobody
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// acceptsGzip reads an Accept-Encoding header (RFC 9110, section 12.5.3).
func acceptsGzip(header string) bool {
	for coding := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			weight = strings.TrimSpace(weight)
			refused := weight != "" && strings.Trim(weight, "q=0.") == "" // q=0, q=0.0 and so on
			return !refused
		}
	}
	return false
}

func unpack(content []byte) []byte {
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		panic("assets: an embedded file is damaged: " + err.Error())
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		panic("assets: an embedded file is damaged: " + err.Error())
	}
	return plain
}
