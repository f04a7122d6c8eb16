// Package kind tells what a file is by its content, never by its name or by what the sender calls it: the name is where
// an attack or a mistake begins, and a reader that meets another format than its own wastes its limits on it.
//
// The first bytes decide where they can. Only what they leave open is looked at closer: which kind of document a zip archive
// holds, which kind of text a text is. No more is read than the first 64 KB, an archive's directory and three small members of
// it, and two sectors of an OLE container. A file that is two things at once is what its beginning says.
//
// A text is one of the special kinds only when it is plainly so, since every text can be read as plain text, and prose that is
// read as a table cannot be mended later.
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

// headSize is how much of the beginning is looked at.
const headSize = 64 << 10

// Detect returns what the file is. Errors: media.ErrEmpty, also for nothing but white space; media.ErrEncrypted;
// media.ErrDamaged for an archive without its directory; media.ErrTooMuch for one with too many entries; media.ErrUnknown for
// all that cannot be read, where it helps with words of its own on what to send instead. Subtitles are media.PlainText, drawings
// in SVG media.XML.
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
	whole bool // it is all of the file
}

func (h head) detect(file documents.Source, limits documents.Limits) (documents.Format, error) {
	switch {
	case len(bytes.Trim(h.data, " \t\r\n\x00\ufeff")) == 0:
		return "", documents.ErrEmpty
	case bytes.HasPrefix(h.data, []byte("PK\x03\x04")), bytes.HasPrefix(h.data, []byte("PK\x05\x06")):
		return zipKind(file, limits)
	case bytes.HasPrefix(h.data, []byte(oleMagic)):
		return "", oleError(h.data, file)
	case isPacked(h.data):
		return "", errPacked
	case isPDF(h.data):
		return documents.PDF, nil
	case isRTF(h.data):
		return documents.RTF, nil
	}
	if format, err := binaryKind(h); !beginsAsText(h.data) && err == nil {
		return format, nil // however much text there is in it: a comment in a picture, the words of a song
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

// beginsAsText reports whether nothing in the first bytes speaks against a text.
func beginsAsText(data []byte) bool {
	const enough = 32
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return true
	}
	for _, c := range data[:min(len(data), enough)] {
		if c < ' ' && !isTextControl(c) || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isRTF does not look further than the first group: pictures may be in the file as they are.
func isRTF(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data, "\ufeff \t\r\n"), []byte(`{\rtf`))
}

var (
	pdfHeader = lazyregexp.New(`%PDF-[12]\.[0-9]`)
	pdfObject = lazyregexp.New(`(?:^|[\s])[0-9]{1,10} [0-9]{1,5} obj\b`)
)

// isPDF finds the header where viewers look for it: in the first 1,024 bytes. After other bytes an object has to follow, so
// that a text about the format stays a text.
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

// binaries are the kinds of pictures and recordings that can be worked with.
var binaries = map[string]documents.Format{
	"image/png": documents.Image, "image/apng": documents.Image, "image/jpeg": documents.Image, "image/gif": documents.Image,
	"image/webp": documents.Image,
	"audio/mpeg": documents.Audio, "audio/wav": documents.Audio, "audio/flac": documents.Audio, "audio/ogg": documents.Audio,
	"application/ogg": documents.Audio, "audio/mp4": documents.Audio, "audio/x-m4a": documents.Audio, "audio/aac": documents.Audio,
	"audio/amr": documents.Audio, "video/ogg": documents.Video, "video/mp4": documents.Video, "video/x-m4v": documents.Video,
	"video/quicktime": documents.Video, "video/webm": documents.Video, "video/matroska": documents.Video, "video/x-msvideo": documents.Video,
	"video/3gpp": documents.Video, "video/3gpp2": documents.Video,
}

func binaryKind(h head) (documents.Format, error) {
	// The module's own limit is global and another package's to set; what it is given is bounded here.
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
