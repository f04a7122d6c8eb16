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
	maxFile      = 256 << 20 // bytes; the directory of a larger archive could fill the memory
	maxDirectory = 16 << 20  // bytes of an archive's directory
)

// archive is a ZIP file. Its budgets apply to all parts together; a part that is read twice counts twice.
type archive struct {
	ctx    context.Context // of the one call that the archive lives for
	into   *documents.Builder
	parts  map[string]*zip.File // by folded name
	left   int64                // bytes that may still be inflated
	tokens int                  // of XML that may still be read

	pictures     map[string]bool // parts that were inspected as pictures, by folded name
	pictureBytes int64           // bytes of pictures that may still be read
	leftOut      bool            // whether the document takes no more pictures and has the warning
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
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // no file is written, so the path does no harm
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	bounded.bounded = false
	if len(directory.File) > into.Limits.Objects {
		return nil, documents.ErrTooMuch
	}
	a := &archive{ctx: ctx, into: into, left: into.Limits.Inflated, tokens: maxTokens,
		pictures: map[string]bool{}, pictureBytes: into.Limits.PictureBytes}
	a.index(directory.File)
	return a, nil
}

// index maps names to parts. If several parts have the same name, the first counts.
func (a *archive) index(files []*zip.File) {
	a.parts = make(map[string]*zip.File, len(files))
	for _, f := range files {
		name := fold(f.Name)
		if _, twice := a.parts[name]; !twice {
			a.parts[name] = f
		}
	}
}

// fold normalizes a name, so that names are equal that Office Open XML treats as equal.
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

// open opens a part. Its bytes count against the limit of inflated bytes.
func (a *archive) open(name string) (*meter, error) {
	return a.openWithin(name, &a.left)
}

// openWithin opens a part. Its bytes count against the limit left.
func (a *archive) openWithin(name string, left *int64) (*meter, error) {
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
	return &meter{ReadCloser: from, ctx: a.ctx, left: left}, nil
}

// walkOptional is walk for an optional part.
func (a *archive) walkOptional(name string, f func(s *scanner, root element) error) error {
	err := a.walk(name, f)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return a.tolerate(err)
}

// tolerate replaces an error about damage by a warning and returns other errors.
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

// meter counts inflated bytes, because the sizes in a header may be false. It also checks the context, because tokens may be long.
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

// refuseContainer returns an error for an OLE container: ErrEncrypted for an encrypted document, ErrUnknown for a document of
// Office before 2007.
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
