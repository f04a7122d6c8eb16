package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
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
	content   func() ([]byte, error) // reads once, at the first request
	gzipped   func() ([]byte, error) // compresses once, at the first request
}

// ReadTree returns the tree of all files below the root of a file system. known has hashes of files that ReadTree need not
// read, which makes the start faster.
func ReadTree(fsys fs.FS, known map[string]string) (*Tree, error) {
	tree := &Tree{files: map[string]*treeFile{}}
	sum, buffer := sha256.New(), make([]byte, 16<<10)
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		mediaType, isKnown := mediaTypes[path.Ext(name)]
		if !isKnown {
			return fmt.Errorf("%s: unknown media type", name)
		}
		file := newTreeFile(fsys, name, mediaType)
		tree.files[name] = file
		if knownHash := known[name]; knownHash != "" {
			_, _ = fmt.Fprintf(sum, "\x00%s\x00%s\x00", name, knownHash) // never fails
			return nil
		}
		return addChecksum(sum, fsys, name, buffer)
	})
	tree.version = hex.EncodeToString(sum.Sum(nil)[:8])
	if err != nil {
		return nil, fmt.Errorf("assets: %w", err)
	}
	return tree, nil
}

// addChecksum adds the checksum of a file to a hash. A CRC is enough to notice a change, and takes a fifth of the time of
// SHA-256. The function does not keep the content, because each page of memory that a process touches makes its start slower.
func addChecksum(sum hash.Hash, fsys fs.FS, name string, buffer []byte) error {
	file, err := fsys.Open(name)
	if err != nil {
		return err
	}
	crc := crc32.New(castagnoli)
	size, err := io.CopyBuffer(crc, file, buffer)
	_, _ = fmt.Fprintf(sum, "\x00%s\x00%d\x00%08x\x00", name, size, crc.Sum32()) // never fails
	return errors.Join(err, file.Close())
}

// castagnoli is the polynomial for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func newTreeFile(fsys fs.FS, name, mediaType string) *treeFile {
	content := sync.OnceValues(func() ([]byte, error) { return fs.ReadFile(fsys, name) })
	gzipped := sync.OnceValues(func() ([]byte, error) {
		plain, err := content()
		return compress(plain), err
	})
	return &treeFile{mediaType, content, gzipped}
}

// Version returns the version of the tree.
func (t *Tree) Version() string { return t.version }

// Content returns a file, or false if the tree does not have it.
func (t *Tree) Content(name string) ([]byte, bool) {
	file, found := t.files[name]
	if !found {
		return nil, false
	}
	content, err := file.content()
	return content, err == nil
}

// File returns the handler that sends a file of a version, or false if the tree has another version or no such file. Files of
// another version would not fit the files that the page has loaded.
func (t *Tree) File(version, name string) (http.Handler, bool) {
	file, found := t.files[name]
	return file, found && version == t.version
}

// ServeHTTP sends the file. It may be cached forever, because its address has the version.
func (file *treeFile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	read, encoding := file.content, ""
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		read, encoding = file.gzipped, "gzip"
	}
	content, err := read()
	if err != nil {
		panic(err) // the file is a part of the program
	}
	header := w.Header()
	header.Set("Content-Type", file.mediaType)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Vary", "Accept-Encoding")
	if encoding != "" {
		header.Set("Content-Encoding", encoding)
	}
	_, _ = io.Copy(w, bytes.NewReader(content)) // the client may have disconnected
}

func compress(content []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // fails only for an unknown level
	_, _ = w.Write(content)                                 // never fails
	_ = w.Close()
	return out.Bytes()
}
