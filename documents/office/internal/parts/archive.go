// Package parts reads the archive and the XML of an office document.
//
// An [Archive] counts the bytes of all parts while they are inflated. A [Scanner] reads XML without building a tree,
// and limits the size of a token, the number of tokens and the depth.
package parts

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
	maxFile      = 256 << 20 // bytes; the directory of a larger archive could fill the memory
	maxDirectory = 16 << 20  // bytes of an archive's directory
)

// Archive is a ZIP file. Its budgets apply to all parts together; a part that is read twice counts twice.
type Archive struct {
	Context context.Context // of the one call that the archive lives for
	Into    *documents.Builder
	// Comments and Objects count the comments and the embedded documents that a reader leaves out.
	Comments, Objects int

	parts  map[string]*zip.File // by folded name
	left   int64                // bytes that may still be inflated
	tokens int                  // of XML that may still be read

	pictures     map[string]bool // parts that were inspected as pictures, by folded name
	pictureBytes int64           // bytes of pictures that may still be read
	leftOut      bool            // whether the document takes no more pictures and has the warning
}

func open(ctx context.Context, file documents.Source, into *documents.Builder) (*Archive, error) {
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
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // no file is written, so the path does no harm
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	bounded.bounded = false
	if len(directory.File) > into.Limits.Objects {
		return nil, documents.ErrTooMuch
	}
	a := &Archive{Context: ctx, Into: into, left: into.Limits.Inflated, tokens: maxTokens,
		pictures: map[string]bool{}, pictureBytes: into.Limits.PictureBytes}
	a.index(directory.File)
	return a, nil
}

// index maps names to parts. If several parts have the same name, the first counts.
func (a *Archive) index(files []*zip.File) {
	a.parts = make(map[string]*zip.File, len(files))
	for _, f := range files {
		name := Fold(f.Name)
		if _, twice := a.parts[name]; !twice {
			a.parts[name] = f
		}
	}
}

// Fold normalizes a name, so that names are equal that Office Open XML treats as equal.
func Fold(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "/"))
}

// Has reports whether the archive has a part.
func (a *Archive) Has(name string) bool {
	_, ok := a.parts[Fold(name)]
	return ok
}

// Walk calls f with the root element of an XML part. Its error is fs.ErrNotExist if the part is missing.
func (a *Archive) Walk(name string, f func(s *Scanner, root Element) error) error {
	from, err := a.Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	s := newScanner(a, from)
	if err := s.Content(func(root Element) error { return f(s, root) }, nil); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// Open opens a part. Its bytes count against the limit of inflated bytes.
func (a *Archive) Open(name string) (io.ReadCloser, error) {
	return a.openWithin(name, &a.left)
}

// openWithin opens a part. Its bytes count against the limit left.
func (a *Archive) openWithin(name string, left *int64) (io.ReadCloser, error) {
	if err := a.Context.Err(); err != nil {
		return nil, err
	}
	a.tokens -= partCosts
	part, ok := a.parts[Fold(name)]
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
	return &meter{ReadCloser: from, ctx: a.Context, left: left}, nil
}

// Within reads another archive, which is a part of this one, with the budgets of this one.
func (a *Archive) Within(data []byte, reader func(nested *Archive) error) error {
	nested, err := open(a.Context, documents.FromBytes(data), a.Into)
	if err != nil {
		return err
	}
	nested.left, nested.tokens = a.left, a.tokens
	defer func() { a.left, a.tokens = nested.left, nested.tokens }()
	return reader(nested)
}

// Bytes returns the content of a part. If the part has more bytes than the limit, it returns the bytes that it read and
// ErrDamaged.
func (a *Archive) Bytes(name string, limit int) ([]byte, error) {
	from, err := a.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", documents.ErrDamaged, err)
	}
	defer from.Close()
	data, err := io.ReadAll(io.LimitReader(from, int64(limit)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(data) > limit:
		return data, fmt.Errorf("%w: %s is too large to import", documents.ErrDamaged, name)
	}
	return data, nil
}

// WalkOptional is walk for an optional part.
func (a *Archive) WalkOptional(name string, f func(s *Scanner, root Element) error) error {
	err := a.Walk(name, f)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return a.Tolerate(err)
}

// Tolerate replaces an error about damage by a warning and returns other errors.
func (a *Archive) Tolerate(err error) error {
	if err == nil || errors.Is(err, ErrLastPage) || a.Context.Err() != nil {
		return err
	}
	if errors.Is(inWords(err), documents.ErrDamaged) {
		a.Into.Warn("A part of the file is missing or damaged, and was left out.")
		return nil
	}
	return err
}

// meter counts inflated bytes, because the sizes in a header may be false. It also checks the context, because tokens
// may be long.
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

// boundedReaderAt limits how many bytes of a directory are read, because its number of entries may be false.
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

// refuseContainer returns an error for an OLE container: ErrEncrypted for an encrypted document, ErrUnknown for a
// document of Office before 2007.
func refuseContainer(file documents.Source) error {
	magic := make([]byte, len(containerMagic))
	if n, _ := file.ReadAt(magic, 0); n < len(magic) || string(magic) != containerMagic { // too short for a container
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

// contains searches the file in chunks, which overlap by the length of the string.
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
