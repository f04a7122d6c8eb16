package office

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"portside/documents"
)

const (
	maxFile      = 256 << 20 // bytes; above, what the directory of an archive claims could fill the memory before it is read
	maxDirectory = 16 << 20  // bytes of an archive's directory
)

// archive is a ZIP file that is being read. Its budgets are for all parts together, and for every time that one is opened.
type archive struct {
	ctx    context.Context // of the one call that the archive lives for
	into   *documents.Builder
	parts  map[string]*zip.File // by folded name
	left   int64                // bytes that may still be inflated
	tokens int                  // of XML that may still be read
}

func open(ctx context.Context, file documents.Source, into *documents.Builder) (*archive, error) {
	if file.Size == 0 {
		return nil, documents.ErrEmpty
	}
	if file.Size > maxFile {
		return nil, documents.ErrTooMuch
	}
	if err := refuseContainer(file); err != nil {
		return nil, err
	}
	bounded := &boundedReaderAt{ReaderAt: file, left: maxDirectory, bounded: true}
	directory, err := zip.NewReader(bounded, file.Size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // nothing is written, so a path can do no harm
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	bounded.bounded = false
	if len(directory.File) > into.Limits.Objects {
		return nil, documents.ErrTooMuch
	}
	a := &archive{ctx: ctx, into: into, left: into.Limits.Inflated, tokens: maxTokens}
	a.index(directory.File)
	return a, nil
}

// index keeps the first of several parts with one name.
func (a *archive) index(files []*zip.File) {
	a.parts = make(map[string]*zip.File, len(files))
	for _, f := range files {
		name := fold(f.Name)
		if _, twice := a.parts[name]; !twice {
			a.parts[name] = f
		}
	}
}

// fold makes names equal that Office Open XML holds for equal.
func fold(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "/"))
}

func (a *archive) has(name string) bool {
	_, ok := a.parts[fold(name)]
	return ok
}

// walk calls f with the root element of an XML part. Its error is fs.ErrNotExist if there is no such part.
func (a *archive) walk(name string, f func(s *scanner, root element) error) error {
	from, err := a.open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	s := newScanner(a, from)
	if err := s.content(func(root element) error { return f(s, root) }, nil); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// open opens a part, whose bytes count against the limit of what is inflated.
func (a *archive) open(name string) (*meter, error) {
	if err := a.ctx.Err(); err != nil {
		return nil, err
	}
	a.tokens -= partCosts
	part, ok := a.parts[fold(name)]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	if part.Flags&1 != 0 {
		return nil, documents.ErrEncrypted
	}
	from, err := part.Open()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return &meter{ReadCloser: from, ctx: a.ctx, left: &a.left}, nil
}

// walkOptional is walk for a part that can be missed.
func (a *archive) walkOptional(name string, f func(s *scanner, root element) error) error {
	err := a.walk(name, f)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return a.tolerate(err)
}

// tolerate turns damage into a warning. What remains ends the reading.
func (a *archive) tolerate(err error) error {
	if err == nil || errors.Is(err, errLastPage) || a.ctx.Err() != nil {
		return err
	}
	if errors.Is(inWords(err), documents.ErrDamaged) {
		a.into.Warn("A part of the file is missing or damaged, and was left out.")
		return nil
	}
	return err
}

// meter counts what is inflated: the sizes in a header are claims. It looks at the context, too, for tokens may be long.
type meter struct {
	io.ReadCloser
	ctx  context.Context // of the archive
	left *int64
}

func (m *meter) Read(into []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	if *m.left <= 0 {
		return 0, documents.ErrTooMuch
	}
	n, err := m.ReadCloser.Read(into[:min(int64(len(into)), *m.left)])
	*m.left -= int64(n)
	return n, err
}

// boundedReaderAt bounds what is read of a directory, whose number of entries is a claim too.
type boundedReaderAt struct {
	io.ReaderAt
	left    int
	bounded bool
}

func (b *boundedReaderAt) ReadAt(into []byte, at int64) (int, error) {
	if b.bounded {
		if b.left -= len(into); b.left < 0 {
			return 0, documents.ErrTooMuch
		}
	}
	return b.ReaderAt.ReadAt(into, at)
}

const (
	containerMagic   = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
	encryptedPackage = "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"
)

// refuseContainer tells the container that Office puts an encrypted document in from the one of its formats before 2007.
func refuseContainer(file documents.Source) error {
	magic := make([]byte, len(containerMagic))
	if n, _ := file.ReadAt(magic, 0); n < len(magic) || string(magic) != containerMagic { // too short is none
		return nil
	}
	found, err := contains(file, encryptedPackage)
	if err != nil {
		return fmt.Errorf("search the container: %w", err)
	}
	if found {
		return documents.ErrEncrypted
	}
	return documents.ErrUnknown
}

// contains searches in chunks that overlap by the length of what is sought.
func contains(file documents.Source, sought string) (bool, error) {
	const chunk = 64 << 10
	buffer := make([]byte, chunk+len(sought))
	for at := int64(0); at < file.Size; at += chunk {
		n, err := file.ReadAt(buffer, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if bytes.Contains(buffer[:n], []byte(sought)) {
			return true, nil
		}
	}
	return false, nil
}
