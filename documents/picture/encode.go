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

// Bounds of a picture that models accept.
const (
	maxPictureBytes      = 3_750_000
	maxPictureSidePixels = 8_000
)

// maxCanvasPixels bounds a drawn picture. Half of the sides of maxPixels fit, and models do not use more.
const maxCanvasPixels = 16_000_000

const jpegQuality = 85 // keeps letters sharp

// fitsModels reports whether models accept a picture of this size.
func fitsModels(b image.Rectangle) bool {
	return b.Dx() <= maxPictureSidePixels && b.Dy() <= maxPictureSidePixels
}

// Convert returns the picture as PNG or JPEG, for viewers that accept no other formats. A picture that is one already
// stays unchanged.
func Convert(ctx context.Context, p documents.Picture) (documents.Picture, error) {
	if p.MediaType == "image/png" || p.MediaType == "image/jpeg" {
		return p, nil
	}
	h, err := readHeader(ctx, documents.FromBytes(p.Data))
	if err != nil {
		return p, err
	}
	decoded, err := h.format.decode(newReader(ctx, documents.FromBytes(p.Data)))
	if err != nil {
		return p, decodeError(ctx, err)
	}
	converted, err := redraw(ctx, decoded, upright)
	if err != nil {
		return p, err
	}
	p.MediaType, p.Data = converted.MediaType, converted.Data
	return p, nil
}

// redraw encodes a picture anew: as PNG if it has a palette and fits, otherwise as JPEG.
func redraw(ctx context.Context, decoded image.Image, o orientation) (documents.Picture, error) {
	if paletted, ok := decoded.(*image.Paletted); ok && o == upright && fitsModels(paletted.Rect) {
		var out bytes.Buffer
		if err := png.Encode(&out, paletted); err != nil {
			return documents.Picture{}, fmt.Errorf("encode a PNG: %w", err)
		}
		if out.Len() <= maxPictureBytes {
			return documents.Picture{MediaType: "image/png", Data: out.Bytes()}, nil
		}
	}
	return encodeJPEG(ctx, orient(shrink(decoded), o))
}

// encodeJPEG encodes a canvas as JPEG, and halves it until the JPEG fits.
func encodeJPEG(ctx context.Context, canvas *image.RGBA) (documents.Picture, error) {
	for {
		if err := ctx.Err(); err != nil {
			return documents.Picture{}, fmt.Errorf("encode a JPEG: %w", err)
		}
		var out bytes.Buffer
		if err := jpeg.Encode(&out, canvas, &jpeg.Options{Quality: jpegQuality}); err != nil {
			return documents.Picture{}, fmt.Errorf("encode a JPEG: %w", err)
		}
		if out.Len() <= maxPictureBytes {
			return documents.Picture{MediaType: "image/jpeg", Data: out.Bytes()}, nil
		}
		canvas = scale(canvas, half(canvas.Rect.Size()))
	}
}

// shrink draws a picture in a size that models accept. It halves the size step by step, so that every pixel
// contributes to the result.
func shrink(m image.Image) *image.RGBA {
	size := m.Bounds().Size()
	if size.X*size.Y <= maxCanvasPixels && fitsModels(m.Bounds()) {
		return scale(m, size)
	}
	canvas := scale(m, half(size))
	for !fitsModels(canvas.Rect) {
		canvas = scale(canvas, half(canvas.Rect.Size()))
	}
	return canvas
}

func half(size image.Point) image.Point { return image.Pt((size.X+1)/2, (size.Y+1)/2) }

// scale draws a picture on white, because transparent pixels would become black.
func scale(m image.Image, size image.Point) *image.RGBA {
	canvas := image.NewRGBA(image.Rectangle{Max: size})
	for i := range canvas.Pix {
		canvas.Pix[i] = 0xff
	}
	draw.ApproxBiLinear.Scale(canvas, canvas.Rect, m, m.Bounds(), draw.Over, nil)
	return canvas
}
