// Package picture prepares pictures (PNG, JPEG, GIF and WebP) for a viewer, which is usually a model that
// reads their text.
//
// The result is a picture that every model accepts: at most 3.75 MB and 8,000 pixels per side, upright,
// and without animation. A picture that meets these bounds keeps its encoded pixels and loses only its
// metadata, which may reveal where and with which device it was taken. Every other picture is drawn
// anew.
//
// A few bytes can claim any size. So [Read] reads the size first, and estimates the memory for decoding
// from the headers. It decodes only pictures that fit into maxDecodingBytes.
package picture

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"portside/documents"
)

// ErrKind means that the format of a picture is not supported.
var ErrKind = &documents.Error{Unsupported: true, Message: "Pictures must be PNG, JPEG, GIF or WebP, and some variants of these " +
	"are not supported. Convert the picture to a plain PNG or JPEG and send it again."}

// ErrLarge means that decoding a picture would take too much memory.
var ErrLarge = documents.TooMuch("The picture is too large. The limit is 40 megapixels, and lower for some formats. " +
	"Make the picture smaller and send it again.")

// Bounds of a file.
const (
	maxPixels        = 40_000_000
	maxSidePixels    = 100_000 // decoders allocate some rows in addition to the picture
	maxDecodingBytes = 160 << 20
	// maxHeaderBytes bounds the part of a file that is searched for headers. It is larger than
	// maxPictureBytes, so that it contains the whole of a picture that may stay unchanged.
	maxHeaderBytes = 4 << 20
)

// Read adds the picture to a document, as its only page. Errors: documents.ErrPictures if the document
// accepts no pictures, ErrKind, and those of a [documents.Reader].
func Read(ctx context.Context, file documents.Source, into *documents.Builder) (err error) {
	defer documents.RecoverPanic(&err)
	if !into.TakesPictures() {
		return documents.ErrPictures
	}
	p, err := prepare(ctx, file)
	if err != nil {
		return err
	}
	if into.Page() {
		into.Picture(p)
	}
	return nil
}

// Size returns the width and height of a picture, of which the data may be only the beginning. It returns false if the
// format is not supported or the data have no size.
func Size(data []byte) (width, height int, isKnown bool) {
	f, isKnown := detectFormat(data)
	if !isKnown {
		return 0, 0, false
	}
	config, err := f.decodeConfig(bytes.NewReader(data))
	return config.Width, config.Height, err == nil
}

// ForViewers returns a picture of a document in a form that models accept. Its place is unknown. Errors: ErrKind,
// ErrLarge, documents.ErrDamaged and the error of the context.
func ForViewers(ctx context.Context, data []byte) (p documents.Picture, err error) {
	defer documents.RecoverPanic(&err)
	p, err = prepare(ctx, documents.FromBytes(data))
	p.Place = documents.Box{}
	return p, err
}

// prepare returns a picture that models accept.
func prepare(ctx context.Context, file documents.Source) (documents.Picture, error) {
	h, err := readHeader(ctx, file)
	if err != nil {
		return documents.Picture{}, err
	}
	decoded, err := h.format.decode(newReader(ctx, file))
	if err != nil {
		return documents.Picture{}, decodeError(ctx, err)
	}
	o := findOrientation(h.chunks)
	p := documents.Picture{MediaType: h.format.mediaType}
	if h.isComplete && o == upright && h.fileBytes <= maxPictureBytes && fitsModels(decoded.Bounds()) {
		p.Data = joinRequired(h.chunks)
	} else if p, err = redraw(ctx, decoded, o); err != nil {
		return documents.Picture{}, err
	}
	p.Place = placeOf(decoded.Bounds().Size(), o)
	return p, nil
}

// placeOf returns the place of an upright picture on a page of which each pixel of the file is a point.
func placeOf(size image.Point, o orientation) documents.Box {
	if o >= firstTransposed {
		size = image.Pt(size.Y, size.X)
	}
	return documents.Box{Right: float64(size.X), Bottom: float64(size.Y)}
}

// header has the properties of a picture that are known before it is decoded.
type header struct {
	format     format
	config     image.Config
	chunks     []chunk
	isComplete bool   // the chunks are the whole picture
	data       []byte // the first maxHeaderBytes of the file
	fileBytes  int64
}

// readHeader reads the header of a picture. It returns ErrLarge for a picture that would take too much memory
// to decode.
func readHeader(ctx context.Context, file documents.Source) (h header, err error) {
	h.fileBytes, h.data = file.Size, make([]byte, max(0, min(file.Size, maxHeaderBytes)))
	if n, err := io.ReadFull(newReader(ctx, file), h.data); err != nil {
		return h, fmt.Errorf("read a picture, %d bytes of it: %w", n, err)
	}
	var ok bool
	if h.format, ok = detectFormat(h.data); !ok {
		return h, ErrKind
	}
	h.config, err = h.format.decodeConfig(newReader(ctx, file))
	if err != nil {
		return h, decodeError(ctx, err)
	}
	if h.format.split != nil {
		h.chunks, h.isComplete = h.format.split(h.data)
	}
	if findChunk(h.chunks, "ANIM") != nil { // the WebP decoder does not support animation
		return h, ErrKind
	}
	return h, h.checkSize()
}

func (h header) checkSize() error {
	width, height := h.config.Width, h.config.Height
	if width <= 0 || height <= 0 {
		return documents.ErrDamaged
	}
	pixels := width * height
	if width > maxSidePixels || height > maxSidePixels || pixels > maxPixels ||
		float64(pixels)*h.format.bytesPerPixel(h) > maxDecodingBytes {
		return ErrLarge
	}
	return nil
}

// decodeError returns the error of this package for an error of a decoder.
func decodeError(ctx context.Context, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return fmt.Errorf("read a picture: %w", ctxErr)
	}
	_, isJPEG := errors.AsType[jpeg.UnsupportedError](err)
	_, isPNG := errors.AsType[png.UnsupportedError](err)
	if isJPEG || isPNG {
		return fmt.Errorf("%w (%w)", ErrKind, err)
	}
	return fmt.Errorf("%w (%w)", documents.ErrDamaged, err)
}

// newReader returns a reader of the whole file that fails once the context ends, because a small file can
// keep a decoder busy for a long time.
func newReader(ctx context.Context, file documents.Source) io.Reader {
	return bufio.NewReader(&contextReader{ctx, io.NewSectionReader(file, 0, file.Size)})
}

type contextReader struct {
	ctx  context.Context
	file io.Reader
}

// Read implements [io.Reader].
func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.file.Read(p)
}
