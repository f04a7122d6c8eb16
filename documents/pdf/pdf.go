// Package pdf reads the text and the scanned pages of PDF files.
//
// A file passes through stages. Each is a package that imports only the packages in front of it:
//
//	syntax       bytes → tokens and objects
//	crypt        encrypted strings and streams → plain ones
//	filters      encoded streams → data
//	xref         object numbers → objects; repairs damaged files
//	pages        page tree → pages and their content streams
//	fonts        character codes → text and widths
//	content      content streams → glyphs and images
//	annotations  form fields and notes → glyphs
//	layout       glyphs → words, lines, columns, tables, paragraphs
//	images       images of scanned pages → pictures for a viewer
//
// The XML of an e-invoice (Factur-X, ZUGFeRD) that is embedded in the file comes in front of the pages; package text
// reads it.
//
// All stages share package budget, which bounds the cost of a document, and package geometry.
//
// Files come from strangers, so the package has its own code for objects: libraries build all objects of
// a file in memory, many times its size. These rules must hold in every stage:
//
//   - Streams are decoded by filters.Decoder only, which takes the output from one budget per document.
//   - Every recursion has a maximum depth, because a stack overflow cannot be recovered from.
//   - Every walk over objects has a set of visited objects or a maximum length.
//   - Operators, glyphs and values are counted, and caches are bounded.
//   - A panic becomes documents.ErrDamaged.
package pdf

import (
	"bytes"
	"context"
	"slices"

	"portside/documents"
	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/content"
	"portside/documents/pdf/internal/pages"
	"portside/documents/pdf/internal/xref"
)

// maxFileBytes bounds a file, which has to be in memory as a whole.
const maxFileBytes = 64 << 20

// Read is a [documents.Reader].
func Read(ctx context.Context, source documents.Source, into *documents.Builder) (err error) {
	defer documents.RecoverPanic(&err)
	data, err := source.Bytes(maxFileBytes)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return documents.ErrEmpty
	}
	file, err := open(budget.New(ctx, into.Limits), data)
	if err != nil {
		return err
	}
	into.Title(file.Title())
	if isDynamicForm(file) {
		return errDynamicForm
	}
	if err := addInvoice(ctx, file, into); err != nil {
		return err
	}
	document := content.NewDocument(file)
	found, isIncomplete := pages.List(file, into.Limits.Pages+1)
	file.Damage.Lost = file.Damage.Lost || isIncomplete
	read, readErr := readPages(ctx, file, document, found)
	writeErr := writePages(ctx, file, read, into)
	if file.Damage.Lost {
		into.Warn("Parts of the file are damaged or cut short and could not be read.")
	}
	warnOfEnclosed(file, found, into)
	if document.LacksText() {
		into.Warn(warningFonts)
	}
	switch {
	case writeErr != nil:
		return writeErr
	case readErr != nil:
		return readErr
	}
	return checkFound(file, read)
}

// open finds the objects of a file. It repairs a file whose tables are broken or lead to no page.
func open(b *budget.Budget, data []byte) (*xref.File, error) {
	file := xref.New(b, data)
	err := file.ReadTables()
	if budget.IsFinal(err) {
		return nil, err
	}
	if err != nil || !pages.Exist(file) {
		err = file.Repair()
	}
	return file, err
}

// checkFound returns an error if a file is damaged or too large and nothing could be read. A sound file
// without text is not an error: a viewer may see more in it.
func checkFound(file *xref.File, read []page) error {
	isFound := slices.ContainsFunc(read, func(p page) bool { return len(p.blocks)+len(p.scans) > 0 })
	switch {
	case file.Damage.TooLarge:
		return documents.ErrTooMuch
	case !isFound && (file.Damage.Found || len(read) == 0):
		return documents.ErrDamaged
	}
	return nil
}
