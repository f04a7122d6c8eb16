// Package picture gives pictures (PNG, JPEG, GIF and WebP) to what views them.
//
// A picture is no document: its words are a model's to read. What is done here is to find out that it is one, whole and not too
// large, before anybody pays for it, and to make it such that every model takes it: at most 3.75 MB and 8,000 pixels a side,
// upright, and at rest. One that is so already stays as it is, less the metadata, which say where and with what it was taken
// and are nobody's business but the sender's. All others are drawn anew.
//
// A few bytes can say that they are a picture of any size. So the size is read first, and what decoding will take is
// reckoned from the headers; the decoders get only what fits into [mostMemory].
package picture

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"

	"portside/documents"
)

// ErrKind is about a picture of a kind that is not read.
var ErrKind = &documents.Error{Unsupported: true, Message: "Pictures are read as PNG, JPEG, GIF and WebP, and not all forms of " +
	"these. Convert it to a plain PNG or JPEG and send it again."}

// ErrLarge is about a picture that there is no memory to decode.
var ErrLarge = documents.TooMuch("The picture is too large: at most 40 megapixels can be read, and fewer of some kinds. " +
	"Make it smaller and send it again.")

const (
	mostPixels = 40_000_000
	mostLength = 100_000   // of a side: decoders hold some rows besides
	mostMemory = 160 << 20 // while decoding
	mostHead   = 4 << 20   // where headers may stand; more than mostBytes, so that it is all of what may stay as it is
)

// kind is one of the formats.
type kind struct {
	mediaType string
	magic     string // that it begins with; a ? is any byte
	header    func(io.Reader) (image.Config, error)
	decode    func(io.Reader) (image.Image, error)
	split     func(head []byte) ([]part, bool) // false: not up to the end; nil: such files are always drawn anew
	takes     func(f facts) (perPixel float64) // bytes, while decoding
}

func kinds() []kind {
	return []kind{
		{"image/png", "\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode, splitPNG, takesPNG},
		{"image/jpeg", "\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode, splitJPEG, takesJPEG},
		{"image/gif", "GIF8?a", gif.DecodeConfig, gif.Decode, nil, takesGIF}, // Decode ends behind the first frame
		{"image/webp", "RIFF????WEBP", webp.DecodeConfig, webp.Decode, splitWebP, takesWebP},
	}
}

func kindOf(head []byte) (kind, bool) {
	for _, k := range kinds() {
		if hasMagic(head, k.magic) {
			return k, true
		}
	}
	return kind{}, false
}

func hasMagic(head []byte, magic string) bool {
	if len(head) < len(magic) {
		return false
	}
	for i := range magic {
		if magic[i] != '?' && magic[i] != head[i] {
			return false
		}
	}
	return true
}

// facts are what is known of a picture before it is decoded.
type facts struct {
	kind
	config image.Config
	parts  []part
	whole  bool   // the parts are all that there is of the picture
	head   []byte // its first mostHead bytes
	size   int64
}

// Read gives the picture to the Builder, as one page. Errors: media.ErrPictures where none is taken, ErrKind, and those of a
// media.Reader.
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

// prepare makes a picture of a file that models take.
func prepare(ctx context.Context, file documents.Source) (documents.Picture, error) {
	f, err := examine(ctx, file)
	if err != nil {
		return documents.Picture{}, err
	}
	decoded, err := f.decode(reading(ctx, file))
	if err != nil {
		return documents.Picture{}, damaged(ctx, err)
	}
	turn := orientationOf(f.parts)
	if f.whole && turn == upright && f.size <= mostBytes && fits(decoded.Bounds()) {
		return documents.Picture{MediaType: f.mediaType, Data: joined(f.parts)}, nil
	}
	return drawn(ctx, decoded, turn)
}

// examine reads the headers, and refuses what cannot be decoded within the limits.
func examine(ctx context.Context, file documents.Source) (f facts, err error) {
	f.size, f.head = file.Size, make([]byte, max(0, min(file.Size, mostHead)))
	if n, err := io.ReadFull(reading(ctx, file), f.head); err != nil {
		return f, fmt.Errorf("read a picture, %d bytes of it: %w", n, err)
	}
	found, known := kindOf(f.head)
	if !known {
		return f, ErrKind
	}
	f.kind = found
	f.config, err = f.header(reading(ctx, file))
	if err != nil {
		return f, damaged(ctx, err)
	}
	if f.split != nil {
		f.parts, f.whole = f.split(f.head)
	}
	if named(f.parts, "ANIM") != nil { // a WebP that moves, which the decoder does not know
		return f, ErrKind
	}
	return f, f.bounded()
}

func (f facts) bounded() error {
	w, h := f.config.Width, f.config.Height
	if w <= 0 || h <= 0 {
		return documents.ErrDamaged
	}
	if w > mostLength || h > mostLength || w*h > mostPixels || float64(w*h)*f.takes(f) > mostMemory {
		return ErrLarge
	}
	return nil
}

// damaged says what an error of a decoder comes to.
func damaged(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("read a picture: %w", ended)
	}
	_, isJPEG := errors.AsType[jpeg.UnsupportedError](err)
	_, isPNG := errors.AsType[png.UnsupportedError](err)
	if isJPEG || isPNG {
		return fmt.Errorf("%w (%w)", ErrKind, err)
	}
	return fmt.Errorf("%w (%w)", documents.ErrDamaged, err)
}

// reading reads the file from its beginning until the context ends: a small file can keep a decoder busy for long.
func reading(ctx context.Context, file documents.Source) io.Reader {
	return bufio.NewReader(&ending{ctx, io.NewSectionReader(file, 0, file.Size)})
}

type ending struct {
	ctx  context.Context //nolint:containedctx // it lives as long as one call of Read
	file io.Reader
}

// Read implements [io.Reader].
func (b *ending) Read(into []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.file.Read(into)
}
