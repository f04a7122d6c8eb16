package docx

import (
	"bytes"
	"errors"
	"fmt"

	"portside/documents"
	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/parts"
	"portside/documents/text"
)

const (
	maxImported = 32 << 20 // bytes of all imports of a document; a part that is imported twice counts twice
	maxChunks   = 100      // imports of a document
)

// chunk reads a part that the document imports in place of an element altChunk: HTML, RTF, a web archive, plain text or
// another Word document. A part that is missing, damaged or too large is left out with a warning.
func (d *reader) chunk(id string) error {
	related, isKnown := d.related.ByID(id)
	d.chunks++
	if !isKnown || d.chunks > maxChunks {
		return d.a.Tolerate(documents.ErrDamaged)
	}
	data, err := d.a.Bytes(related.Target, maxImported-d.imported)
	d.imported += len(data)
	switch {
	case err != nil:
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		err = d.importDocument(data)
	default:
		err = text.ReadChunk(d.a.Context, data, d.into)
	}
	if err != nil && !errors.Is(err, documents.ErrEmpty) {
		return d.a.Tolerate(fmt.Errorf("import %s: %w", related.Target, err))
	}
	return nil
}

// importDocument reads another Word document, with the budgets of this one. It does not import further documents into
// that one.
func (d *reader) importDocument(data []byte) error {
	if d.isImported {
		return documents.ErrDamaged
	}
	return d.a.Within(data, func(nested *parts.Archive) error {
		const part = "word/document.xml"
		inner, related, err := newReader(nested, part)
		if err != nil {
			return err
		}
		inner.isImported = true
		return inner.document(part, related, flow.ContinuePages(nested))
	})
}
