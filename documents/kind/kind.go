// Package kind detects the format of a file by its content. It ignores the name and the declared media type, because
// attackers and mistakes change these.
//
// [Detect] decides by the first bytes if it can. It looks further only into zip archives, which may hold several
// formats of documents, and into texts. It reads at most the first 64 KB, the directory and three small members of an
// archive, two sectors of an OLE container and the beginnings of its streams. If the bytes fit two formats, the
// beginning of the file decides.
//
// Every text can be read as plain text, but prose that is read as a table is lost. So a text counts as Markdown, CSV,
// JSON or the like only if the evidence is clear.
package kind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"

	"portside/documents"
	"portside/documents/charset"
	"portside/documents/lazyregexp"
)

// headSize is how many bytes of the beginning are read.
const headSize = 64 << 10

// Detect returns the format of a file. Subtitles are PlainText and SVG drawings are XML. Errors: ErrEmpty for a file
// without anything but white space, ErrEncrypted, ErrDamaged for an archive without a directory, ErrTooMuch for an
// archive with too many entries, and ErrUnknown. Some ErrUnknown have a message that says what to send instead.
func Detect(ctx context.Context, file documents.Source, limits documents.Limits) (format documents.Format, err error) {
	defer documents.RecoverPanic(&err)
	if err := ctx.Err(); err != nil {
		return "", err
	}
	data := make([]byte, max(0, min(file.Size, headSize)))
	n, err := file.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the beginning: %w", err)
	}
	h := head{data: data[:n], whole: int64(n) == file.Size}
	return h.detect(file, limits)
}

// head is the beginning of a file.
type head struct {
	data  []byte
	whole bool // the file ends with data
}

func (h head) detect(file documents.Source, limits documents.Limits) (documents.Format, error) {
	switch {
	case len(bytes.Trim(h.data, " \t\r\n\x00\ufeff")) == 0:
		return "", documents.ErrEmpty
	case bytes.HasPrefix(h.data, []byte("PK\x03\x04")), bytes.HasPrefix(h.data, []byte("PK\x05\x06")):
		return zipKind(file, limits)
	case bytes.HasPrefix(h.data, []byte(oleMagic)):
		return oleKind(h.data, file)
	case bytes.HasPrefix(h.data, []byte(transportMagic)):
		return "", errTransport
	case isPacked(h.data):
		return "", errPacked
	case isPDF(h.data):
		return documents.PDF, nil
	case isRTF(h.data):
		return documents.RTF, nil
	}
	if format, err := binaryKind(h); !beginsAsText(h.data) && err == nil {
		return format, nil // even if the rest is mostly text, such as a comment in a picture or lyrics
	}
	if text, ok := plainText(h); ok {
		return textKind(text, h.whole), nil
	}
	if wide := charset.ByZeros(h.data); wide != nil {
		if text, ok := wideText(h.data, wide); ok {
			return textKind(text, h.whole), nil
		}
	}
	return binaryKind(h)
}

// beginsAsText reports whether the first bytes may be those of a text.
func beginsAsText(data []byte) bool {
	const checked = 32 // bytes
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return true
	}
	for _, c := range data[:min(len(data), checked)] {
		if c < ' ' && !isTextControl(c) || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isRTF looks at the first group only, because the rest may hold binary pictures.
func isRTF(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data, "\ufeff \t\r\n"), []byte(`{\rtf`))
}

var (
	pdfHeader = lazyregexp.New(`%PDF-[12]\.[0-9]`)
	pdfObject = lazyregexp.New(`(?:^|[\s])[0-9]{1,10} [0-9]{1,5} obj\b`)
)

// isPDF looks for the header in the first 1,024 bytes, as viewers do. If the header is not at the very beginning, an
// object must follow it, so that a text about PDF stays a text.
func isPDF(data []byte) bool {
	found := pdfHeader().FindIndex(data[:min(len(data), 1024)])
	if found == nil {
		return bytes.HasPrefix(data, []byte("%PDF-"))
	}
	if found[0] == 0 {
		return true
	}
	after := data[found[1]:]
	return pdfObject().Match(after[:min(len(after), 1024)])
}

// binaries are the formats of pictures and recordings by media type.
var binaries = map[string]documents.Format{
	"image/png": documents.Image, "image/apng": documents.Image, "image/jpeg": documents.Image,
	"image/gif":  documents.Image,
	"image/webp": documents.Image,
	"audio/mpeg": documents.Audio, "audio/wav": documents.Audio, "audio/flac": documents.Audio,
	"audio/ogg":       documents.Audio,
	"application/ogg": documents.Audio, "audio/mp4": documents.Audio, "audio/x-m4a": documents.Audio,
	"audio/aac": documents.Audio,
	"audio/amr": documents.Audio, "video/ogg": documents.Video, "video/mp4": documents.Video,
	"video/x-m4v":     documents.Video,
	"video/quicktime": documents.Video, "video/webm": documents.Video, "video/matroska": documents.Video,
	"video/x-msvideo": documents.Video,
	"video/3gpp":      documents.Video, "video/3gpp2": documents.Video,
}

func binaryKind(h head) (documents.Format, error) {
	// The read limit of mimetype is a global variable that any package may change, so the input is cut here.
	name, _, _ := strings.Cut(mimetype.Detect(h.data[:min(len(h.data), 3072)]).String(), ";")
	if format, ok := binaries[name]; ok {
		return format, nil
	}
	if isAMRWideband(h.data) {
		return documents.Audio, nil
	}
	if strings.HasPrefix(name, "image/") && name != "image/svg+xml" {
		return "", errPicture
	}
	return "", documents.ErrUnknown
}

func isAMRWideband(data []byte) bool { return bytes.HasPrefix(data, []byte("#!AMR-WB\n")) }
