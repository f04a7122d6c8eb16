// Package documents has the types that all packages of this module share: [Document], the form that every file is read
// into; [Reader] and [Builder], which make one; and [Error], the reason why a file cannot be read. To read a file, use
// package files.
//
// The packages below it read the formats: kind finds out which format a file has, text, office, pdf, tracks and picture
// read it, and files reads a file of any format. Package offline answers questions about a document without a model, in
// the types of package answers.
//
// Files come from strangers, so each reader keeps to [Limits]. It adds blocks to a [Builder], which enforces the limits
// on text, blocks and pages for all formats; the reader itself limits the bytes that it unpacks and the depth. No
// reader needs a network, a temporary file or another process. A panic in a reader becomes an error (see
// [RecoverPanic]).
package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Format is the format of a file, as its content shows it.
type Format string

// The formats. Package files reads all but Audio and Video, whose subtitles package tracks reads.
const (
	PlainText Format = "text"
	Markdown  Format = "markdown"
	HTML      Format = "html"
	CSV       Format = "csv" // with any separator
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

// Error is why a file cannot be read, in words for the person who sent it.
type Error struct {
	Unsupported bool // no reader supports the format; otherwise the file itself is at fault
	Message     string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Is reports whether target is ErrUnknown and the format is unsupported.
func (e *Error) Is(target error) bool { return target == error(ErrUnknown) && e.Unsupported }

// AsError returns the first Error in the chain of err, or nil if the chain has no Error.
func AsError(err error) *Error {
	e, _ := errors.AsType[*Error](err)
	return e
}

func newError(message string) *Error { return &Error{Message: message} }

// TooMuch returns an [ErrTooMuch] with its own message, which comes first in the chain.
func TooMuch(message string) error {
	return fmt.Errorf("%w (%w)", newError(message), ErrTooMuch)
}

// Errors of readers. Each is an [Error].
var (
	ErrUnknown   = &Error{Unsupported: true, Message: "The file has a format that cannot be read."}
	ErrEmpty     = newError("The file is empty.")
	ErrEncrypted = newError("The file is encrypted. Remove its password and send it again.")
	ErrDamaged   = newError("The file is damaged or cut short, and nothing of it could be read.")
	ErrNoText    = newError("There is no text in the file; where its pages are pictures, they cannot be read.")
	// ErrPictures is the error for a picture if Limits.Pictures is 0.
	ErrPictures = newError("Pictures are not read here.")
	// ErrTooMuch is in the chain of every error about a limit.
	ErrTooMuch = newError("There is more in the file, or it unpacks to more, than can be read. Send it in parts.")
	ErrSlow    = TooMuch("Reading the file takes longer than the 10 seconds that there are for it. Send it in parts.")
)

// TooLarge returns an ErrTooMuch for a file of more bytes than a reader accepts.
func TooLarge(limit int64) error {
	size := fmt.Sprintf("%d MB", limit>>20)
	if limit < 1<<20 {
		size = fmt.Sprintf("%d bytes", limit)
	}
	return TooMuch("The file has more than " + size +
		", which is the most that can be read of its kind. Send it in parts.")
}

// Source is a file of a known size. It has random access, because archives and PDF have their directory at the end.
type Source struct {
	io.ReaderAt
	Size int64
}

// Bytes reads the whole file. It returns ErrTooMuch if the file has more bytes than the limit.
func (s Source) Bytes(limit int64) ([]byte, error) {
	if s.Size > limit {
		return nil, TooLarge(limit)
	}
	data := make([]byte, s.Size)
	n, err := s.ReadAt(data, 0)
	if int64(n) == s.Size {
		err = nil // ReadAt may return io.EOF with the last byte
	}
	return data[:n], err
}

// Reader reads a file. It adds the content to the Builder in reading order, returns the Builder's errors unchanged, and
// ends soon after the context. [Builder.Finish] turns an error that is not an [Error] into ErrDamaged. After ErrDamaged
// or ErrTooMuch the document holds the content read before, with a warning.
type Reader func(ctx context.Context, file Source, into *Builder) error

// Limits bound the document that is read from one file.
type Limits struct {
	Text     int   // bytes of text
	Blocks   int   // blocks and table cells, together
	Pages    int   // pages; later ones are left out with a warning
	Inflated int64 // bytes that the file unpacks to, without pictures
	Depth    int   // nested elements, and parts of a mail
	Objects  int   // objects of a PDF, or entries of an archive

	Pictures     int   // pictures to view; later ones are left out with a warning
	PictureBytes int64 // bytes of all pictures together
}

// DefaultLimits returns limits for a process with 1 GB of memory and ten seconds for a file.
func DefaultLimits() Limits {
	return Limits{Text: 8 << 20, Blocks: 250_000, Pages: 2_000, Inflated: 128 << 20, Depth: 64, Objects: 300_000,
		Pictures: 20, PictureBytes: 48 << 20}
}
