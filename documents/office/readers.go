// Package office reads office documents and books: the formats that are ZIP archives of XML.
//
// Archives come from strangers, so the readers trust nothing that an archive declares. An [archive] counts the bytes of all parts
// while they are inflated. A [scanner] reads XML without building a tree, and limits the size of a token, the number of tokens and
// the depth. So the code on top of the two may recurse with the elements.
//
// Elements are identified by their local names. This covers the strict and the transitional form of Office Open XML and every
// version of OpenDocument without a table of namespaces. If a format has two elements with the same local name, the prefix
// decides.
//
// Pictures that are large enough to show text are for a viewer, each once and in its place. Pictures of formats that are no pixels are left
// out. Pictures are made ready for the viewer after all text was read.
//
// Only the main part of a document must exist. If another part is missing or damaged, the reader adds a warning and continues.
package office

import (
	"context"
	"errors"
	"fmt"

	"portside/documents"
)

// ReadDOCX reads Word documents. Pages begin at breaks by the author, and where the last program that saved the document broke
// them.
func ReadDOCX(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return read(ctx, file, into, readDOCX)
}

// ReadPPTX reads PowerPoint presentations. Hidden slides are left out.
func ReadPPTX(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return read(ctx, file, into, readPPTX)
}

// ReadXLSX reads Excel workbooks, with the values that the formulas had when the workbook was saved. Hidden sheets are left out.
func ReadXLSX(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return read(ctx, file, into, readXLSX)
}

// ReadODT reads OpenDocument texts.
func ReadODT(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return read(ctx, file, into, readODT)
}

// ReadODS reads OpenDocument spreadsheets. Hidden sheets are left out.
func ReadODS(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return read(ctx, file, into, readODS)
}

// ReadODP reads OpenDocument presentations. Hidden slides are left out.
func ReadODP(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return read(ctx, file, into, readODP)
}

// ReadEPUB reads books. Pages are the documents of the spine, which usually are chapters.
func ReadEPUB(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return read(ctx, file, into, readEPUB)
}

// errLastPage ends a reader without an error, because the Builder takes no more pages.
var errLastPage = errors.New("no more pages are read")

// read opens the archive for a reader and converts its errors to those of package documents.
func read(ctx context.Context, file documents.Source, into *documents.Builder, reader func(*archive) error) (err error) {
	defer documents.RecoverPanic(&err)
	a, err := open(ctx, file, into)
	if err == nil {
		err = reader(a)
		preparePictures(ctx, into)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return inWords(err)
}

func inWords(err error) error {
	switch {
	case err == nil || errors.Is(err, errLastPage):
		return nil
	case documents.AsError(err) != nil:
		return err
	}
	return fmt.Errorf("%w: %w", documents.ErrDamaged, err)
}
