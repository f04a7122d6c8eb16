// Package office reads office documents and books: the formats that are ZIP archives of XML.
//
// The archives come from strangers, so nothing that one declares is trusted. An [archive] counts the bytes of all its parts
// while they are inflated; a [scanner] walks through XML without ever building a tree, and bounds the size of a token, the
// number of tokens and the depth. What is built on the two may therefore recurse, element by element, without a bound of its own.
//
// Elements are told by their local names alone. That takes in the strict and the transitional form of Office Open XML, and
// every generation of OpenDocument, without a table of namespaces. Where two local names of one format meet, the prefix decides.
//
// A part that can be missed may be absent or damaged: the reader says so in a warning and reads on. Only the main part of a
// document must be there.
package office

import (
	"context"
	"errors"
	"fmt"

	"portside/documents"
)

// ReadDOCX reads Word documents. Pages begin where the author or the last program that laid the document out broke them.
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

// ReadEPUB reads books. Its pages are the documents of the book's spine, which most often are chapters.
func ReadEPUB(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return read(ctx, file, into, readEPUB)
}

// errLastPage ends a reader early and in peace: the Builder takes no more pages.
var errLastPage = errors.New("no more pages are read")

// read opens the archive for a reader and gives its errors the words of the domain.
func read(ctx context.Context, file documents.Source, into *documents.Builder, reader func(*archive) error) (err error) {
	defer documents.RecoverPanic(&err)
	a, err := open(ctx, file, into)
	if err == nil {
		err = reader(a)
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
