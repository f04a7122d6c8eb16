package images

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"

	"portside/documents"
	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/filters"
	"portside/documents/pdf/internal/syntax"
)

// ErrImage means that an image cannot be decoded: its format is not supported, its beginning is damaged,
// or it is too large.
var ErrImage = errors.New("image cannot be decoded")

// maxPixels bounds an image in the file.
const maxPixels = 40_000_000

// Renderer converts the pictures of scanned pages to PNG or JPEG.
type Renderer struct {
	Objects syntax.Resolver
	Decoder *filters.Decoder
	Budget  *budget.Budget
}

// Render converts a picture. A JPEG stays unchanged where possible. Errors: ErrImage,
// documents.ErrTooMuch, and the error of the context.
func (r *Renderer) Render(s Scan) (documents.Picture, error) {
	p, err := r.render(s)
	p.Place = s.box
	return p, err
}

func (r *Renderer) render(s Scan) (documents.Picture, error) {
	if p, ok := r.storedJPEG(s); ok {
		return p, nil
	}
	img, err := r.draw(s.parts)
	if err != nil {
		return documents.Picture{}, err
	}
	return encode(orient(img, s.rotation, s.isMirrored))
}

// storedJPEG returns the JPEG in the file, if a viewer can use it unchanged.
func (r *Renderer) storedJPEG(s Scan) (documents.Picture, bool) {
	if len(s.parts) != 1 || s.rotation != 0 || s.isMirrored || r.isInverted(s.parts[0]) {
		return documents.Picture{}, false
	}
	in, filter := r.Decoder.Open(s.parts[0])
	if !filter.IsJPEG() {
		return documents.Picture{}, false
	}
	data, err := io.ReadAll(io.LimitReader(in, maxPictureBytes+1))
	if err != nil || len(data) > maxPictureBytes {
		return documents.Picture{}, false
	}
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	isUsable := err == nil && config.ColorModel != color.CMYKModel &&
		max(config.Width, config.Height) <= maxSidePixels && config.Width*config.Height <= maxPixels
	if !isUsable {
		return documents.Picture{}, false
	}
	return documents.Picture{MediaType: "image/jpeg", Data: data}, true
}

// draw draws the parts of a picture below each other.
func (r *Renderer) draw(parts []*syntax.Stream) (image.Image, error) {
	width, height := r.sizeOf(parts)
	if !isDrawable(width, height) {
		return nil, ErrImage
	}
	channels := 1
	var c *canvas
	for i, part := range parts {
		source, err := r.open(part)
		if err != nil {
			return nil, err
		}
		if i == 0 { // the colors are known only now, and a single JPEG has its own size
			if len(parts) == 1 {
				width, height = source.width, source.height
			}
			channels = source.channels
			c = newCanvas(width, height, channels, reductionFactor(width, height))
		}
		if source.width != width || source.channels != channels {
			return nil, ErrImage
		}
		if err := r.copyRows(c, source); err != nil {
			return nil, err
		}
	}
	c.flush()
	return c.image, nil
}

// sizeOf returns the size of a picture as the dictionaries of its parts say.
func (r *Renderer) sizeOf(parts []*syntax.Stream) (width, height int) {
	for _, part := range parts {
		width = r.Objects.Int(part.Dict["Width"], 0)
		height += r.Objects.Int(part.Dict["Height"], 0)
	}
	return width, height
}

func isDrawable(width, height int) bool {
	return width >= 1 && height >= 1 && width <= maxPixels/height
}

func (r *Renderer) copyRows(c *canvas, source *rowReader) error {
	const rowsPerCheck = 64
	row := make([]byte, source.width*source.channels)
	for y := range source.height {
		if y%rowsPerCheck == 0 && r.Budget.Err() != nil {
			return fmt.Errorf("draw an image: %w", r.Budget.Err())
		}
		if !r.Budget.SpendBytes(int64(len(row))) {
			return documents.ErrTooMuch
		}
		if err := source.next(row); err != nil {
			return err
		}
		c.add(row)
	}
	return nil
}
