// Package documents is the vocabulary of reading files: what a [Document] is, how a [Reader] builds one, and why a file
// cannot be read.
//
// The packages below it read the formats: kind finds out which format a file has, text, office, pdf, tracks and picture
// read it, and package read chooses among them. Package offline answers questions about a document without a model, in
// the types of package answers.
//
// Files come from strangers. A reader hands what it finds to a [Builder], which enforces the limits on text, blocks and
// pages for all formats. A reader bounds what it unpacks by the same [Limits]. No reader needs a network, a temporary
// file or another process, and a panic inside one becomes an error (see [RecoverPanic]).
package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// Error is why a file cannot be read, in words for the person who sent it.
type Error struct {
	Unsupported bool // the format is not read; false: the file itself is at fault
	Message     string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Is makes every unsupported format an [ErrUnknown].
func (e *Error) Is(target error) bool { return target == error(ErrUnknown) && e.Unsupported }

// AsError returns the first Error in the chain of err, or nil if there is none.
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
	// ErrPictures is about a picture where nothing can view it; see [Limits].
	ErrPictures = newError("Pictures are not read here.")
	// ErrTooMuch is in the chain of every error about a limit. Alone, it is about the content of the file or what it unpacks to.
	ErrTooMuch = newError("There is more in the file, or it unpacks to more, than can be read. Send it in parts.")
	ErrSlow    = TooMuch("Reading the file takes longer than the 10 seconds that there are for it. Send it in parts.")
)

// TooLarge returns an ErrTooMuch for a file of more bytes than a reader accepts.
func TooLarge(limit int64) error {
	size := fmt.Sprintf("%d MB", limit>>20)
	if limit < 1<<20 {
		size = fmt.Sprintf("%d bytes", limit)
	}
	return TooMuch("The file has more than " + size + ", which is the most that can be read of its kind. Send it in parts.")
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
