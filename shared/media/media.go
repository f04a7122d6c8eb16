// Package media knows what files say: it turns uploads into text, and text into summaries, values and comparisons.
//
// Three parts meet here and know nothing of each other. Readers (packages media<format>) make a [Document] of a file's
// bytes; engines (media<engine>) answer a question about documents; stores keep uploads and results. So every engine and
// every piece of evidence refers to the same text, whatever the file was.
//
// All that is read comes from strangers. A reader gives what it finds to a [Builder], which holds the limits for all of
// them: text, blocks and pages. What is unpacked on the way is the reader's own to bound, by the same [Limits].
package media

import (
	"context"
	"fmt"
	"io"

	"portside/shared/core/fault"
)

// Format is what a file is, told by its content.
type Format string

// The formats that can be read.
const (
	PlainText Format = "text"
	Markdown  Format = "markdown"
	HTML      Format = "html"
	CSV       Format = "csv" // tabs and semicolons too
	JSON      Format = "json"
	XML       Format = "xml"
	RTF       Format = "rtf"
	Mail      Format = "eml"
	PDF       Format = "pdf"
	DOCX      Format = "docx"
	PPTX      Format = "pptx"
	XLSX      Format = "xlsx"
	ODT       Format = "odt"
	ODS       Format = "ods"
	ODP       Format = "odp"
	EPUB      Format = "epub"
	Image     Format = "image"
	Audio     Format = "audio"
	Video     Format = "video"
)

// Why a file cannot be read.
var (
	ErrUnknown = fault.New(fault.UnsupportedType, "The file is of a kind that cannot be read. Send text, Markdown, HTML, CSV, JSON, XML, "+
		"RTF, PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, mail or subtitles; a PNG, JPEG, GIF or WebP picture where a vision model "+
		"is set up; audio or video where it can be transcribed.")
	ErrEmpty     = fault.New(fault.Unprocessable, "The file is empty.")
	ErrEncrypted = fault.New(fault.Unprocessable, "The file is encrypted. Remove its password and send it again.")
	ErrDamaged   = fault.New(fault.Unprocessable, "The file is damaged or cut short, and nothing of it could be read.")
	ErrNoText    = fault.New(fault.Unprocessable, "There is no text in the file; where its pages are pictures, they cannot be read.")
	// ErrTooMuch is in the chain of every error about a limit. By itself it is about what is in the file or unpacks from it.
	ErrTooMuch = fault.New(fault.Unprocessable, "There is more in the file, or it unpacks to more, than can be read. Send it in parts.")
	ErrSlow    = tooMuch("Reading the file takes longer than the 10 seconds that there are for it. Send it in parts.")
)

// TooLarge is ErrTooMuch about a file of more bytes than can be read of its kind.
func TooLarge(limit int64) error {
	size := fmt.Sprintf("%d MB", limit>>20)
	if limit < 1<<20 {
		size = fmt.Sprintf("%d bytes", limit)
	}
	return tooMuch("The file has more than " + size + ", which is the most that can be read of its kind. Send it in parts.")
}

// tooMuch is ErrTooMuch with a sentence of its own, which is the one that callers see.
func tooMuch(detail string) error {
	return fmt.Errorf("%w (%w)", fault.New(fault.Unprocessable, detail), ErrTooMuch)
}

// Source is a file. Formats that are archives are read from their end, hence the random access.
type Source struct {
	io.ReaderAt
	Size int64
}

// Bytes reads the whole file, for readers of formats that have to be in memory; ErrTooMuch above the limit.
func (s Source) Bytes(limit int64) ([]byte, error) {
	if s.Size > limit {
		return nil, TooLarge(limit)
	}
	data := make([]byte, s.Size)
	n, err := s.ReadAt(data, 0)
	if int64(n) == s.Size {
		err = nil // io.EOF beside all that was asked for
	}
	return data[:n], err
}

// Reader makes a document of a file. It gives what it finds to the Builder in reading order, and returns the Builder's errors
// as they are. It ends soon after the context does. Errors: those above; an error that is none of them counts as ErrDamaged.
// What it has given before ErrDamaged or ErrTooMuch may still be used, with a warning.
type Reader func(ctx context.Context, file Source, into *Builder) error

// Limits bound what is made of one file.
type Limits struct {
	Text     int   // bytes of text
	Blocks   int   // blocks and cells
	Pages    int   // pages that are read; later ones are left out with a warning
	Inflated int64 // bytes that may be unpacked in all, pictures left out
	Depth    int   // nesting of elements, archives, parts of a mail
	Objects  int   // objects of a PDF, entries of an archive

	Pictures     int   // that are viewed; later ones are left out with a warning
	PictureBytes int64 // of all of them
}

// DefaultLimits fit a Lambda function of 1 GB, and ten seconds.
func DefaultLimits() Limits {
	return Limits{Text: 8 << 20, Blocks: 250_000, Pages: 2_000, Inflated: 128 << 20, Depth: 64, Objects: 300_000,
		Pictures: 20, PictureBytes: 48 << 20}
}
