package picture

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"

	"portside/documents"
)

// What models take.
const (
	mostBytes = 3_750_000
	mostSide  = 8_000
)

// mostCanvas is how many pixels are drawn at most: more than half of mostPixels on each side, and than a model looks at.
const mostCanvas = 16_000_000

const quality = 85 // of JPEG; letters stay sharp

// drawn makes a new picture: a PNG of one with few colours, else a JPEG on white, of half the size each time until it fits.
func drawn(ctx context.Context, decoded image.Image, turn orientation) (documents.Picture, error) {
	if few, is := decoded.(*image.Paletted); is && turn == upright && fits(few.Rect) {
		var out bytes.Buffer
		if err := png.Encode(&out, few); err != nil {
			return documents.Picture{}, fmt.Errorf("write a PNG: %w", err)
		}
		if out.Len() <= mostBytes {
			return documents.Picture{MediaType: "image/png", Data: out.Bytes()}, nil
		}
	}
	return written(ctx, turned(shrunk(decoded), turn))
}

// shrunk draws the picture as a canvas of a size that models take. Step by step, so that each pixel counts.
func shrunk(m image.Image) *image.RGBA {
	size := m.Bounds().Size()
	if size.X*size.Y <= mostCanvas && fits(m.Bounds()) {
		return scaled(m, size)
	}
	canvas := scaled(m, half(size))
	for !fits(canvas.Rect) {
		canvas = scaled(canvas, half(canvas.Rect.Size()))
	}
	return canvas
}

func half(size image.Point) image.Point { return image.Pt((size.X+1)/2, (size.Y+1)/2) }

// scaled draws the picture on white, so that what is transparent does not come out black.
func scaled(m image.Image, size image.Point) *image.RGBA {
	canvas := image.NewRGBA(image.Rectangle{Max: size})
	for i := range canvas.Pix {
		canvas.Pix[i] = 0xff
	}
	draw.ApproxBiLinear.Scale(canvas, canvas.Rect, m, m.Bounds(), draw.Over, nil)
	return canvas
}

// written is the canvas as a JPEG that is small enough.
func written(ctx context.Context, canvas *image.RGBA) (documents.Picture, error) {
	for {
		if err := ctx.Err(); err != nil {
			return documents.Picture{}, fmt.Errorf("write a JPEG: %w", err)
		}
		var out bytes.Buffer
		if err := jpeg.Encode(&out, canvas, &jpeg.Options{Quality: quality}); err != nil {
			return documents.Picture{}, fmt.Errorf("write a JPEG: %w", err)
		}
		if out.Len() <= mostBytes {
			return documents.Picture{MediaType: "image/jpeg", Data: out.Bytes()}, nil
		}
		canvas = scaled(canvas, half(canvas.Rect.Size()))
	}
}
