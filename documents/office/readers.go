// Package office reads office documents and books: the formats that are ZIP archives of XML.
//
// Archives come from strangers, so the readers trust nothing that an archive declares. Package parts limits the size
// and the depth of the XML that they read, so code on top of it may recurse with the elements.
//
// Elements are identified by their local names. This covers the strict and the transitional form of Office Open XML and
// every version of OpenDocument without a table of namespaces. If a format has two elements with the same local name,
// the prefix decides.
//
// Pictures that are large enough to show text are for a viewer, each once and in its place. Pictures of formats that
// are no pixels are left out. Pictures are made ready for the viewer after all text was read.
//
// Only the main part of a document must exist. If another part is missing or damaged, the reader adds a warning and
// continues.
package office

import (
	"context"

	"portside/documents"
	"portside/documents/office/internal/docx"
	"portside/documents/office/internal/epub"
	"portside/documents/office/internal/odf"
	"portside/documents/office/internal/parts"
	"portside/documents/office/internal/pptx"
	"portside/documents/office/internal/xlsx"
)

// ReadDOCX reads Word documents. Pages begin at breaks by the author, and where the last program that saved the
// document broke them.
func ReadDOCX(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return parts.Read(ctx, file, into, docx.Read)
}

// ReadPPTX reads PowerPoint presentations. Hidden slides are left out.
func ReadPPTX(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return parts.Read(ctx, file, into, pptx.Read)
}

// ReadXLSX reads Excel workbooks, with the values that the formulas had when the workbook was saved. Hidden sheets are
// left out.
func ReadXLSX(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return parts.Read(ctx, file, into, xlsx.Read)
}

// ReadODT reads OpenDocument texts.
func ReadODT(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return parts.Read(ctx, file, into, odf.ReadODT)
}

// ReadODS reads OpenDocument spreadsheets. Hidden sheets are left out.
func ReadODS(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return parts.Read(ctx, file, into, odf.ReadODS)
}

// ReadODP reads OpenDocument presentations. Hidden slides are left out.
func ReadODP(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return parts.Read(ctx, file, into, odf.ReadODP)
}

// ReadEPUB reads books. Pages are the documents of the spine, which usually are chapters.
func ReadEPUB(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return parts.Read(ctx, file, into, epub.Read)
}
