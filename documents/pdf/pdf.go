// Package pdf makes a document of a PDF.
//
// A PDF says where glyphs go, not what they say in which order. Objects are read when they are asked for (file.go, xref.go,
// objects.go), decrypted if they open without a password (crypt.go), and unpacked (filters.go). Where the tables of a file are
// broken, its objects are looked for (repair.go). Content streams are run as far as text needs it (content.go), then what was
// filled in and noted on the page is added (fields.go); codes become characters (fonts.go, cmap.go, glyphs.go), glyphs become
// words and lines (words.go, lines.go), and pages are cut into columns before anything is put in order (columns.go), for
// sorting lines by height alone mixes the columns of a page. Then rows of cells become tables (tables.go), and lines become
// headings, list items and paragraphs (blocks.go). A page that is a picture goes to whoever can view it (scan.go, picture.go,
// raster.go).
//
// Every file comes from a stranger, and the objects are read by this package and no library because of that: the libraries
// there are build all of a file in memory, many times its size, before anything can be asked. What must stay true: no stream
// is unpacked but through [file.unpacked], which has one budget for the whole document; nothing recurses without a cap, as a
// stack that overflows cannot be recovered from; every walk over objects has a visited set or a cap; operators, glyphs and
// values are counted; what is remembered can be forgotten; and what panics all the same is a damaged file and no crash.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"portside/documents"
)

// maxSize bounds a file, which has to be in memory as a whole.
const maxSize = 64 << 20

// Read is a [media.Reader].
func Read(ctx context.Context, source documents.Source, into *documents.Builder) (err error) {
	defer documents.RecoverPanic(&err)
	data, err := source.Bytes(maxSize)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return documents.ErrEmpty
	}
	f, err := openFile(ctx, data, into.Limits)
	if err != nil {
		return err
	}
	into.Title(f.title())
	pages, err := f.readPages(ctx)
	emitted := f.emit(pages, into)
	if f.lost {
		into.Warn("Parts of the file are damaged or cut short and could not be read.")
	}
	if emitted != nil {
		return emitted
	}
	return verdict(f, pages, err)
}

// verdict is what to say of a file after its pages were read and given on. One without text is no error of the reader: a viewer
// may see more in it.
func verdict(f *file, pages []page, err error) error {
	found := slices.ContainsFunc(pages, func(p page) bool { return len(p.blocks)+len(p.pictures) > 0 })
	switch {
	case err != nil:
		return err
	case f.tooMuch:
		return documents.ErrTooMuch
	case !found && (f.damaged || len(pages) == 0):
		return documents.ErrDamaged
	}
	return nil
}

// settled reports whether another attempt could not change the outcome.
func settled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, documents.ErrEncrypted) || errors.Is(err, documents.ErrTooMuch)
}
