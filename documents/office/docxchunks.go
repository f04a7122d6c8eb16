package office

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"portside/documents"
	"portside/documents/text"
)

const (
	maxImported = 32 << 20 // bytes of all imports of a document; a part that is imported twice counts twice
	maxChunks   = 100      // imports of a document
)

// chunk reads a part that the document imports in place of an element altChunk: HTML, RTF, a web archive, plain text or another Word
// document. A part that is missing, damaged or too large is left out with a warning.
func (d *docx) chunk(id string) error {
	related, isKnown := d.related.byID(id)
	d.chunks++
	if !isKnown || d.chunks > maxChunks {
		return d.a.tolerate(documents.ErrDamaged)
	}
	data, err := d.a.bytes(related.target, maxImported-d.imported)
	d.imported += len(data)
	switch {
	case err != nil:
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		err = d.importDocument(data)
	default:
		err = text.ReadChunk(d.a.ctx, data, d.into)
	}
	if err != nil && !errors.Is(err, documents.ErrEmpty) {
		return d.a.tolerate(fmt.Errorf("import %s: %w", related.target, err))
	}
	return nil
}

// importDocument reads another Word document, with the budgets of this one. It does not import further documents into that one.
func (d *docx) importDocument(data []byte) error {
	if d.isImported {
		return documents.ErrDamaged
	}
	nested, err := open(d.a.ctx, documents.FromBytes(data), d.into)
	if err != nil {
		return err
	}
	nested.left, nested.tokens = d.a.left, d.a.tokens
	defer func() { d.a.left, d.a.tokens = nested.left, nested.tokens }()
	const part = "word/document.xml"
	inner, related, err := newDOCX(nested, part)
	if err != nil {
		return err
	}
	inner.isImported = true
	return inner.document(part, related, &pages{a: nested, begun: true})
}

// bytes returns the content of a part. If the part has more bytes than the limit, it returns the bytes that it read and ErrDamaged.
func (a *archive) bytes(name string, limit int) ([]byte, error) {
	from, err := a.open(name)
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
