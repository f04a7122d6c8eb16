// Package files reads a file of any format that this module knows: [Read] detects the format, calls its reader and
// stops it after ten seconds. It is the one place that lists the readers, so that every program reads the same formats.
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

// Timeout is the time limit for one file. Read returns the text that was read by then.
const Timeout = 10 * time.Second

// Read reads a file into a document. It leaves pictures out; a program that can view them calls a reader and uses
// [documents.Builder.Pictures]. Errors: those of package documents, of the source and of the context.
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
	return into.Finish(Within(Timeout, reader)(ctx, file, into))
}

// Within returns a reader that stops after the timeout. It returns ErrSlow if the time is up, the cause of the context
// if that is done, and otherwise the error of the given reader.
func Within(timeout time.Duration, reader documents.Reader) documents.Reader {
	return func(ctx context.Context, file documents.Source, into *documents.Builder) error {
		ctx, cancel := context.WithTimeoutCause(ctx, timeout, documents.ErrSlow)
		defer cancel()
		err := reader(ctx, file, into)
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
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
