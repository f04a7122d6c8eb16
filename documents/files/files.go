// Package files reads a file of any format that this module knows. It is the one place that lists the readers, so that
// every program reads the same formats.
package files

import (
	"context"
	"time"

	"portside/documents"
	"portside/documents/kind"
	"portside/documents/office"
	"portside/documents/pdf"
	"portside/documents/picture"
	"portside/documents/text"
)

// Timeout is how long reading one file may take. The text that was read by then is used.
const Timeout = 10 * time.Second

// Read makes a document of a file. Pictures are left out; see [Builder.Pictures] for programs that can view them. Errors:
// those of package documents, and the context's.
//
// [Builder.Pictures]: https://pkg.go.dev/portside/documents#Builder.Pictures
func Read(ctx context.Context, file documents.Source, limits documents.Limits) (*documents.Document, error) {
	format, err := kind.Detect(ctx, file, limits)
	if err != nil {
		return nil, err
	}
	reader, known := Readers()[format]
	if !known {
		return nil, documents.ErrUnknown
	}
	into := documents.NewBuilder(format, limits)
	return into.Finish(ReadWithin(ctx, Timeout, reader, file, into))
}

// ReadWithin calls a reader and stops it after the time. It returns the reader's error; ErrSlow if the time is up; and the
// cause if the caller's context is done.
func ReadWithin(
	ctx context.Context, most time.Duration, reader documents.Reader, file documents.Source, into *documents.Builder,
) error {
	ctx, cancel := context.WithTimeoutCause(ctx, most, documents.ErrSlow)
	defer cancel()
	err := reader(ctx, file, into)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Readers returns the readers by format. Audio and video have none: see package tracks for their subtitles.
func Readers() map[documents.Format]documents.Reader {
	return map[documents.Format]documents.Reader{
		documents.PlainText: text.ReadText, // subtitles too
		documents.Markdown:  text.ReadMarkdown,
		documents.HTML:      text.ReadHTML,
		documents.CSV:       text.ReadCSV,
		documents.JSON:      text.ReadJSON,
		documents.XML:       text.ReadXML,
		documents.RTF:       text.ReadRTF,
		documents.Mail:      text.ReadMail,
		documents.PDF:       pdf.Read,
		documents.DOCX:      office.ReadDOCX,
		documents.PPTX:      office.ReadPPTX,
		documents.XLSX:      office.ReadXLSX,
		documents.ODT:       office.ReadODT,
		documents.ODS:       office.ReadODS,
		documents.ODP:       office.ReadODP,
		documents.EPUB:      office.ReadEPUB,
		documents.Image:     picture.Read,
	}
}
